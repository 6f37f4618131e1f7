/* SPDX-License-Identifier: GPL-2.0-only */
/* A marker that is enabled in every session: forced.c. */
#ifndef KT_KERNEL_TESTMOD_FORCED_H
#define KT_KERNEL_TESTMOD_FORCED_H

void ktrace_forced_hit(void);

#endif /* KT_KERNEL_TESTMOD_FORCED_H */
