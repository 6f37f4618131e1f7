/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Files that any user may have chosen, which root reads. */
#ifndef KT_LIB_SYMBOL_PROGRAM_FILE_H
#define KT_LIB_SYMBOL_PROGRAM_FILE_H

#include <errno.h>
#include <stdbool.h>

/* What any user has mapped is read by root: in bytes, no more than this. */
#define PROGRAM_FILE_MAX    (4ll << 30)
#define PROGRAM_SECTION_MAX (512u << 20)

/*
 * Opens it for reading if it is a regular file, and not too large; -1: it is not, or errno says
 * why not.
 */
int program_file_open(const char *path);
/* The same for what was opened with O_PATH, which is closed; -1: nothing was. */
int program_file_reopen(int seen);

/*
 * Is this -errno that of a process that may open no more files?  Then nobody knows whether there
 * is one.
 */
static inline bool too_many_open(int err)
{
	return err == -EMFILE || err == -ENFILE;
}

#endif /* KT_LIB_SYMBOL_PROGRAM_FILE_H */
