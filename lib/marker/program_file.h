/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Reads the markers of a program or library from its file; it need not run. */
#ifndef KT_LIB_MARKER_PROGRAM_FILE_H
#define KT_LIB_MARKER_PROGRAM_FILE_H

#include <stdbool.h>

#include "hub.h"

/*
 * Calls @use for each marker; its argument is valid only during the call.  If
 * @use returns something other than 0, ends and returns that.  0 also if the
 * file has no markers.  -ENOEXEC: it is not a valid program or library for this
 * machine.
 */
int marker_elf_each(const char *path,
		    int (*use)(void *data,
			       const struct marker_description *marker,
			       bool forced),
		    void *data);

/* The same for an open, regular file; @path is its name. */
int marker_elf_each_of(int fd, const char *path,
		       int (*use)(void *data,
				  const struct marker_description *marker,
				  bool forced),
		       void *data);

#endif /* KT_LIB_MARKER_PROGRAM_FILE_H */
