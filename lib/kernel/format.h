/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From the kernel's description of events to types: fields and sizes, and (by
 * print_format.h) how values are meant to be shown.  This is done when a trace
 * is recorded; its readers find the result in the trace.
 */
#ifndef KT_LIB_KERNEL_FORMAT_H
#define KT_LIB_KERNEL_FORMAT_H

#include "btf.h"
#include "type/type.h"

/* Like ktrace_types_parse(), for a kernel with these enums, if not NULL. */
int types_parse(const char *info, size_t size, struct enums *enums,
		struct ktrace_types **types);

/*
 * The same, but descriptions of syscalls stay text until the type is needed:
 * there are some 1500, and a program uses fifty.  Changes @info; @enums must
 * live as long as the types.
 */
int types_parse_late(char *info, size_t size, struct enums *enums,
		     struct ktrace_types **types);

/* How values of a C type are shown, if its name says it; else KTRACE_DEC. */
enum ktrace_base ctype_base(const char *ctype);

#endif /* KT_LIB_KERNEL_FORMAT_H */
