/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Who ran on each CPU lately: who ran instead of a thread that waited.
 *
 * The last RUNS_MAX runs of each CPU are kept; and those before, if the user needs them, while all
 * together are fewer than RUNS_TOTAL.
 */
#ifndef KT_CMD_ANALYSE_RUNS_H
#define KT_CMD_ANALYSE_RUNS_H

#include <ktrace/timeline.h>

#include "base/table.h"

#define RUNS_MAX   1024
#define RUNS_TOTAL (1u << 20)
#define COMM_ROOM  24

struct run {
	uint64_t begin;
	uint64_t end;
	uint64_t id;  /* of the thread in its time line */
	uint32_t tid; /* 0: the CPU was idle */
	uint32_t tgid;
	char comm[COMM_ROOM];
};

/* All zero: nobody ran. */
struct runs {
	struct table cpus;
	uint64_t total; /* in memory */
	/* Set by the user: runs that ended later are needed; 0: only the last ones. */
	uint64_t since;
};

/* Copies what fits into @room bytes, which is not 0. */
void text_copy(char *to, size_t room, const char *from);

/* A state KTRACE_STATE_RUNNING, in the order in which a time line tells them.  0 or -ENOMEM. */
int runs_add(struct runs *runs, const struct ktrace_timeline_state *state);
/*
 * Calls @tell with each run between, cut to that time.  *@ns: how long nobody is known to have
 * run.  If @tell does not return 0, ends with that.
 */
int runs_between(const struct runs *runs, uint32_t cpu, uint64_t begin,
		 uint64_t end, int (*tell)(void *data, const struct run *run),
		 void *data, uint64_t *ns);
void runs_free(struct runs *runs);

#endif /* KT_CMD_ANALYSE_RUNS_H */
