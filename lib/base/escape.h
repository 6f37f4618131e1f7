/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Escapes untrusted strings for a terminal or for JSON.
 *
 * Names of tasks, events and fields, and the data of programs, may hold any
 * bytes. A terminal obeys the control characters: C0, DEL, and C1, which are
 * two bytes in UTF-8 and one in older encodings.  So these, and all bytes that
 * are not valid UTF-8, are shown as "\x1b".
 */
#ifndef KT_LIB_BASE_ESCAPE_H
#define KT_LIB_BASE_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes to which one character is escaped. */
#define ESCAPE_ROOM 8

/*
 * Escapes the first character of the @n bytes at @s to @p.  Returns the end of
 * the result; *@length is set to the size of the character.
 */
char *escape_text_char(char *p, const uint8_t *s, size_t n, size_t *length);
/* The same for a JSON string; bytes that are not valid UTF-8 become U+FFFD. */
char *escape_json_char(char *p, const uint8_t *s, size_t n, size_t *length);

/* Escape a whole string.  The caller frees it.  NULL: out of memory. */
char *escape_text(const char *s);
char *escape_json(const char *s);

#endif /* KT_LIB_BASE_ESCAPE_H */
