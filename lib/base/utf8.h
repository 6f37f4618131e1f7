/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* UTF-8, and the characters that are never shown as they are. */
#ifndef KT_LIB_BASE_UTF8_H
#define KT_LIB_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_MAX 4 /* bytes of a sequence */

/* Bytes of the well-formed sequence at the @n bytes of @s, 0 if there is none. */
size_t utf8_length(const uint8_t *s, size_t n);

/*
 * Does the well-formed sequence mean a control character?  C0, DEL, and C1, which are two
 * bytes in UTF-8.
 */
bool utf8_is_control(const uint8_t *s);

#endif /* KT_LIB_BASE_UTF8_H */
