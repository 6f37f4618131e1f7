/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What call frame information says of one place, and the rule that it becomes in an unwind
 * table (core/unwind_table.h).
 */
#ifndef KT_LIB_SYMBOL_FRAME_RULE_H
#define KT_LIB_SYMBOL_FRAME_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A DWARF expression: a program for a stack machine. */
struct frame_expression {
	const uint8_t *bytes;
	size_t size;
};

/* Where a register of the caller is. */
struct frame_place {
	enum {
		FRAME_SAME,	 /* where it was: it is not changed */
		FRAME_STORED,	 /* at the CFA plus @offset */
		FRAME_STORED_BY, /* at the address that @expression computes */
		FRAME_IN_REGISTER, /* in the register number @offset */
		FRAME_UNDEFINED,
		FRAME_OTHER,
	} how;
	int64_t offset;
	struct frame_expression expression;
};

struct frame_state {
	/* The CFA is computed by @cfa, or else it is @base plus @offset. */
	struct frame_expression cfa;
	uint64_t base;
	int64_t offset;
	/* rsp is the CFA if it is FRAME_SAME. */
	struct frame_place rbx, rbp, rsp, rip;
};

/* DWARF's numbers of registers. */
enum {
	FRAME_RBX = 3,
	FRAME_RBP = 6,
	FRAME_RSP = 7,
	FRAME_RIP = 16,
};

/* @signal: what was interrupted has called nobody. */
uint64_t frame_rule(const struct frame_state *state, bool signal);

#endif /* KT_LIB_SYMBOL_FRAME_RULE_H */
