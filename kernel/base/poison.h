/* SPDX-License-Identifier: GPL-2.0-only */
/* Filling memory that nobody may read before it is written: see poison.c. */
#ifndef KT_KERNEL_BASE_POISON_H
#define KT_KERNEL_BASE_POISON_H

void kt_poison_init(void);

#endif /* KT_KERNEL_BASE_POISON_H */
