// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static bool text_room(struct text *text, size_t n)
{
	size_t room = text->room ? text->room : 256;
	char *s;

	if (text->failed)
		return false;
	if (text->room - text->len > n)
		return true;
	while (room - text->len <= n)
		room *= 2;
	s = realloc(text->s, room);
	if (!s) {
		text->failed = true;
		return false;
	}
	text->s = s;
	text->room = room;
	return true;
}

void text_add(struct text *text, const char *s, size_t n)
{
	if (!text_room(text, n))
		return;
	memcpy(text->s + text->len, s, n);
	text->len += n;
	text->s[text->len] = '\0';
}

void text_puts(struct text *text, const char *s)
{
	text_add(text, s, strlen(s));
}

void text_printf(struct text *text, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0 || !text_room(text, n))
		return;
	va_start(ap, format);
	vsnprintf(text->s + text->len, n + 1, format, ap);
	va_end(ap);
	text->len += n;
}

void text_number(struct text *text, uint64_t number)
{
	char digits[20], *p = digits + sizeof(digits);

	do {
		*--p = '0' + number % 10;
		number /= 10;
	} while (number);
	text_add(text, p, digits + sizeof(digits) - p);
}

void text_words(struct text *text, const char *format, ...)
{
	const char *percent;
	va_list ap;
	int number;

	va_start(ap, format);
	for (; *(percent = strchrnul(format, '%')); format = percent + 2) {
		text_add(text, format, percent - format);
		switch (percent[1]) {
		case 's':
			text_puts(text, va_arg(ap, const char *));
			break;
		case 'd':
			number = va_arg(ap, int);
			if (number < 0)
				text_add(text, "-", 1);
			text_number(text, number < 0 ? -(uint64_t)number
						     : (uint64_t)number);
			break;
		case 'u':
			text_number(text, va_arg(ap, unsigned int));
			break;
		case 'z':
			text_number(text, va_arg(ap, size_t));
			percent++;
			break;
		}
	}
	va_end(ap);
	text_puts(text, format);
}

/* Bytes of the well-formed UTF-8 sequence at @s, 0 if it is none. */
static size_t utf8_length(const unsigned char *s)
{
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		return (s[1] & 0xc0) == 0x80 ? 2 : 0;
	if ((s[0] & 0xf0) == 0xe0) {
		if ((s[1] & 0xc0) != 0x80 || (s[2] & 0xc0) != 0x80 ||
		    (s[0] == 0xe0 && s[1] < 0xa0) ||
		    (s[0] == 0xed && s[1] > 0x9f))
			return 0;
		return 3;
	}
	if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		if ((s[1] & 0xc0) != 0x80 || (s[2] & 0xc0) != 0x80 ||
		    (s[3] & 0xc0) != 0x80 || (s[0] == 0xf0 && s[1] < 0x90) ||
		    (s[0] == 0xf4 && s[1] > 0x8f))
			return 0;
		return 4;
	}
	return 0;
}

static bool json_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void text_json(struct text *text, const char *s)
{
	text_add(text, "\"", 1);
	while (*s) {
		size_t n = 0;

		/* Nearly always that is all. */
		while (json_plain(s[n]))
			n++;
		if (n) {
			text_add(text, s, n);
			s += n;
			continue;
		}
		n = utf8_length((const unsigned char *)s);
		if (!n) {
			text_puts(text, "\\ufffd");
			n = 1;
		} else if (*s == '"' || *s == '\\') {
			text_puts(text, "\\");
			text_add(text, s, 1);
		} else if ((unsigned char)*s < 0x20 || *s == 0x7f) {
			text_printf(text, "\\u%04x", *s);
		} else {
			text_add(text, s, n);
		}
		s += n;
	}
	text_add(text, "\"", 1);
}

void text_free(struct text *text)
{
	free(text->s);
	*text = (struct text){0};
}
