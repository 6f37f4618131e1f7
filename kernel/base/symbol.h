/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds symbols of the kernel: see symbol.c. */
#ifndef KT_KERNEL_BASE_SYMBOL_H
#define KT_KERNEL_BASE_SYMBOL_H

#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/types.h>

struct cred;

/* A piece of code. */
struct kt_code {
	unsigned long begin;
	unsigned long size;
};

void kt_symbol_init(void);

/*
 * The address of a kernel symbol that is not exported; 0: there is none.  Addresses of
 * functions are for static_call_update() only: with IBT, an indirect call faults.
 */
unsigned long kt_symbol(const char *name);

/* How long the function is that begins at @address; 0: not known. */
unsigned long kt_symbol_size(unsigned long address);

/* Can the next two answer? */
bool kt_symbols_placed(void);
/* Is it code of the kernel's image, but for what is gone since the boot? */
bool kt_symbol_in_image(unsigned long address);
/* The module whose memory it is; "": none.  NULL: it is in the image, and @name is unchanged. */
const char *kt_symbol_module(unsigned long address, char name[MODULE_NAME_LEN]);

/*
 * Visits the symbols of the kernel, unless @modules, and those of modules.  The visitor
 * may sleep; it must not load or unload modules.  -EOPNOTSUPP: they cannot be had.
 */
int kt_symbols_each(void (*visit)(void *data, const char *name,
				  unsigned long address),
		    void *data, bool modules);

struct kt_symbol {
	unsigned long address;
	const char *name;
	const char *module; /* as /proc/kallsyms calls it */
};

/*
 * Visits the functions that come and go while the kernel runs: all but those of the
 * kernel's image.  The visitor must not sleep.  Under kt_mutex.  -EOPNOTSUPP: they cannot
 * be had.
 */
int kt_symbols_moving(void (*visit)(void *data, const struct kt_symbol *symbol),
		      void *data);
/* Does /proc/kallsyms show addresses to this one?  Under kt_mutex. */
bool kt_symbols_shown(const struct cred *cred);

#endif /* KT_KERNEL_BASE_SYMBOL_H */
