/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The files of programs that a trace mentions, as they are on this machine now. */
#ifndef KT_LIB_ARCHIVE_PROGRAM_H
#define KT_LIB_ARCHIVE_PROGRAM_H

#include "symbol/program_tables.h"

struct mapped_file;

/* The path and build id of a trace's file; -EINVAL: the build id is none.  The path is borrowed. */
int program_of(const struct mapped_file *mapped, struct program_file *file);

/*
 * Opens it.  -ENOENT: it is not as it was; *@why says it in a few words.  -EMFILE or -ENFILE: no
 * more files can be opened.
 */
int program_open(const struct program_file *file, const char **why);
/*
 * Opens the debug file of the open one; @servers may be asked, or NULL.  The same; another -errno:
 * there is none.
 */
int program_debug(const struct program_file *file, int fd,
		  struct debug_server *servers);

#endif /* KT_LIB_ARCHIVE_PROGRAM_H */
