// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Words of values in English: value_steps.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "value_steps.h"

struct word {
	const char *s;
	size_t length;
};

static const char *word_take(const char *from, struct word *word)
{
	from += strspn(from, " ");
	*word = (struct word){from, strcspn(from, " ")};
	return from + word->length;
}

static bool word_is(const struct word *word, const char *text)
{
	return word->length == strlen(text) &&
	       !memcmp(word->s, text, word->length);
}

static bool is_number(const struct word *word)
{
	return word->length && isdigit((unsigned char)*word->s);
}

static void add_write(uint64_t number, struct text *text)
{
	if ((int64_t)number < 0)
		text_printf(text, ", -0x%" PRIx64, -number);
	else
		text_printf(text, ", +0x%" PRIx64, number);
}

/* "24 +", "16 >>", "255 &".  Returns what is behind the second word. */
static const char *number_write(const struct word *word, const char *rest,
				struct text *text)
{
	uint64_t number = strtoull(word->s, NULL, 0);
	struct word what;

	rest = word_take(rest, &what);
	if (word_is(&what, "+"))
		add_write(number, text);
	else if (word_is(&what, ">>"))
		text_printf(text, ", without its lowest %" PRIu64 " bits",
			    number);
	else if (word_is(&what, "&"))
		text_printf(text, ", of this the bits 0x%" PRIx64, number);
	else
		text_printf(text, ", %" PRIu64 " %.*s", number,
			    (int)what.length, what.s);
	return rest;
}

/* "si 4 * +": an element of an array. */
static const char *index_write(const struct word *word, const char *rest,
			       struct text *text)
{
	struct word number, times, plus;
	const char *behind;

	behind = word_take(rest, &number);
	behind = word_take(behind, &times);
	behind = word_take(behind, &plus);
	text_printf(text, ", + %%%.*s", (int)word->length, word->s);
	if (!word_is(&times, "*") || !word_is(&plus, "+"))
		return rest;
	text_printf(text, " * %.*s", (int)number.length, number.s);
	return behind;
}

/* "ip 0 &", "ip 0 & 7 +": no register has a part in it. */
static bool constant_write(const char *words, struct text *text)
{
	struct word word[6] = {0};
	uint64_t number = 0;

	for (size_t i = 0; i < 6; i++)
		words = word_take(words, &word[i]);
	if (!word_is(&word[1], "0") || !word_is(&word[2], "&"))
		return false;
	if (word_is(&word[4], "+"))
		number = strtoull(word[3].s, NULL, 0);
	else if (word[3].length)
		return false;
	if (word[5].length)
		return false;
	text_printf(text, "always 0x%" PRIx64, number);
	return true;
}

void value_steps(const char *words, struct text *text)
{
	struct word word;

	if (constant_write(words, text))
		return;
	words = word_take(words, &word);
	text_printf(text, "%%%.*s", (int)word.length, word.s);
	for (words = word_take(words, &word); word.length;
	     words = word_take(words, &word)) {
		if (is_number(&word))
			words = number_write(&word, words, text);
		else if (*word.s == '@')
			text_printf(text, ", %.*s byte%s at that address",
				    (int)word.length - 1, word.s + 1,
				    word_is(&word, "@1") ? "" : "s");
		else if (!strncmp(word.s, "swap", 4))
			text_printf(text,
				    ", its lowest %.*s bytes in the other "
				    "order",
				    (int)word.length - 4, word.s + 4);
		else
			words = index_write(&word, words, text);
	}
}
