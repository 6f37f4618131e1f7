/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The names of a trace's files; ktrace_file_kind() parses them. */
#ifndef KT_LIB_READ_NAMES_H
#define KT_LIB_READ_NAMES_H

#include <ktrace/trace.h>

#define FILE_NAME_MAX 32

/* @number: of the stream. */
void file_name(enum ktrace_file file, uint32_t number,
	       char name[FILE_NAME_MAX]);
/* As ktrace_remove_files(), but does not change ktrace_last_error(). */
int files_remove(int directory);
/* Is there no file at all in the open directory? */
bool directory_empty(int directory);

#endif /* KT_LIB_READ_NAMES_H */
