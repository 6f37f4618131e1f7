/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The trace that a command is about. */
#ifndef KT_CMD_COMMON_TRACE_H
#define KT_CMD_COMMON_TRACE_H

#include <stdbool.h>

#include <ktrace/trace.h>

/* "-": a trace that comes and goes as a stream. */
bool is_stream(const char *path);
/* @path NULL: the usual place; "-": standard input.  Returns an exit status, and says what is wrong. */
int trace_open(const char *path, struct ktrace **trace);
/* Tells what is wrong with it, when all of it was read. */
void trace_complain(struct ktrace *trace);

/* "text, json or strace": what a trace can be turned into. */
struct format_names {
	char s[128];
};

struct format_names formats_names(bool directories);

#endif /* KT_CMD_COMMON_TRACE_H */
