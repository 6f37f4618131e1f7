/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How the frames of stacks are shown. */
#ifndef KT_SHOW_STACK_H
#define KT_SHOW_STACK_H

#include <ktrace/trace.h>

#include "output.h"

/* Bits.  0: vfs_read+0x4a [module] */
enum frame_form {
	FRAME_NAME = 1,	   /* vfs_read */
	FRAME_MANGLED = 2, /* functions of programs as their files call them */
	FRAME_WHOLE = 4,   /* without the functions that were put into them */
};

/*
 * A stack is shown in parts, innermost first: its frames and, before each, the functions that the
 * compiler has put into it.
 */
struct stack_part {
	uint32_t index;	    /* of the frame */
	uint32_t nr, parts; /* of the frame's parts; the last one is itself */
	bool inlined;	    /* it is not the frame itself */
	struct ktrace_stack_frame place; /* if the stack is a program's */
};

/* Goes to the next part; all zero: to the first one.  False: there are no more. */
bool stack_part_next(const struct ktrace *trace,
		     const struct ktrace_stack *stack, unsigned int form,
		     struct stack_part *part);
/*
 * Of a stack of any kind: function+0x4a (file) at source.c:12 [guess], or function [inlined]
 * (file) at source.h:3.  An address without a name is shown as 0xffffffff81234567.
 */
void stack_part_put(struct output *output, const struct ktrace *trace,
		    const struct ktrace_stack *stack,
		    const struct stack_part *part, unsigned int form);
/*
 * The same as perf script has it: "7f1234 function+0x4a (/usr/bin/ed)".  Of a program, the
 * address is that in the file.
 */
void stack_part_perf(struct output *output, const struct ktrace *trace,
		     const struct ktrace_stack *stack,
		     const struct stack_part *part, unsigned int form);
/*
 * What stands for the frames that are not known, where stacks are merged: "[truncated]".  NULL:
 * the stack has all frames, as far as is known.
 */
const char *stack_end_name(enum ktrace_stack_end end);
/* Is this field the id of the event's stack, or branches?  People are shown the frames instead. */
bool stack_field(const struct ktrace_type *type,
		 const struct ktrace_field *field);
/* All frames behind the event in its line: " <- vfs_read <- ksys_read". */
void stack_in_line(struct output *output, const struct ktrace *trace,
		   const struct ktrace_stack *stack, unsigned int form);
/* A line for each frame, and one for why there are no more if that matters. */
void stack_lines(struct output *output, const struct ktrace *trace,
		 const struct ktrace_stack *stack, unsigned int form);

/* A branch of those that ktrace_event_branches() gives: "call main+0x16 (a) at a.c:3 → parse+0x0 (a) at a.c:9". */
void branch_put(struct output *output, const struct ktrace *trace,
		const struct ktrace_stack *places, uint32_t branch,
		unsigned int form);
/* One end of it; @index: of the places. */
void branch_place_put(struct output *output, const struct ktrace *trace,
		      const struct ktrace_stack *places, uint32_t index,
		      unsigned int form);
/* An event that is a branch: "branch:call:", and in the place of its fields, "main+0x10 → f+0x0". */
void branch_name_put(struct output *output, const struct ktrace_event *event);
void branch_event_put(struct output *output, const struct ktrace *trace,
		      const struct ktrace_event *event, unsigned int form);
/* Why there are none, in a few words; NULL: there is nothing to say. */
const char *branches_end_text(const struct ktrace_stack *places);
/* A line for each. */
void branch_lines(struct output *output, const struct ktrace *trace,
		  const struct ktrace_stack *places, unsigned int form);

#endif /* KT_SHOW_STACK_H */
