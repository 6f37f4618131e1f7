/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions can be hooked, and where: see available.c. */
#ifndef KT_KERNEL_SOURCE_FUNCTION_AVAILABLE_H
#define KT_KERNEL_SOURCE_FUNCTION_AVAILABLE_H

#include <linux/module.h>

struct seq_file;

/* What the kernel lacks, NULL: nothing. */
const char *available_init(void);
void available_exit(void);

/*
 * Where the function at @address is hooked; 0: it cannot be.  Variables have symbols, too.
 * @number: of this symbol in a walk over all of them, from 0 on.  Under kt_mutex, unless the
 * symbol is a module's.
 */
unsigned long available_at(u32 number, unsigned long address);

/* A line "NAME MODULE" for each function that can be hooked.  Under kt_mutex. */
int available_list(struct seq_file *m);

#endif /* KT_KERNEL_SOURCE_FUNCTION_AVAILABLE_H */
