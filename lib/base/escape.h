/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Strings of strangers, on their way to a terminal or into JSON.
 *
 * Names of tasks, events and fields, and what programs put into events, may
 * hold any bytes.  A terminal obeys the control characters: C0, DEL, and C1,
 * which are two bytes in UTF-8 and one in older encodings.  So these, and all
 * bytes that are not valid UTF-8, are shown as "\x1b".
 */
#ifndef KT_LIB_BASE_ESCAPE_H
#define KT_LIB_BASE_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes that one character becomes. */
#define ESCAPE_ROOM 8

/*
 * Escapes one character of the @n bytes at @s to @p.  Returns the end of the
 * result, and in *@length the bytes of the character.
 */
char *escape_text_char(char *p, const uint8_t *s, size_t n, size_t *length);
/* The same for a JSON string; bytes that are not valid UTF-8 become U+FFFD. */
char *escape_json_char(char *p, const uint8_t *s, size_t n, size_t *length);

/* All of @s: to be freed; NULL: out of memory. */
char *escape_text(const char *s);
char *escape_json(const char *s);

#endif /* KT_LIB_BASE_ESCAPE_H */
