/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The instructions of call frame information. */
#ifndef KT_LIB_SYMBOL_FRAME_PROGRAM_H
#define KT_LIB_SYMBOL_FRAME_PROGRAM_H

#include "dwarf_reader.h"
#include "frame_rule.h"

struct unwind_rows;

/* What the functions of a CIE share. */
struct frame_common {
	uint64_t code_factor;
	int64_t data_factor;
	bool signal;
	struct frame_state initial;
};

/* Runs a CIE's instructions.  False: they make no sense. */
bool frame_program_begin(struct frame_common *common,
			 struct dwarf_reader program);

/*
 * Runs the instructions of a function from @begin to @end, and adds a row for each place where
 * the rule changes.  0 or -errno.
 */
int frame_program_run(const struct frame_common *common,
		      struct dwarf_reader program, uint64_t begin, uint64_t end,
		      struct unwind_rows *rows);

#endif /* KT_LIB_SYMBOL_FRAME_PROGRAM_H */
