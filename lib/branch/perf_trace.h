/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What perf knows of a trace by Intel's PT: where the packets are, and what the kernel has told beside them.
 * It comes from a file of `perf record' (perf_file.c); all of it is untrusted.
 *
 * Source of the records: <linux/perf_event.h>, enum perf_event_type.
 */
#ifndef KT_LIB_BRANCH_PERF_TRACE_H
#define KT_LIB_BRANCH_PERF_TRACE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/table.h"
#include "pt_decode.h"

/* The kernel's PID_MAX_LIMIT: no thread has a larger number. */
#define PERF_TID_MAX (4u << 20)
/* In the place of a CPU: of a thread, wherever it runs. */
#define PERF_NO_CPU UINT32_MAX

/* In the place of a thread: the kernel could not tell. */
#define PERF_LOST UINT32_MAX

/* What the kernel adds to each record. */
struct perf_who {
	uint32_t pid, tid, cpu;
	uint64_t time; /* ns; 0: not known, as of what was there at first */
};

/* What happens to a process. */
struct perf_news {
	enum perf_news_kind {
		PERF_MAPS,     /* code, from a file */
		PERF_EXECUTES, /* a program: what was mapped is gone */
		PERF_BEGINS, /* a thread does, which @parent (a process) has begun */
		PERF_IS_CALLED,
		PERF_ENDS, /* a thread does */
	} kind;
	uint32_t pid, tid, parent;
	uint64_t time;
	size_t order; /* of those of one time */
	union {
		struct {
			uint64_t begin, end;
			uint64_t offset; /* in the file */
			const char *path;
			const unsigned char *id; /* its build id */
			unsigned int id_size;	 /* 0: not known */
		} map;
		char comm[16];
	};
};

/* A thread runs from now on, or packets of it end here. */
struct perf_turn {
	uint32_t cpu;
	uint32_t
		tid; /* PERF_LOST: who runs since the one before is not known */
	uint64_t time;
	uint64_t
		end; /* behind its packets, as offsets count; 0: it is told by the scheduler */
};

/* A file that was mapped had this one. */
struct perf_build_id {
	const char *path;
	unsigned char id[20];
	unsigned int size;
};

/* Packets are missing behind this place. */
struct perf_hole {
	uint32_t cpu, tid;
	uint64_t offset;
};

/* Packets. */
struct perf_part {
	uint64_t at; /* where in the file */
	uint64_t offset, size;
	uint32_t buffer, tid, cpu;
};

/* Each piece of packets may have so many bytes behind it, so that its size is a multiple of 8. */
#define PERF_PADDING_MAX 7u

/* Are both of one CPU, or thread? */
static inline bool perf_part_is_beside(const struct perf_part *a,
				       const struct perf_part *b)
{
	return a->buffer == b->buffer && a->tid == b->tid && a->cpu == b->cpu;
}

struct perf_conversion {
	bool known;
	uint16_t shift;
	uint32_t mult;
	uint64_t zero;
};

struct perf_trace {
	int fd;
	struct arena texts;
	struct perf_news *news;
	size_t nr_news;
	struct perf_turn *turns;
	size_t nr_turns;
	bool switches; /* the scheduler has told who runs */
	struct perf_hole *holes;
	size_t nr_holes;
	struct perf_part *parts;
	size_t nr_parts;
	struct table
		build_ids; /* struct perf_build_id, by the hash of the path */
	struct perf_conversion clock;
	struct pt_processor processor;
	time_t made;	  /* files that changed since then are others */
	bool same_kernel; /* as this one, so its vDSO is the same */
	uint64_t gaps;	  /* the kernel says that packets are missing */
	uint64_t untold;  /* records that the kernel could not write */
};

/* Opens a file of `perf record'.  0 or -errno, with a message; also then it is to be closed. */
int perf_trace_open(struct perf_trace *trace, const char *path);
void perf_trace_close(struct perf_trace *trace);

/*
 * Takes a record, of @layout->sample_type.  What it does not know, or is damaged, it leaves out.
 * 0 or -ENOMEM.
 */
int perf_record_take(struct perf_trace *trace,
		     const struct perf_event_attr *layout, const void *record,
		     size_t size);
/* 0 or -ENOMEM. */
int perf_news_add(struct perf_trace *trace, struct perf_news news);
/* To be called behind the last record. */
void perf_records_sort(struct perf_trace *trace);

/* The processor's time in ns. */
uint64_t perf_time(const struct perf_conversion *clock, uint64_t tsc);

#endif /* KT_LIB_BRANCH_PERF_TRACE_H */
