/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* --follow: a trace is read as it grows, also if the recording goes on in further parts. */
#ifndef KT_CMD_COMMON_FOLLOW_H
#define KT_CMD_COMMON_FOLLOW_H

#include <stdbool.h>

#include "query.h"

/*
 * As query_run(), until the recording ends or Ctrl-C: @use is called for the trace, and then for each part in
 * which the recording goes on.  Returns an exit status.
 */
int follow_run(struct query *q, const char *path,
	       int (*use)(void *data, struct ktrace *trace,
			  struct ktrace_cursor_options *options),
	       void *data);
/* Has the user pressed Ctrl-C?  As ktrace_cursor_options.stop. */
bool follow_is_over(void *data);

#endif /* KT_CMD_COMMON_FOLLOW_H */
