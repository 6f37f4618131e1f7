/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The description of a marker: marker.h makes it, libktrace-marker and
 * recorders read it.  No other code needs this header.
 */
#ifndef KTRACE_MARKER_TYPES_H
#define KTRACE_MARKER_TYPES_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

/*
 * The most bytes of a string, of all strings of a marker, of all its other
 * arguments.
 */
#define KTRACE_STRING_MAX  1024
#define KTRACE_STRINGS_MAX 2048
#define KTRACE_FIXED_MAX   512

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
	/* The library's own: what a record adds to the end of a ring. */
	uint64_t step[2] __attribute__((aligned(16)));
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
	uint32_t
		last; /* its id for the last recorder, and which one that was */
	uint32_t handlers; /* of this process: a bit for each */
	uint64_t id;
	uint64_t
		events[8]; /* of each recorder: generation and the event's id */
};
#endif

#define KTRACE_MARKER_VERSION 1
#define KTRACE_FLAG_FORCED    1

#endif /* KTRACE_MARKER_TYPES_H */
