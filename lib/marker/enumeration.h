/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Finds the enumerations among the arguments of markers, in the debug
 * information of files.
 */
#ifndef KT_LIB_MARKER_ENUMERATION_H
#define KT_LIB_MARKER_ENUMERATION_H

#include <ktrace/types.h>

#include "hub.h"

struct arena;
struct enum_file;

/* Files with markers.  A file is read when it is first needed. */
struct enum_files {
	struct enum_file *first;
};

/* Adds a program or library. */
void enum_files_add(struct enum_files *files, const char *path);
/*
 * Adds a place of a kernel module's marker, which is needed to find its
 * variable.  The module's file is searched when needed.  Places of one event
 * have the same @id.
 */
void enum_files_add_place(struct enum_files *files, const char *module, u64 id,
			  const struct kt_marker_name *name, u32 line);
void enum_files_destroy(struct enum_files *files);
/* Is there a file of this name, without its folders? */
bool enum_files_has(const struct enum_files *files, const char *system);
/*
 * If argument @number (from 0) of the marker @id in a file called @system is an
 * enumeration, sets the names of @field, from the arena, and its type.
 */
void enum_files_name(struct enum_files *files, const char *system, u64 id,
		     unsigned int number, struct ktrace_field *field,
		     struct arena *arena);

#endif /* KT_LIB_MARKER_ENUMERATION_H */
