/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests: fills memory that nobody may read before it is written.  See poison.c. */
#ifndef KT_KERNEL_BASE_POISON_H
#define KT_KERNEL_BASE_POISON_H

void kt_poison_init(void);

#endif /* KT_KERNEL_BASE_POISON_H */
