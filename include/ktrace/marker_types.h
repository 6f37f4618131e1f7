/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What is known of a marker: marker.h makes it, libktrace-marker and recorders read
 * it.  Nobody else needs this.
 */
#ifndef KTRACE_MARKER_TYPES_H
#define KTRACE_MARKER_TYPES_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#define KTRACE_STRING_MAX 1024

enum ktrace_argument_kind {
	KTRACE_ARG_END, /* no argument */
	KTRACE_ARG_SIGNED,
	KTRACE_ARG_UNSIGNED,
	KTRACE_ARG_BOOL,
	KTRACE_ARG_FLOAT,
	KTRACE_ARG_POINTER,
	KTRACE_ARG_STRING, /* size: of the array, 0 if there is none */
	KTRACE_ARG_BYTES,
};

struct ktrace_argument {
	uint8_t kind;
	uint8_t reserved;
	uint16_t size;
};

/* Of a program; marker_kernel.h has that of a kernel module. */
#ifndef __KERNEL__
struct ktrace_marker {
	const uint8_t *on; /* which recorders want it, a bit for each */
	const char *name;
	const char *format;
	const char *file;
	const char *function;
	const struct ktrace_argument *arguments;
	uint32_t line;
	uint16_t version;
	uint16_t flags; /* KTRACE_FLAG_ */
	/* The library's own. */
	uint32_t size;	/* of the payload's fixed part */
	uint32_t kinds; /* bit N: there is an argument of kind N */
	uint64_t id;
	uint64_t
		events[8]; /* of each recorder: generation and the event's id */
};
#endif

#define KTRACE_MARKER_VERSION 1
#define KTRACE_FLAG_FORCED    1

#endif /* KTRACE_MARKER_TYPES_H */
