/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A family is compiled from one trace header of the kernel.  It is an object with a probe
 * for each event class, and lists of its events and constants.  A probe module consists of
 * some families and module.h, which registers them.
 *
 * The lists are sections of pointers.  The linker joins sections of the same name, so each
 * family marks the begin and the end of its own part with labels.  The assembler's
 * subsections keep the begin label, the entries and the end label in this order, wherever
 * in the family they are written.
 */
#ifndef KT_KERNEL_SOURCE_TRACEPOINT_FAMILY_H
#define KT_KERNEL_SOURCE_TRACEPOINT_FAMILY_H

#include "event/event.h"
#include "event/write.h"
#include "source/tracepoint/tracepoint.h"

struct kt_family {
	struct kt_event *const *events;
	struct kt_event *const *events_end;
	const struct kt_constant *const *constants;
	const struct kt_constant *const *constants_end;
	struct kt_event_set set;
};

#define KT_LIST_LABEL(list, part, label)                        \
	asm(".pushsection .kt_" #list ", " #part ", \"a\"\n"    \
	    "	.balign 8\n"                                    \
	    "kt_" #list "_" #label ":\n"                        \
	    "	.popsection")

#define KT_LIST_DEFINE(list)            \
	KT_LIST_LABEL(list, 0, begin);  \
	KT_LIST_LABEL(list, 2, end)

#define KT_LIST_ADD(list, symbol)                               \
	asm(".pushsection .kt_" #list ", 1, \"a\"\n"            \
	    "	.quad " #symbol "\n"                            \
	    "	.popsection")

#endif /* KT_KERNEL_SOURCE_TRACEPOINT_FAMILY_H */
