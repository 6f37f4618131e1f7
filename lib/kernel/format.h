/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From the kernel's description of events to types: fields and sizes, and (by
 * print_format.h) how values are meant to be shown.  This is done when a trace is
 * recorded: its readers find all of it in the trace.
 */
#ifndef KT_LIB_KERNEL_FORMAT_H
#define KT_LIB_KERNEL_FORMAT_H

#include "btf.h"
#include "type/type.h"

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

#endif /* KT_LIB_KERNEL_FORMAT_H */
