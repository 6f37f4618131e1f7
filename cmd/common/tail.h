/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The last events of a trace. */
#ifndef KT_CMD_COMMON_TAIL_H
#define KT_CMD_COMMON_TAIL_H

#include <stdbool.h>
#include <stdint.h>

#include <ktrace/trace.h>

/*
 * Lets a cursor of these options begin where not much more is than the last @events of those that fit, and
 * says how many of these are to be skipped.  Reads of the trace, which must not be a stream, only what may
 * have them.  Returns an exit status.
 */
int tail_find(struct ktrace *trace, struct ktrace_cursor_options *options,
	      uint64_t events,
	      bool (*fits)(void *data, const struct ktrace_event *event),
	      void *data, uint64_t *skip);

#endif /* KT_CMD_COMMON_TAIL_H */
