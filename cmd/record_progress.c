// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The line that shows how a recording goes on. */
#include <stdio.h>

#include "base/now.h"
#include "cmd.h"
#include "common/value.h"
#include "record.h"

void record_progress_show(struct record *r)
{
	struct ktrace_recording_status s;
	uint64_t now = now_ns();
	double seconds = (now - r->shown) / 1e9;
	uint64_t lost = 0, bytes;

	if (!r->progress)
		return;
	ktrace_recording_status(r->recording, &s);
	bytes = s.bytes + s.buffered;
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		if (i != KTRACE_LOST_TASK &&
		    !(r->overwrite && i == KTRACE_LOST_OVERWRITTEN))
			lost += s.lost[i];
	fprintf(stderr, "\r\033[K%s  %s events  %sB  %sB/s  lost %s%s",
		duration_text(now - r->began).s, rough_text(s.recorded).s,
		rough_text(bytes).s,
		rough_text(bytes > r->shown_bytes
				   ? (bytes - r->shown_bytes) / seconds
				   : 0)
			.s,
		count_text(lost).s,
		r->command ? "" : "  (Ctrl-C ends the recording)");
	fflush(stderr);
	r->shown = now;
	r->shown_bytes = bytes;
}

void record_progress_clear(struct record *r)
{
	if (r->progress)
		fputs("\r\033[K", stderr);
}
