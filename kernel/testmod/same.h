/* SPDX-License-Identifier: GPL-2.0-only */
/* The same markers in a module and in a program: see same.c. */
#ifndef KT_KERNEL_TESTMOD_SAME_H
#define KT_KERNEL_TESTMOD_SAME_H

void same_hit(unsigned int round);

#endif /* KT_KERNEL_TESTMOD_SAME_H */
