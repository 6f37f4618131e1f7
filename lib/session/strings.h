/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Texts to which values point: strings.c. */
#ifndef KT_LIB_SESSION_STRINGS_H
#define KT_LIB_SESSION_STRINGS_H

#include <stdbool.h>

#include "base/text.h"

/* Words that append the text, of a program or of the kernel, whose address the words @push push. */
void string_words(struct text *words, const char *push, unsigned int max);

/* Is it a usual name of parameters whose memory need not end with a NUL? */
bool string_is_buffer(const char *name);

#endif /* KT_LIB_SESSION_STRINGS_H */
