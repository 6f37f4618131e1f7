/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What is known beside the packets of Intel's PT: who ran, and which code was where, from what the kernel has
 * told (perf_trace.h).
 */
#ifndef KT_LIB_BRANCH_PERF_SIDE_H
#define KT_LIB_BRANCH_PERF_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"
#include "cpus.h"
#include "perf_trace.h"
#include "symbol/program_tables.h"

/* Mapped code, by address; none of it overlaps. */
struct code_maps {
	struct kt_branch_map *all;
	size_t nr;
};

/* A change of it. */
struct code_move {
	uint64_t time;
	struct kt_branch_map map; /* empty: all is gone */
};

struct perf_process {
	uint32_t pid;
	/* By time: the first @inherited of @nr are those of @origin, which may have more. */
	const struct perf_process *origin;
	size_t inherited;
	unsigned int depth;	 /* of origins */
	struct code_move *moves; /* the others */
	size_t nr;
	/* While a buffer is decoded: what is mapped, and how many moves it has. */
	struct code_maps maps;
	size_t done;
	uint64_t run; /* of this run of packets */
};

struct perf_thread {
	uint32_t tid;
	struct perf_process *process;
	uint64_t begun, ended; /* when; 0: before or after all of this */
	bool seen;	       /* it has packets */
	char comm[16];
};

struct perf_file;

struct perf_side {
	struct perf_trace *trace;
	struct program_tables *tables;
	struct ktrace_branches_decoded *losses;
	struct arena arena;
	struct table files;	  /* by the hash of the path */
	struct table processes;	  /* by number */
	struct table threads;	  /* by number */
	struct perf_file **codes; /* by the file's number */
	size_t nr_codes;
	size_t nr_moves; /* of all processes */

	/* Of the buffer that is decoded: */
	const struct perf_part *part;
	const struct perf_turn *turns;
	size_t nr_told;	   /* of these, by the scheduler, come behind */
	size_t nr_packets; /* those that packets end */
	size_t hole;	   /* the next one */
	uint64_t run;
	struct perf_thread *now;
};

/* 0 or -errno, with a message; also then it is to be closed. */
int perf_side_open(struct perf_side *side, struct perf_trace *trace,
		   struct program_tables *tables,
		   struct ktrace_branches_decoded *losses);
void perf_side_close(struct perf_side *side);

/* The packets of this buffer come next. */
void perf_side_begin(struct perf_side *side, const struct perf_part *part);
/* As struct pt_side has them; @data: the struct perf_side. */
uint32_t perf_side_runs(void *data, uint64_t offset, uint64_t tsc,
			uint64_t *time);
bool perf_side_missing(void *data, uint64_t offset);
size_t perf_side_code(void *data, void *bytes, size_t size, uint64_t address,
		      uint64_t *time);

/* NULL: not known. */
struct perf_thread *perf_side_thread(const struct perf_side *side,
				     uint32_t tid);
/* What threads had mapped that have packets.  0 or -errno, with a message. */
int perf_side_visits(struct perf_side *side, struct cpus *cpus);

#endif /* KT_LIB_BRANCH_PERF_SIDE_H */
