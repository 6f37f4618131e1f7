/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the plugins write: an array of one of these, in the order of execution. */
#ifndef KT_TESTS_EMULATOR_LOG_H
#define KT_TESTS_EMULATOR_LOG_H

#include <stdint.h>

#define LOG_REGISTERS 6 /* rdi rsi rdx rcx r8 r9 */

enum {
	LOG_KNOWN = 1 << 0, /* the registers are those of the call */
	LOG_HOOK = 1 << 1,  /* it came while a hook was running */
};

/* plugin.c; compare.c reads it. */
struct log_call {
	uint64_t address; /* of the function */
	uint64_t rsp;
	uint64_t registers[LOG_REGISTERS];
	uint64_t flags;
};

/* instructions.c; branches.pl reads it. */
struct log_instruction {
	uint64_t address;
	uint64_t
		thread; /* another one in each thread of a process, but 0 in the first one at first */
};

#endif /* KT_TESTS_EMULATOR_LOG_H */
