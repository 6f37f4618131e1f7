/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The running program as a process whose stacks are walked. */
#ifndef KT_TESTS_UNWIND_SELF_H
#define KT_TESTS_UNWIND_SELF_H

#include <ucontext.h>

#include "walked.h"

/* Makes tables of all that is mapped now.  Aborts if it cannot. */
void self_open(void);
void self_close(void);
/* Memory that has a stack, beside the main thread's. */
void self_add_stack(const void *begin, size_t size);

/* The stack of a place, from getcontext() or a signal. */
void self_walk(const ucontext_t *context, struct walked *stack);

extern struct kt_unwind_space self_space;
extern struct kt_unwind_cache self_cache;

#endif /* KT_TESTS_UNWIND_SELF_H */
