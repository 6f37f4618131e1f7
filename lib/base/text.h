/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Text that grows.  If an append finds no memory, it sets @failed and keeps the
 * old text; the user of the text checks once, at the end.
 */
#ifndef KT_LIB_BASE_TEXT_H
#define KT_LIB_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero is an empty text. */
struct text {
	char *s; /* terminated, once something was appended */
	size_t len;
	size_t room;
	bool failed;
};

void text_add(struct text *text, const char *s, size_t n);
void text_puts(struct text *text, const char *s);
void text_printf(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Knows %s, %d, %u and %zu, and is fast at that. */
void text_words(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void text_number(struct text *text, uint64_t number);
/* A JSON string with its quotes; see escape_json_char(). */
void text_json(struct text *text, const char *s);
void text_free(struct text *text);

#endif /* KT_LIB_BASE_TEXT_H */
