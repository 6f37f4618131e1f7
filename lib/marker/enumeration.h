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

/* Files with markers; nothing of them is read before it is needed. */
struct enum_files {
	struct enum_file *first;
};

/* A program or library. */
void enum_files_add(struct enum_files *files, const char *path);
/*
 * A place of a kernel module's marker, by which its variable is found.  The
 * module's file is searched; places of one event have one @id.
 */
void enum_files_add_place(struct enum_files *files, const char *module, u64 id,
			  const struct kt_marker_name *name, u32 line);
void enum_files_destroy(struct enum_files *files);
/* Is there one of this name, without its folders? */
bool enum_files_has(const struct enum_files *files, const char *system);
/*
 * If argument @number (from 0 on) of the marker @id in a file called @system is an
 * enumeration: gives @field its names, from the arena, and its type.
 */
void enum_files_name(struct enum_files *files, const char *system, u64 id,
		     unsigned int number, struct ktrace_field *field,
		     struct arena *arena);

#endif /* KT_LIB_MARKER_ENUMERATION_H */
