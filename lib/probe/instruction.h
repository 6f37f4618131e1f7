/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where the instructions of a program begin. */
#ifndef KT_LIB_PROBE_INSTRUCTION_H
#define KT_LIB_PROBE_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No instruction of x86 is longer. */
#define INSTRUCTION_MAX 15

/* Can the others be used?  False: the library that knows instructions is missing. */
bool instructions_known(void);

/* One that was read: what it does to where the code goes on. */
struct instruction {
	uint8_t length;
	bool is_code; /* false: nobody knows these bytes; @length is 1 then, as in objdump */
	bool is_call;
	bool is_jump; /* with a condition or without */
	bool is_return;
	bool is_notrack; /* compilers mark jumps by a table of the function so, if they mark any */
	bool is_indirect; /* the call or jump goes where a register or memory says */
	bool is_fixed; /* it cannot run elsewhere: it depends on where it is, or interrupts */
	bool has_target;
	uint64_t
		target; /* of a call or jump, or what it names relative to itself */
	char text[128]; /* in AT&T's notation */
};

/*
 * Reads the first one, which is at the @address.  @text: false leaves that empty, and is faster.
 * @size must not be 0.
 */
void instruction_read(const uint8_t *code, size_t size, bool is_32,
		      uint64_t address, bool text, struct instruction *in);

/* Of the first one, in bytes; 0: it is none.  *@returns: it ends its function. */
size_t instruction_length(const uint8_t *code, size_t size, bool is_32,
			  bool *returns);

/*
 * @code: instructions that follow each other, from the first one on.  Does one begin @at bytes behind
 * that?  Otherwise, the one before begins at *@before, and ends at *@behind; if it is none, that is
 * 0.  @size must be INSTRUCTION_MAX more than @at, unless the code ends.
 */
bool instruction_begins(const uint8_t *code, size_t size, bool is_32, size_t at,
			size_t *before, size_t *behind);

/*
 * Would the kernel have a uprobe on the first one?  It has none on those of AVX-512, on some of AVX,
 * on those with a lock or an old segment, and on those that need a privilege
 * (arch/x86/kernel/uprobes.c).
 */
bool instruction_is_probed(const uint8_t *code, size_t size, bool is_32);

#endif /* KT_LIB_PROBE_INSTRUCTION_H */
