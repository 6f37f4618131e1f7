/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trampolines of ktrace-trampoline.ko: a call from a function's first instruction leads
 * here, and from here to a handler at the function's entry and, if that wants it, to
 * another at its return.
 *
 * This module stays in the kernel once it was used, over updates of all others.  So if
 * something here changes, what it exports gets new names.
 */
#ifndef KT_KERNEL_SOURCE_FUNCTION_TRAMPOLINE_H
#define KT_KERNEL_SOURCE_FUNCTION_TRAMPOLINE_H

#include <linux/types.h>

#define TRAMPOLINES 8

/* What @entered answers. */
enum trampoline_answer {
	TRAMPOLINE_LEAVE,    /* the frame goes; nothing more is called */
	TRAMPOLINE_KEEP,     /* returned is called; kept stays as it is */
	TRAMPOLINE_KEEP_ALL, /* returned_all is called; the whole frame does */
};

/* On the stack of whoever calls the function. */
struct trampoline_frame {
	u64 more[9];	  /* for the handlers */
	u64 arguments[6]; /* registers */
	u64 kept[2];	  /* for the handlers */
	u64 trampoline;	  /* which */
	/* What the function's first instruction has called us from: ftrace's place there. */
	unsigned long behind;
	unsigned long caller; /* where the function returns to */
};

/* All run with preemption on.  @result: the register of results. */
struct trampoline_handlers {
	unsigned long (*entered)(struct trampoline_frame *frame);
	void (*returned)(struct trampoline_frame *frame, u64 result);
	void (*returned_all)(struct trampoline_frame *frame, u64 result);
};

/* For the ftrace_ops that owns trampoline @i; 0: there are none in this kernel. */
unsigned long kt_trampoline_address(unsigned int i);

/* From now on the trampolines call these, and this module stays. */
void kt_trampoline_use(const struct trampoline_handlers *handlers);
/*
 * From now on they call nothing, and nobody is in what they have called.  Calls that are
 * open will return unseen.
 */
void kt_trampoline_leave(void);

/* A number that nobody has got before. */
u64 kt_trampoline_serial(void);

#endif /* KT_KERNEL_SOURCE_FUNCTION_TRAMPOLINE_H */
