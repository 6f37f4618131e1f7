/* SPDX-License-Identifier: GPL-2.0-only */
/* Hooks by trampolines (trampoline.h): the short way to calls and returns.  See direct.c. */
#ifndef KT_KERNEL_SOURCE_FUNCTION_DIRECT_H
#define KT_KERNEL_SOURCE_FUNCTION_DIRECT_H

#include <linux/types.h>

struct hooks;

void direct_init(void);
/* No session has a trampoline.  Calls may be open. */
void direct_exit(void);

/*
 * A trampoline for the session, unless it has one already: its address.  0: it gets none,
 * and does without.
 */
unsigned long direct_take(struct hooks *hooks);
/* ftrace does not call it any more. */
void direct_give(struct hooks *hooks);
/* From now on calls are open that are not those that were open before. */
void direct_begin(struct hooks *hooks);

/* Does the function with ftrace's place at @ip call a trampoline now? */
bool direct_at(unsigned long ip);

#endif /* KT_KERNEL_SOURCE_FUNCTION_DIRECT_H */
