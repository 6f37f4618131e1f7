/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Probes: functions of a kernel module that are called when another module's markers
 * are hit, and get their arguments.
 *
 *	static void submitted(struct ktrace_marker_probe *probe,
 *			      const struct ktrace_marker *marker,
 *			      const u64 *values)
 *	{
 *		depth_sum += values[1];
 *	}
 *
 *	static struct ktrace_marker_probe probe = {
 *		.pattern = "queue:submit",
 *		.hit = submitted,
 *	};
 *
 *	err = ktrace_marker_probe_register(&probe);
 *
 * The marked module may come and go before and after that.  marker->arguments
 * describes the values; the last one is of kind KTRACE_ARG_END.  Each has a
 * kind, and numbers have a size.  Signed numbers are extended to 64 bits.  For
 * pointers, strings and arrays the value is an address in kernel memory, which
 * may be used until the function returns.  The address of a string may be NULL,
 * or invalid if the marker's author passed such a pointer.
 *
 * The function is called at the marker: it may be interrupted by itself, in a
 * softirq, an interrupt or an NMI.  It must not sleep, and must not hit the
 * markers that it probes.
 *
 * The module needs ktrace.ko, and its Module.symvers to be built
 * (KBUILD_EXTRA_SYMBOLS).
 */
#ifndef KTRACE_MARKER_PROBE_H
#define KTRACE_MARKER_PROBE_H

#include <linux/list.h>

#include <ktrace/marker.h>

struct ktrace_marker_probe {
	const char *pattern; /* as of ktrace record -M */
	void (*hit)(struct ktrace_marker_probe *probe,
		    const struct ktrace_marker *marker, const u64 *values);
	void *data;	       /* its owner's */
	struct list_head node; /* ktrace's own */
};

/* May sleep.  -EINVAL: it has no pattern or function; -EBUSY: it is registered. */
int ktrace_marker_probe_register(struct ktrace_marker_probe *probe);
/*
 * May sleep.  After it has returned the function does not run anywhere any
 * more.
 */
void ktrace_marker_probe_unregister(struct ktrace_marker_probe *probe);

#endif /* KTRACE_MARKER_PROBE_H */
