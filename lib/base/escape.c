// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "utf8.h"

static const char hex[] = "0123456789abcdef";

char *escape_text_char(char *p, const uint8_t *s, size_t n, size_t *length)
{
	size_t len = utf8_length(s, n);

	if (len && !utf8_is_control(s)) {
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
	if (utf8_is_control(s)) {
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
