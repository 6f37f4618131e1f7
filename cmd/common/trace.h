/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Opens the trace of a command. */
#ifndef KT_CMD_COMMON_TRACE_H
#define KT_CMD_COMMON_TRACE_H

#include <stdbool.h>

#include <ktrace/trace.h>

/* "-" means a trace that is read or written as a stream. */
bool is_stream(const char *path);
/*
 * @path NULL: the default; "-": standard input.  Returns an exit status, after
 * a message if it fails.
 */
int trace_open(const char *path, struct ktrace **trace);
/* The same, but a trace that is being recorded grows: ktrace_open_follow(). */
int trace_open_follow(int directory, const char *path, struct ktrace **trace);
/* Prints the trace's warnings; called after all of it was read. */
void trace_complain(struct ktrace *trace);

/* The names of the outputs: "text, json or strace". */
struct format_names {
	char s[512];
};

struct format_names formats_names(bool all);

/* Was some event recorded with who called? */
bool trace_has_stacks(const struct ktrace *trace);
#define TRACE_STACKLESS "no event was recorded with its stack: ktrace record -g"

#endif /* KT_CMD_COMMON_TRACE_H */
