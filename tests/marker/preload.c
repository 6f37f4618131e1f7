// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A preloaded library with a probe on all markers of the program; see handlers. */
#include <stdio.h>

#define KTRACE_DISABLED
#include <ktrace/marker.h>

static unsigned long long hits;

static void on_hit(struct ktrace_marker_probe *probe,
		   const struct ktrace_marker *marker, const uint64_t *values)
{
	(void)probe;
	(void)marker;
	(void)values;
	__atomic_add_fetch(&hits, 1, __ATOMIC_RELAXED);
}

static struct ktrace_marker_probe probe = {.pattern = "*", .hit = on_hit};

static __attribute__((constructor)) void preload_begin(void)
{
	ktrace_marker_probe_register(&probe);
}

static __attribute__((destructor)) void preload_end(void)
{
	fprintf(stderr, "preload: %llu hits\n", hits);
}
