/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels for who walks over their symbols. */
#ifndef KT_KERNEL_COMPAT_SYMBOL_H
#define KT_KERNEL_COMPAT_SYMBOL_H

#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
/* It was a part of kernel.h until 6.4. */
#if __has_include(<linux/hex.h>)
#include <linux/hex.h>
#endif

/* A visitor of kallsyms_on_each_symbol(): until 6.3 it gets the symbol's module, too. */
#ifdef KT_HAS_SYMBOL_MODULE
#define KT_SYMBOL_VISITOR(function, data, name, address)              \
	int function(void *data, const char *name, struct module *of, \
		     unsigned long address)
#else
#define KT_SYMBOL_VISITOR(function, data, name, address) \
	int function(void *data, const char *name, unsigned long address)
#endif

/* In front of the visitor, module_kallsyms_on_each_symbol() takes which module since 6.2. */
#ifdef KT_HAS_SYMBOLS_OF
#define KT_ALL_MODULES NULL,
#else
#define KT_ALL_MODULES
#endif

/* What a module has that nobody writes to and that is no code; its notes, for one. */
#ifdef KT_HAS_MODULE_MEMORY
#define kt_module_constants(module)	 ((module)->mem[MOD_RODATA].base)
#define kt_module_constants_size(module) ((module)->mem[MOD_RODATA].size)
#else
#define kt_module_constants(module) \
	((module)->core_layout.base + (module)->core_layout.text_size)
#define kt_module_constants_size(module) \
	((module)->core_layout.ro_size - (module)->core_layout.text_size)
#endif

#endif /* KT_KERNEL_COMPAT_SYMBOL_H */
