// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "text.h"
#include "utf8.h"

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

/* What can be printed of ASCII, but the double quote and the backslash. */
static const bool json_plain[256] = {
	[0x20 ... 0x21] = true,
	[0x23 ... 0x5b] = true,
	[0x5d ... 0x7e] = true,
};

static size_t json_plain_length(const char *s)
{
	size_t n = 0;

	while (json_plain[(uint8_t)s[n]])
		n++;
	return n;
}

/* In nearly all cases this is the whole string. */
static bool text_json_plain(struct text *text, const char *s)
{
	size_t n = json_plain_length(s);
	char *to;

	if (s[n] || !text_room(text, n + 2))
		return false;
	to = text->s + text->len;
	*to++ = '"';
	memcpy(to, s, n);
	memcpy(to + n, "\"", 2);
	text->len += n + 2;
	return true;
}

void text_json(struct text *text, const char *s)
{
	char escaped[ESCAPE_ROOM], *end;

	if (text_json_plain(text, s))
		return;
	text_add(text, "\"", 1);
	while (*s) {
		size_t n = json_plain_length(s);

		if (n) {
			text_add(text, s, n);
			s += n;
			continue;
		}
		end = escape_json_char(escaped, (const uint8_t *)s,
				       strnlen(s, UTF8_MAX), &n);
		text_add(text, escaped, end - escaped);
		s += n;
	}
	text_add(text, "\"", 1);
}

void text_free(struct text *text)
{
	free(text->s);
	*text = (struct text){0};
}

bool text_has_line(const char *text, const char *line)
{
	size_t length = strlen(line);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (!strncmp(text, line, length) &&
		    (!text[length] || text[length] == '\n'))
			return true;
	}
	return false;
}
