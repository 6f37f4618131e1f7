/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels for who looks at programs. */
#ifndef KT_KERNEL_COMPAT_PROGRAM_H
#define KT_KERNEL_COMPAT_PROGRAM_H

#include <linux/sched.h>

/* Threads of the kernel that work for a program have its memory, but no registers of it. */
#ifdef PF_USER_WORKER
#define KT_PF_NO_PROGRAM (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define KT_PF_NO_PROGRAM (PF_KTHREAD | PF_IO_WORKER)
#endif

#endif /* KT_KERNEL_COMPAT_PROGRAM_H */
