/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Patterns that select events and markers.
 *
 * The kernel, programs and the command read the same patterns, which must mean the same to
 * all of them.  So there is one matcher, which depends on no locale.
 *
 * Wildcards are those of the shell, over bytes:
 *
 *	*		any number of characters; slashes and colons, too
 *	?		one character
 *	[abc0-9]	one of these; [!...] and [^...]: one that is none of these
 *	[[:digit:]]	one of a class of characters
 *	\c		the character c
 *
 * A `[' without its `]' means itself.  A pattern has to match the whole text.  The time
 * it takes is at most proportional to the product of both lengths.
 */
#ifndef KT_CORE_PATTERN_H
#define KT_CORE_PATTERN_H

#include "env.h"

bool kt_glob_match(const char *pattern, const char *text);

/*
 * Events: SYSTEM:NAME.  Both parts are matched separately.  Without a colon, the pattern
 * matches the name of a system or of an event.
 */
bool kt_event_match(const char *pattern, const char *system, const char *name);

/* A place in a program or in a kernel module. */
struct kt_marker_name {
	const char
		*system; /* the program's or library's file name; the module */
	const char *name;
	const char *file;
	const char *function;
	u32 order; /* of the markers in its function, from 1 */
};

/*
 * Markers: NAME, SYSTEM:NAME, FILE, FILE:FUNCTION or FILE:FUNCTION:ORDER.  A wildcard
 * may match beyond a colon.
 */
bool kt_marker_match(const char *pattern, const struct kt_marker_name *name);

#endif /* KT_CORE_PATTERN_H */
