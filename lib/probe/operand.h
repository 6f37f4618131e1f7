/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Arguments of USDT probes, as their notes tell them: "[SIZE@]OPERAND ...", with operands of the GNU
 * assembler for x86.  A negative SIZE: a number with a sign.
 */
#ifndef KT_LIB_PROBE_OPERAND_H
#define KT_LIB_PROBE_OPERAND_H

#include <stdbool.h>

#include "base/text.h"

struct operand {
	unsigned int size; /* bytes */
	bool is_signed;
};

/* How many arguments there are. */
unsigned int operands_count(const char *arguments);
/*
 * Words that push the @index-th, from 0 on (kernel/source/probe/fetch.h).  -EINVAL, with a message:
 * it is none, or is where a probe cannot read it.
 */
int operand_words(const char *arguments, unsigned int index,
		  struct operand *operand, struct text *words);

#endif /* KT_LIB_PROBE_OPERAND_H */
