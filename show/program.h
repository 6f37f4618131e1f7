/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How the fields of an event become text.
 *
 * What a type says of its fields is worked out once: its program is an array of
 * small steps, each with the text in front of the value ready to be copied.
 * Running it is one switch per field.  Two dialects share all of this:
 *
 *	text	 prev_comm=dbench prev_pid=812 prev_state=S
 *	JSON	"prev_comm":"dbench","prev_pid":812,"prev_state":"S"
 *
 * Fixed fields are read without a check: the reader vouches that a payload is
 * at least as large as its type's fixed part, and that the fields lie in it.
 */
#ifndef KT_SHOW_PROGRAM_H
#define KT_SHOW_PROGRAM_H

#include <ktrace/trace.h>

#include "output.h"

struct program;

struct programs {
	struct ktrace *trace;
	bool json;
	struct program **by_id;
	uint32_t nr_ids;
};

void programs_init(struct programs *programs, struct ktrace *trace, bool json);
void programs_destroy(struct programs *programs);

/*
 * sched:sched_switch: prev_comm=dbench …
 * "event":"sched:sched_switch","fields":{"prev_comm":"dbench",…
 */
int programs_run(struct programs *programs, struct output *output,
		 const struct ktrace_event *event);

/* In text: quoted if needed, so that a reader sees where it ends. */
void text_string(struct output *output, const uint8_t *s, size_t n);
/* A JSON string, quotes included. */
void json_string(struct output *output, const uint8_t *s, size_t n);

#endif /* KT_SHOW_PROGRAM_H */
