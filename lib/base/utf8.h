/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* UTF-8, and the characters that must never reach a terminal. */
#ifndef KT_LIB_BASE_UTF8_H
#define KT_LIB_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_MAX 4 /* bytes of a sequence */

/*
 * The length of the sequence at @s; 0 if the @n bytes do not begin with a valid
 * one.
 */
size_t utf8_length(const uint8_t *s, size_t n);

/*
 * Is this valid sequence a control character: C0, DEL or C1 (two bytes in
 * UTF-8)?
 */
bool utf8_is_control(const uint8_t *s);

#endif /* KT_LIB_BASE_UTF8_H */
