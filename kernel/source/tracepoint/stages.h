/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns a trace header of the kernel into a family.  The header is read several times, each
 * time with other macros:
 *
 *	helpers		the header's own inline functions
 *	constants	names used in print formats
 *	entry		the payload as a struct
 *	sources		where data of varying size comes from, and how much
 *	size		the size of the payload
 *	probe		writes the payload into the ring
 *	description	fields, print formats, and the events themselves
 *
 * The including file is generated.  It defines KT_HEADER (the trace header) and KT_FAMILY
 * (the name of the family), and includes base.h and what the header needs.
 */

#define CREATE_TRACE_POINTS
#include KT_HEADER
#undef CREATE_TRACE_POINTS
#define TRACE_HEADER_MULTI_READ

#include "flavours.h"

#include "stage_constants.h"
#include KT_HEADER
#include "stage_entry.h"
#include KT_HEADER
#include "stage_sources.h"
#include KT_HEADER
#include "stage_size.h"
#include KT_HEADER
#include "stage_probe.h"
#include KT_HEADER
#include "stage_description.h"
#include KT_HEADER

KT_LIST_DEFINE(events);
KT_LIST_DEFINE(constants);

extern struct kt_event *const kt_events_begin[], *const kt_events_end[];
extern const struct kt_constant *const kt_constants_begin[];
extern const struct kt_constant *const kt_constants_end[];

#define KT_FAMILY_SYMBOL(name)	KT_FAMILY_SYMBOL_(name)
#define KT_FAMILY_SYMBOL_(name)	kt_family_##name

extern struct kt_family KT_FAMILY_SYMBOL(KT_FAMILY);
struct kt_family KT_FAMILY_SYMBOL(KT_FAMILY) = {
	.events = kt_events_begin,
	.events_end = kt_events_end,
	.constants = kt_constants_begin,
	.constants_end = kt_constants_end,
};
