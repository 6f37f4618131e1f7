/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the value of a probe's field is, as words of a capture program (core/capture.h) that begin
 * with one register:
 *
 *	REGISTER [NUMBER + | NUMBER - | NUMBER & | NUMBER >> | REGISTER NUMBER * + | @SIZE | swapSIZE] ...
 *
 * REGISTER is one of struct pt_regs: ax, bx, cx, dx, si, di, bp, sp, r8 .. r15, ip or flags.
 * @SIZE reads 1, 2, 4 or 8 bytes of memory there: of the running program if bit 63 of the address
 * is not set, else of the kernel; in a program, never of the kernel.  So `di 24 + @4' is the number
 * of 4 bytes that stands 24 bytes behind where di points to, and `di si 4 * + @4' the element of an
 * array whose index is in si; NUMBER is 1, 2, 4 or 8 there.
 *
 * swapSIZE is the number whose 2, 4 or 8 bytes are the lowest ones in the other order: networks
 * have the highest first.
 *
 * Instead, the word `unread' is a mask: a bit for each field before it whose memory could not be
 * read, the first lowest.  The value of such a field is 0.
 */
#ifndef KT_KERNEL_SOURCE_FETCH_H
#define KT_KERNEL_SOURCE_FETCH_H

#include <linux/compiler.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include "env.h"

#define FETCH_STEPS_MAX 12

enum fetch_code {
	FETCH_ADD,
	FETCH_AND,
	FETCH_SHIFT,
	FETCH_INDEX,
	FETCH_READ,
	FETCH_SWAP,
};

struct fetch_step {
	u8 code;
	u8 size; /* READ, SWAP: bytes; INDEX: of struct pt_regs, which word */
	u64 value;
};

struct fetch {
	u8 word; /* of struct pt_regs */
	u8 nr_steps;
	bool unread;  /* nothing but the mask */
	bool reads;   /* memory */
	bool program; /* of programs alone */
	bool plain;   /* a register, and the payload has eight bytes there */
	u16 offset;   /* in the payload */
	struct fetch_step steps[FETCH_STEPS_MAX];
};

/* Cuts the text up.  @program: the place is in one.  NULL, or what is wrong. */
const char *fetch_parse(struct fetch *fetch, char *text, bool program);

/* All but a register as it is.  False: memory could not be read, which is at *@value. */
bool fetch_walk(const struct fetch *fetch, const struct pt_regs *regs,
		u64 *value);

/* @number: of the field.  Its bit is added to @unread if memory could not be read. */
static __always_inline u64 fetch_value(const struct fetch *fetch,
				       const struct pt_regs *regs,
				       unsigned int number, u32 *unread)
{
	u64 value;

	if (unlikely(fetch->unread))
		return *unread;
	value = ((const u64 *)regs)[fetch->word];
	if (fetch->nr_steps && unlikely(!fetch_walk(fetch, regs, &value))) {
		*unread |= 1u << number;
		return 0;
	}
	return value;
}

#endif /* KT_KERNEL_SOURCE_FETCH_H */
