/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which file a system call is about: recorded by `ktrace record --decode', and -y for descriptors. */
#ifndef KT_CMD_ANALYSE_CALL_FILE_H
#define KT_CMD_ANALYSE_CALL_FILE_H

#include <stdbool.h>

#include <ktrace/trace.h>

/*
 * The path that the call is given, behind that of the directory from which it counts, or that of its first
 * descriptor.  @begin: the event with which the call begins.  Empty: it has none, or none was recorded.
 * The caller frees it.  NULL: out of memory.
 */
char *call_file(const struct ktrace_event *begin);
/* Does a type of events have such paths? */
bool call_files_are_known(const struct ktrace_types *types);

#endif /* KT_CMD_ANALYSE_CALL_FILE_H */
