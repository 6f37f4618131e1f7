/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Reads an entry of a recorder's table (marker/hub.h), which describes a
 * marker. Programs may write anything there, at any time.
 */
#ifndef KT_LIB_MARKER_ENTRY_H
#define KT_LIB_MARKER_ENTRY_H

#include <ktrace/types.h>

#include "hub.h"

struct arena;

/* The strings of an entry, copied because the entry may change. */
struct entry_text {
	char room[RECORDER_TEXT + 1];
	const char *system, *name, *format, *file, *function;
};

void entry_text_read(struct entry_text *text,
		     const struct recorder_marker *entry);

/*
 * Makes fields[@nr] for an argument; the fields of earlier arguments must be
 * there. @format is moved to the text after the argument's name.  -EBADMSG: the
 * argument is not valid.
 */
int entry_field(struct ktrace_field *fields, unsigned int nr,
		const struct ktrace_argument *argument, const char **format,
		struct arena *arena);

#endif /* KT_LIB_MARKER_ENTRY_H */
