/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's symbols: see symbol.c. */
#ifndef KT_KERNEL_BASE_SYMBOL_H
#define KT_KERNEL_BASE_SYMBOL_H

void kt_symbol_init(void);

/*
 * Address of a kernel symbol that is not exported, 0 if there is none.  Text
 * addresses are for static_call_update() only: calling them indirectly faults
 * where IBT is on.
 */
unsigned long kt_symbol(const char *name);

#endif /* KT_KERNEL_BASE_SYMBOL_H */
