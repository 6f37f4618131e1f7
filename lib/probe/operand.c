// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Arguments of USDT probes: operand.h. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "operand.h"

#define OPERANDS_MAX 32
/* The longest that is understood. */
#define OPERAND_MAX 128

/* The @index-th word; NULL: there are fewer. */
static const char *word_find(const char *words, unsigned int index,
			     size_t *length)
{
	for (;; words += *length) {
		words += strspn(words, " ");
		*length = strcspn(words, " ");
		if (!*length)
			return NULL;
		if (!index--)
			return words;
	}
}

unsigned int operands_count(const char *arguments)
{
	unsigned int nr = 0;
	size_t length;

	/* <sys/sdt.h> has no more; a file may say anything. */
	while (nr < OPERANDS_MAX && word_find(arguments, nr, &length))
		nr++;
	return nr;
}

/* ---- registers --------------------------------------------------------------- */

/*
 * What the kernel calls the register of which this one is a part.  @high: it is the second byte.
 * NULL: none that a probe has.
 */
static const char *register_find(const char *name, size_t length, bool *high)
{
	static const char *const pairs[] = {"ax", "bx", "cx", "dx"};
	static const char *const others[] = {"si", "di", "bp", "sp"};
	static const char *const numbered[] = {"r8",  "r9",  "r10", "r11",
					       "r12", "r13", "r14", "r15"};
	size_t digits;

	*high = false;
	if (*name == 'r' && length > 1 && isdigit((unsigned char)name[1])) {
		digits = 1 + strspn(name + 1, "0123456789");
		if (length > digits + 1 ||
		    (length == digits + 1 && !strchr("bwd", name[digits])))
			return NULL;
		for (size_t i = 0; i < 8; i++)
			if (strlen(numbered[i]) == digits &&
			    !strncmp(numbered[i], name, digits))
				return numbered[i];
		return NULL;
	}
	/* %al and %ah, %sil. */
	for (size_t i = 0; i < 4 && length == 2; i++)
		if (*name == *pairs[i] && (name[1] == 'l' || name[1] == 'h')) {
			*high = name[1] == 'h';
			return pairs[i];
		}
	if (length == 3 && (*name == 'r' || *name == 'e')) {
		name++;
		length--;
	} else if (length == 3 && name[2] == 'l') {
		length--;
		for (size_t i = 0; i < 4; i++)
			if (!strncmp(others[i], name, 2))
				return others[i];
		return NULL;
	}
	if (length != 2)
		return NULL;
	for (size_t i = 0; i < 4; i++) {
		if (!strncmp(pairs[i], name, 2))
			return pairs[i];
		if (!strncmp(others[i], name, 2))
			return others[i];
	}
	return NULL;
}

/* ---- operands ---------------------------------------------------------------- */

static int operand_refuse(const char *operand, const char *why)
{
	return error_set(-EINVAL, "the argument `%s' %s", operand, why);
}

/* "%REGISTER". */
static int register_words(const char *operand, struct text *words)
{
	bool high;
	const char *name =
		register_find(operand + 1, strlen(operand + 1), &high);

	if (!name)
		return operand_refuse(operand, "is in a register that a probe "
					       "does not have");
	text_puts(words, name);
	if (high)
		text_puts(words, " 8 >>");
	return 0;
}

/* A number, and a sign that is not a part of it.  False: it is none. */
static bool number_take(const char **at, bool *minus, uint64_t *number)
{
	char *end;

	*minus = **at == '-';
	*at += *minus;
	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*number = strtoull(*at, &end, 0);
	*at = end;
	return !errno;
}

/* "$NUMBER": there is no register, but words begin with one. */
static int constant_words(const char *operand, struct text *words)
{
	const char *at = operand + 1;
	uint64_t number;
	bool minus;

	if (!number_take(&at, &minus, &number) || *at)
		return operand_refuse(operand, "is no number");
	text_printf(words, "ax 0 & %" PRIu64 " %c", number, minus ? '-' : '+');
	return 0;
}

/* "%REGISTER", within brackets.  NULL: it is none. */
static const char *address_register(const char **at)
{
	size_t length;
	const char *name;
	bool high;

	if (**at != '%')
		return NULL;
	length = strcspn(*at + 1, ",)");
	name = register_find(*at + 1, length, &high);
	*at += 1 + length;
	return name;
}

/* "[NUMBER](BASE[,INDEX[,SCALE]])", or "NUMBER(,INDEX,SCALE)". */
static int memory_words(const char *operand, unsigned int size,
			struct text *words)
{
	const char *at = operand, *base = NULL, *index = NULL;
	bool minus = false;
	uint64_t number = 0, scale = 1;

	if (*at != '(' && !number_take(&at, &minus, &number))
		return operand_refuse(operand,
				      "is at an address by name, which a probe "
				      "does not know");
	if (*at++ != '(')
		return operand_refuse(operand, "is at a fixed address");
	if (strstr(at, "%rip"))
		return operand_refuse(operand, "is at an address that depends "
					       "on where the program lies");
	if (*at != ',') {
		base = address_register(&at);
		if (!base)
			return operand_refuse(operand, "is not understood");
	}
	if (*at == ',') {
		at++;
		index = address_register(&at);
		if (!index)
			return operand_refuse(operand, "is not understood");
	}
	if (*at == ',') {
		bool negative;

		at++;
		if (!number_take(&at, &negative, &scale) || negative)
			return operand_refuse(operand, "is not understood");
	}
	if (strcmp(at, ")") ||
	    (scale != 1 && scale != 2 && scale != 4 && scale != 8))
		return operand_refuse(operand, "is not understood");
	text_puts(words, base ?: "ax 0 &");
	if (index)
		text_printf(words, " %s %" PRIu64 " * +", index, scale);
	if (number)
		text_printf(words, " %" PRIu64 " %c", number,
			    minus ? '-' : '+');
	text_printf(words, " @%u", size);
	return 0;
}

/* "[-]SIZE[f]@".  Returns what is behind it. */
static const char *size_take(const char *text, struct operand *operand)
{
	const char *at = strchr(text, '@');
	int size;

	*operand = (struct operand){.size = 8};
	if (!at)
		return text;
	size = atoi(text);
	operand->is_signed = size < 0;
	operand->size = abs(size);
	/* A number with a fraction is shown by its bits. */
	if (at > text && at[-1] == 'f')
		operand->is_signed = false;
	return at + 1;
}

int operand_words(const char *arguments, unsigned int index,
		  struct operand *operand, struct text *words)
{
	char text[OPERAND_MAX];
	const char *own;
	size_t length;
	const char *word = word_find(arguments, index, &length);

	if (!word)
		return error_set(-EINVAL, "it has only %u arguments",
				 operands_count(arguments));
	snprintf(text, sizeof(text), "%.*s", (int)length, word);
	own = size_take(text, operand);
	if (operand->size != 1 && operand->size != 2 && operand->size != 4 &&
	    operand->size != 8)
		return operand_refuse(text, "has a size that no number has");
	switch (*own) {
	case '%':
		return register_words(own, words);
	case '$':
		return constant_words(own, words);
	default:
		return memory_words(own, operand->size, words);
	}
}
