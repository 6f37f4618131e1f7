/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From the kernel's description of events to types.  format.c reads fields and
 * sizes; print_format.c learns from the print format how values are meant to be shown.
 * Both run when a trace is recorded: its readers find all of it in the trace.
 */
#ifndef KT_LIB_KERNEL_FORMAT_H
#define KT_LIB_KERNEL_FORMAT_H

#include "btf.h"
#include "type/type.h"

struct tep_handle;

/* As ktrace_types_parse(), of a kernel whose enums, if not NULL, are these. */
int types_parse(const char *info, size_t size, struct enums *enums,
		struct ktrace_types **types);

/*
 * Likewise, but descriptions of system calls are kept as they are until somebody asks for
 * the type: there are some 1500, of which a program uses fifty.  Changes @info; @enums
 * must be there as long as the types.
 */
int types_parse_late(char *info, size_t size, struct enums *enums,
		     struct ktrace_types **types);

/* Replaces names of constants in a print format by their values. */
char *print_resolve(const char *print, struct enums *enums,
		    struct arena *arena);

/*
 * Sets base, kind and names of @fields (the type's own) as the print format
 * has them.  A format that cannot be understood changes nothing.
 */
void print_apply(struct tep_handle *tep, const struct ktrace_type *type,
		 struct ktrace_field *fields, struct arena *arena);

struct tep_handle *print_open(void);
void print_close(struct tep_handle *tep);

#endif /* KT_LIB_KERNEL_FORMAT_H */
