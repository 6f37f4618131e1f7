// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See argument.h. */
#include "argument.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The last word of [from, to) that can be a name. */
static u32 last_word(const char *from, const char *to, const char **word)
{
	const char *end;

	while (to > from && !is_word(to[-1]))
		to--;
	end = to;
	while (to > from && is_word(to[-1]))
		to--;
	while (to < end && is_digit(*to))
		to++;
	*word = to;
	return end - to;
}

u32 kt_argument_word(const char **format, const char **word)
{
	const char *p = *format;
	u32 length;

	while (*p && (*p != '%' || p[1] == '%'))
		p += *p == '%' ? 2 : 1;
	length = last_word(*format, p, word);
	if (*p)
		p++;
	while (*p && strchr("-+ #0123456789.*hlLqjzt", *p))
		p++;
	*format = *p ? p + 1 : p;
	return length;
}

const char *kt_argument_integer(u32 size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? "signed char" : "unsigned char";
	case 2:
		return is_signed ? "short" : "unsigned short";
	case 4:
		return is_signed ? "int" : "unsigned int";
	default:
		return is_signed ? "long" : "unsigned long";
	}
}
