/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What sources of events have missed, as text and as JSON. */
#ifndef KT_CMD_COMMON_MISSES_H
#define KT_CMD_COMMON_MISSES_H

#include <stdbool.h>
#include <stddef.h>

#include <ktrace/trace.h>

/* A copy that needs nothing of the trace.  NULL: out of memory, or there are none. */
struct ktrace_miss *misses_copy(const struct ktrace_miss *misses, size_t nr);
bool misses_any(const struct ktrace_miss *misses, size_t nr);
/* On standard output: a table. */
void misses_print(const struct ktrace_miss *misses, size_t nr);
/* Prints a member of a JSON object. */
void misses_json(const struct ktrace_miss *misses, size_t nr);
/* On standard error: a line for each. */
void misses_say(const struct ktrace_miss *misses, size_t nr);

#endif /* KT_CMD_COMMON_MISSES_H */
