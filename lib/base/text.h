/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Text that grows.  If there is no memory to append, @failed is set and the
 * text stays as it is; the caller checks @failed once, at the end.
 */
#ifndef KT_LIB_BASE_TEXT_H
#define KT_LIB_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All zero: an empty text. */
struct text {
	char *s; /* ends with a NUL, if not NULL */
	size_t len;
	size_t room;
	bool failed;
};

void text_add(struct text *text, const char *s, size_t n);
void text_printf(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A faster text_printf() that knows only %s, %d, %u and %zu. */
void text_words(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void text_number(struct text *text, uint64_t number);
/* Inline, because the compiler knows the lengths of constants. */
static inline void text_puts(struct text *text, const char *s)
{
	text_add(text, s, strlen(s));
}
/* A JSON string with its quotes; see escape_json_char(). */
void text_json(struct text *text, const char *s);
void text_free(struct text *text);

/* Is @line, without its newline, one of the lines of @text? */
bool text_has_line(const char *text, const char *line);

#endif /* KT_LIB_BASE_TEXT_H */
