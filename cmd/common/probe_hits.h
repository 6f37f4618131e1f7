/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What probes were hit in a trace, and what they have missed, as text and as JSON. */
#ifndef KT_CMD_COMMON_PROBE_HITS_H
#define KT_CMD_COMMON_PROBE_HITS_H

#include <stddef.h>

#include <ktrace/trace.h>

/* On standard output: a table, those that have missed most first.  @head: of rows; 0: all. */
void probe_hits_print(const struct ktrace_probe_hits *hits, size_t nr,
		      size_t head);
/* Prints a member of a JSON object. */
void probe_hits_json(const struct ktrace_probe_hits *hits, size_t nr);
/* On standard error: some of those that have missed most. */
void probe_hits_say(const struct ktrace_probe_hits *hits, size_t nr);

#endif /* KT_CMD_COMMON_PROBE_HITS_H */
