/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whole calls with what their arguments point to: captured.c.
 */
#ifndef KT_KERNEL_SOURCE_FUNCTION_CAPTURED_H
#define KT_KERNEL_SOURCE_FUNCTION_CAPTURED_H

struct call;
struct choices;
struct hooks;
struct pt_regs;

/*
 * Before functions of @choices are hooked for the event of whole calls: makes what calls with
 * programs need, if some line has one.  Refuses a program that may put too much.
 */
int captured_prepare(struct hooks *hooks, const struct choices *choices);
/* As kt_rethook_free(); there may be nothing. */
void captured_free(struct hooks *hooks);

/*
 * At a call's entry, as all of call.h: hooks its return for the event of whole calls, and
 * runs the program of its function.  NULL: no node is left, not even one without a program.
 */
struct call *captured_keep(struct hooks *hooks, struct pt_regs *regs,
			   const struct call *plan);

#endif /* KT_KERNEL_SOURCE_FUNCTION_CAPTURED_H */
