// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

static const char hex[] = "0123456789abcdef";

size_t utf8_length(const uint8_t *s, size_t n)
{
	size_t len, i;

	if (s[0] < 0x80)
		return 1;
	len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || len > n)
		return 0;
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Overlong, surrogates, beyond the last code point. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* Of a well-formed sequence. */
static bool is_control(const uint8_t *s)
{
	return *s < ' ' || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0);
}

char *escape_text_char(char *p, const uint8_t *s, size_t n, size_t *length)
{
	size_t len = utf8_length(s, n);

	if (len && !is_control(s)) {
		memcpy(p, s, len);
		*length = len;
		return p + len;
	}
	*length = len ? len : 1;
	for (size_t i = 0; i < *length; i++) {
		*p++ = '\\';
		*p++ = 'x';
		*p++ = hex[s[i] >> 4];
		*p++ = hex[s[i] & 15];
	}
	return p;
}

char *escape_json_char(char *p, const uint8_t *s, size_t n, size_t *length)
{
	size_t len = utf8_length(s, n);

	*length = len ? len : 1;
	if (!len) {
		memcpy(p, "\\ufffd", 6);
		return p + 6;
	}
	if (*s == '"' || *s == '\\') {
		*p++ = '\\';
		*p++ = *s;
		return p;
	}
	if (is_control(s)) {
		uint8_t c = s[len - 1];

		memcpy(p, "\\u00", 4);
		p[4] = hex[c >> 4];
		p[5] = hex[c & 15];
		return p + 6;
	}
	memcpy(p, s, len);
	return p + len;
}

static char *escape(const char *s, char *(*put)(char *p, const uint8_t *s,
						size_t n, size_t *length))
{
	size_t n = strlen(s), length;
	char *text = malloc(n * ESCAPE_ROOM + 1), *p = text;

	if (!text)
		return NULL;
	for (; n; s += length, n -= length)
		p = put(p, (const uint8_t *)s, n, &length);
	*p = '\0';
	return text;
}

char *escape_text(const char *s)
{
	return escape(s, escape_text_char);
}

char *escape_json(const char *s)
{
	return escape(s, escape_json_char);
}
