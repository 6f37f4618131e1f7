/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Counts the events of a trace. */
#ifndef KT_CMD_COMMON_COUNT_H
#define KT_CMD_COMMON_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/trace.h>

struct count_type {
	const struct ktrace_type *type;
	uint64_t events;
	uint64_t bytes; /* of payloads */
};

struct count_cpu {
	uint32_t cpu;
	uint64_t events;
	uint64_t bytes;
	uint64_t lost
		[KTRACE_LOST_NR]; /* in all its streams; see count_losses() */
	/*
	 * From packets (told) and from the recorder (known).  [1]: streams of
	 * programs.
	 */
	uint64_t told[2][KTRACE_LOST_NR];
	uint64_t known[2][KTRACE_LOST_NR];
	bool is_known[2];
};

struct count_task {
	uint32_t tid;
	uint32_t tgid;
	char comm[32];
	uint64_t task; /* see struct ktrace_event */
	uint64_t events;
	uint64_t bytes;
};

struct count {
	struct count_type *types; /* most events first; none without */
	size_t nr_types;
	struct count_cpu *cpus; /* by number */
	size_t nr_cpus;
	struct count_task
		*tasks; /* most events first, then by name and thread */
	size_t nr_tasks;
	uint64_t events;
	uint64_t bytes;
	uint64_t lost[KTRACE_LOST_NR];
	/*
	 * Since then (ns) events of a CPU were missing at the end of the part, and how many is told
	 * behind it only; 0: none were.
	 */
	uint64_t losing;
	uint64_t begin; /* time of the first event; 0: no events */
	uint64_t end;
};

/* Only what @want says true of; NULL: all events of the cursor.  0 or a negative errno. */
int count_trace(struct count *c, struct ktrace *trace,
		const struct ktrace_cursor_options *options,
		bool (*want)(const struct ktrace_event *event, void *data),
		void *data, bool tasks);
/* Adds a loss that a packet reports.  0 or -ENOMEM. */
int count_loss(struct count *c, const struct ktrace_loss *loss);
/* The CPU of this number; adds it if it is new.  NULL: out of memory. */
struct count_cpu *count_cpu(struct count *c, uint32_t cpu);
/* Adds the recorder's counts of one of the CPU's streams. */
void count_known(struct count_cpu *cpu, const struct ktrace_cpu *known);
/* Sums up the losses; called last. */
void count_losses(struct count *c);
void count_free(struct count *c);

#endif /* KT_CMD_COMMON_COUNT_H */
