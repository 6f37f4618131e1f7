/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the kernel's print formats say about values; see print_format.c. */
#ifndef KT_LIB_KERNEL_PRINT_FORMAT_H
#define KT_LIB_KERNEL_PRINT_FORMAT_H

#include "base/arena.h"
#include "btf.h"

struct tep_handle;

/* Replaces names of constants in a print format by their values. */
char *print_resolve(const char *print, struct enums *enums,
		    struct arena *arena);

/*
 * Sets base, kind and names of @fields (the type's own) from the print format.
 * A format that cannot be parsed changes nothing.
 */
void print_apply(struct tep_handle *tep, const struct ktrace_type *type,
		 struct ktrace_field *fields, struct arena *arena);

struct tep_handle *print_open(void);
void print_close(struct tep_handle *tep);

#endif /* KT_LIB_KERNEL_PRINT_FORMAT_H */
