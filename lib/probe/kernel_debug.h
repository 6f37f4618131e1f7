/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The debugging information of the running kernel and of its modules, for probes.
 *
 * That of a kernel has hundreds of megabytes, so it is opened only for what nothing else tells:
 * lines, functions that were inlined, and variables that are no parameters where a function begins.
 */
#ifndef KT_LIB_PROBE_KERNEL_DEBUG_H
#define KT_LIB_PROBE_KERNEL_DEBUG_H

#include "place.h"
#include "session/prototype.h"

struct kernel_debug;

/* Set all but the list, which is NULL.  What it has must stay. */
struct kernel_debugs {
	struct ktrace_session *session;
	struct prototypes *prototypes;
	const char *symbols; /* session_symbols() */
	struct kernel_debug *list;
};

/* Before the prototypes go. */
void kernel_debugs_close(struct kernel_debugs *codes);

/*
 * Calls @use with each place of a line, or of a function that is missing among the symbols: it may
 * have been put into others.  Of several places, those are left out at which no probe can be.
 * -ENOENT: there is none; -ENODATA: there is no debugging information; others, or what @use has
 * returned.  With a message.
 */
int kernel_debug_places(struct kernel_debugs *codes, const struct place *wanted,
			int (*use)(const struct place *place, void *data),
			void *data);

/* Gives a place that was found by symbols its code.  -ENODATA and others, with a message. */
int kernel_debug_take(struct kernel_debugs *codes, struct place *place);

#endif /* KT_LIB_PROBE_KERNEL_DEBUG_H */
