/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KT_KERNEL_TESTMOD_CALLEE_H
#define KT_KERNEL_TESTMOD_CALLEE_H

#include <linux/compiler.h>

struct dentry;

/* Called as it is written, whatever the compiler knows of it. */
#define CALLEE noinline __attribute__((__noipa__))

/* Calls the function callee_same() of the other file. */
int callee_same_other(int number);

/* Calls jump_first(), which jumps to others: -(@number + 2). */
int jump_all(int number);

/* Calls each function of callee_pointed.c, @dentry with one of them; 0 or an error. */
int pointed_all(struct dentry *dentry);

/* Calls each function of callee_typed.c; 0, or -EIO if one returns what it should not. */
int typed_all(void);

#endif
