/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A library whose functions are looked up by the dynamic linker when they are first called. */
#ifndef KT_TESTS_UNWIND_CALLEE_H
#define KT_TESTS_UNWIND_CALLEE_H

/* Is called while the dynamic linker looks up callee_lazy(), if it is not NULL. */
extern void (*callee_hook)(void);

int callee_lazy(int value);
int callee_stepped(int value);
/* Calls @next from a frame of its own. */
void callee_through(void (*next)(void));

#endif /* KT_TESTS_UNWIND_CALLEE_H */
