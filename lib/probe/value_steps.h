/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The words of a probe's value (kernel/source/probe/README.md) in English. */
#ifndef KT_LIB_PROBE_VALUE_STEPS_H
#define KT_LIB_PROBE_VALUE_STEPS_H

#include "base/text.h"

/* "di 24 + @8" becomes "%di, +0x18, 8 bytes at that address"; what is a number, "always 0x3". */
void value_steps(const char *words, struct text *text);

#endif /* KT_LIB_PROBE_VALUE_STEPS_H */
