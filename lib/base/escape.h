/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Strings of strangers, on their way to a terminal or into JSON.
 *
 * Names of tasks, events and fields, and what programs put into events, may hold
 * any bytes.  A terminal obeys the control characters: C0, DEL, and C1, which are
 * two bytes in UTF-8 and one in older encodings.  So those, and all that is no
 * UTF-8, are shown as "\x1b".
 */
#ifndef KT_LIB_BASE_ESCAPE_H
#define KT_LIB_BASE_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

/* What one character becomes at most. */
#define ESCAPE_ROOM 8

/*
 * One character of the @n bytes at @s, stored at @p; returns where that ends, and
 * its bytes in *@length.
 */
char *escape_text_char(char *p, const uint8_t *s, size_t n, size_t *length);
/* For within a JSON string; bytes that are no UTF-8 become U+FFFD. */
char *escape_json_char(char *p, const uint8_t *s, size_t n, size_t *length);

/* All of @s: to be freed; NULL: out of memory. */
char *escape_text(const char *s);
char *escape_json(const char *s);

#endif /* KT_LIB_BASE_ESCAPE_H */
