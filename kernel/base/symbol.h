/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds symbols of the kernel: see symbol.c. */
#ifndef KT_KERNEL_BASE_SYMBOL_H
#define KT_KERNEL_BASE_SYMBOL_H

void kt_symbol_init(void);

/*
 * The address of a kernel symbol that is not exported; 0: there is none.  Addresses of
 * functions are for static_call_update() only: with IBT, an indirect call faults.
 */
unsigned long kt_symbol(const char *name);

#endif /* KT_KERNEL_BASE_SYMBOL_H */
