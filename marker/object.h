/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Objects (the program and its libraries) that have markers, and what their markers are
 * called.
 *
 * Objects come and go under markers_lock().  Handlers walk the list without it: so one that
 * is removed may be freed only when no handler runs that may have seen it.
 */
#ifndef KT_MARKER_OBJECT_H
#define KT_MARKER_OBJECT_H

#define KTRACE_DISABLED
#include <ktrace/marker.h>

#include "pattern.h"

/* The program or a library, by where its markers begin. */
struct object {
	struct ktrace_marker *const *begin;
	struct ktrace_marker *const *end;
	struct object *next;
	u32 *orders;	    /* of each in its function */
	const char *system; /* its file name, */
	char path[];	    /* of this */
};

/* Signals are blocked in between: handlers of theirs may want it as well. */
void markers_lock(void);
void markers_unlock(void);

/* All that follows needs the lock.  NULL: not there, or no memory for it. */
struct object *object_find(struct ktrace_marker *const *begin);
struct object *object_add(struct ktrace_marker *const *begin,
			  struct ktrace_marker *const *end);
/* Takes it from the list. */
struct object *object_remove(struct ktrace_marker *const *begin);
void object_free(struct object *object);
/* The one behind @object, the first one behind NULL. */
struct object *objects_next(const struct object *object);

struct kt_marker_name object_marker_name(const struct object *object,
					 struct ktrace_marker *const *at);

/* The file name of the object that has it.  Only where handlers run, without the lock. */
const char *marker_system(const struct ktrace_marker *marker);

#endif /* KT_MARKER_OBJECT_H */
