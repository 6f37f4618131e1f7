/* SPDX-License-Identifier: GPL-2.0-only */
/* See symbol.c; kt_symbol() is in event.h, for probe modules. */
#ifndef KT_KERNEL_BASE_SYMBOL_H
#define KT_KERNEL_BASE_SYMBOL_H

void kt_symbol_init(void);

#endif /* KT_KERNEL_BASE_SYMBOL_H */
