// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Values that are known only when a probe is hit: debug_term.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "debug_term.h"

bool debug_term_is_number(const struct debug_term *t)
{
	return !*t->words && !t->of && !t->left;
}

static bool is_linear(const struct debug_term *t)
{
	return !*t->words && t->of && !t->left;
}

bool debug_words_add(char words[DEBUG_WORDS], const char *format, ...)
{
	size_t length = strlen(words);
	va_list args;
	int nr;

	va_start(args, format);
	nr = vsnprintf(words + length, DEBUG_WORDS - length, format, args);
	va_end(args);
	return nr >= 0 && length + nr < DEBUG_WORDS;
}

/* What pushes it, but for the number.  Words begin with a register, even those of a number. */
static bool term_begin(const struct debug_term *t, char words[DEBUG_WORDS])
{
	*words = '\0';
	if (t->left)
		return false;
	if (*t->words)
		return debug_words_add(words, "%s", t->words);
	if (t->of && t->scale == 1)
		return debug_words_add(words, "%s", t->of);
	return debug_words_add(words, "ip 0 &") &&
	       (!t->of ||
		debug_words_add(words, " %s %" PRIu64 " * +", t->of, t->scale));
}

bool debug_number_add(char words[DEBUG_WORDS], uint64_t number)
{
	if (!number)
		return true;
	return number >> 63 ? debug_words_add(words, " %" PRIu64 " -", -number)
			    : debug_words_add(words, " %" PRIu64 " +", number);
}

/* All of it as words. */
bool debug_term_write(const struct debug_term *t, char words[DEBUG_WORDS])
{
	return term_begin(t, words) && debug_number_add(words, t->number);
}

bool debug_term_settle(struct debug_term *t)
{
	struct debug_term settled = {0};

	if (!debug_term_write(t, settled.words))
		return false;
	*t = settled;
	return true;
}

/* What is above the lowest bits becomes zero, or a copy of the highest of them. */
bool debug_term_narrow(struct debug_term *t, unsigned int bits, bool is_signed)
{
	uint64_t mask = UINT64_MAX >> (64 - bits), sign = (mask >> 1) + 1;

	if (debug_term_is_number(t)) {
		t->number &= mask;
		t->number -= is_signed && t->number & sign ? 2 * sign : 0;
		return true;
	}
	if (is_signed)
		t->number += sign;
	if (!debug_term_settle(t) ||
	    !debug_words_add(t->words, " %" PRIu64 " &", mask))
		return false;
	if (is_signed)
		t->number = -sign;
	return true;
}

bool debug_term_shift_right(struct debug_term *t, uint64_t by, bool is_signed)
{
	unsigned int left = t->left;

	if (by > 63 || by < left)
		return false;
	if (debug_term_is_number(t)) {
		t->number = is_signed ? (uint64_t)((int64_t)t->number >> by)
				      : t->number >> by;
		return true;
	}
	/* There and back: what was above is gone. */
	t->left = 0;
	if (left && !debug_term_narrow(t, 64 - left, is_signed))
		return false;
	by -= left;
	if (!by)
		return true;
	if (!debug_term_settle(t) ||
	    !debug_words_add(t->words, " %" PRIu64 " >>", by))
		return false;
	return !is_signed || debug_term_narrow(t, 64 - by, true);
}

bool debug_term_multiply(struct debug_term *t, uint64_t by)
{
	uint64_t scale = t->scale * by;

	if (t->left || *t->words)
		return false;
	if (t->of && scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return false;
	t->scale = scale;
	t->number *= by;
	return true;
}

bool debug_term_shift_left(struct debug_term *t, uint64_t by)
{
	if (by > 63 || t->left)
		return false;
	if (debug_term_multiply(t, 1ull << by))
		return true;
	/* Unless it is shifted back, nothing can be said of it. */
	t->left = by;
	return true;
}

bool debug_term_and(struct debug_term *t, uint64_t mask)
{
	if (debug_term_is_number(t)) {
		t->number &= mask;
		return true;
	}
	return debug_term_settle(t) &&
	       debug_words_add(t->words, " %" PRIu64 " &", mask);
}

bool debug_term_add(struct debug_term *t, const struct debug_term *other)
{
	struct debug_term left = *t, right = *other, sum = {0};

	if (debug_term_is_number(&left) ||
	    (is_linear(&left) && left.scale != 1)) {
		left = *other;
		right = *t;
	}
	if (left.left || (!debug_term_is_number(&right) && !is_linear(&right)))
		return false;
	if (debug_term_is_number(&right)) {
		left.number += right.number;
		*t = left;
		return true;
	}
	if (!term_begin(&left, sum.words) ||
	    !debug_words_add(sum.words, " %s %" PRIu64 " * +", right.of,
			     right.scale))
		return false;
	sum.number = left.number + right.number;
	*t = sum;
	return true;
}
