/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What an entry of a recorder's table (marker/hub.h) says of a marker.
 * Programs may write anything there, at any time.
 */
#ifndef KT_LIB_MARKER_ENTRY_H
#define KT_LIB_MARKER_ENTRY_H

#include <ktrace/types.h>

#include "hub.h"

struct arena;

/* The strings of an entry, in their order; a copy, as the entry may change. */
struct entry_text {
	char room[RECORDER_TEXT + 1];
	const char *system, *name, *format, *file, *function;
};

void entry_text_read(struct entry_text *text,
		     const struct recorder_marker *entry);

/*
 * Makes fields[@nr] of an argument, behind those of the arguments before it.
 * @format is moved behind the argument's name.  -EBADMSG: there is no such
 * argument.
 */
int entry_field(struct ktrace_field *fields, unsigned int nr,
		const struct ktrace_argument *argument, const char **format,
		struct arena *arena);

#endif /* KT_LIB_MARKER_ENTRY_H */
