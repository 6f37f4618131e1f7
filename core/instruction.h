/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How long an x86 instruction is, and which way it goes.
 *
 * Source of the encodings: Intel's Software Developer's Manual, volume 2, appendix A (opcode maps)
 * and sections 2.1 to 2.8 (prefixes, VEX, EVEX); for XOP, AMD's Programmer's Manual, volume 6.
 */
#ifndef KT_CORE_INSTRUCTION_H
#define KT_CORE_INSTRUCTION_H

#include <ktrace_branch.h>

#include "env.h"

#define KT_INSTRUCTION_MAX 15 /* bytes; a longer one faults */

/* What an instruction does besides, that matters to who follows the program step by step. */
enum kt_instruction_effect {
	KT_EFFECT_NONE,
	KT_EFFECT_PUSHES_FLAGS,
	KT_EFFECT_LOADS_FLAGS, /* popf; also iret, which is a KT_BRANCH_RETURN */
	KT_EFFECT_LOADS_SS,    /* the processor does not stop behind it */
};

struct kt_instruction {
	u8 length;
	u8 kind;   /* enum kt_branch_kind, up to KT_BRANCH_SYSCALL */
	u8 effect; /* enum kt_instruction_effect */
	u8 size;   /* bytes that a push or a pop moves */
	/*
	 * If it is a conditional jump: 0 to 15: the condition of the processor's encoding; 16 to 19:
	 * loopne, loope, loop, jcxz.
	 */
	u8 condition;
	u8 address_size; /* of loop and jcxz: how much of rcx counts, in bytes */
	bool direct;	 /* it goes to `offset' behind its end */
	bool fast_call;	 /* syscall or sysenter, not an interrupt */
	s64 offset;
};

/*
 * Decodes the instruction at @bytes.  @narrow: of a program of 32 bits.  False: @size bytes are not
 * all of it, or it is none.
 */
bool kt_instruction_decode(struct kt_instruction *instruction, const u8 *bytes,
			   u32 size, bool narrow);

/* Was a conditional jump taken?  @flags and @cx are rflags and rcx after it. */
bool kt_instruction_taken(const struct kt_instruction *instruction, u64 flags,
			  u64 cx);

#endif /* KT_CORE_INSTRUCTION_H */
