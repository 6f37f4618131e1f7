/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The threads of a profile, each with its tables.
 *
 * The format has a column for each value of a thread, one after another, so all of it is in memory
 * until the end.
 */
#ifndef KT_SHOW_FIREFOX_LANE_H
#define KT_SHOW_FIREFOX_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/timeline.h>

#include "base/table.h"
#include "output.h"

enum lane_column {
	MARKER_NAME,
	MARKER_BEGIN,
	MARKER_END,
	MARKER_PHASE,
	MARKER_CATEGORY,
	MARKER_DATA,
	SAMPLE_STACK,
	SAMPLE_TIME,
	SAMPLE_WEIGHT,
	SAMPLE_CPU,
	STACK_FRAME,
	STACK_PREFIX,
	FUNCTION_NAME,
	TEXTS,
	COLUMNS_NR,
};

/* A column: the elements of a JSON array. */
struct column {
	char *text;
	size_t size, room;
	uint32_t nr;
};

struct lane {
	struct lane *next;
	uint32_t tid, tgid;
	char comm[64];
	uint32_t texts, stacks; /* how many there are */
	uint64_t last;		/* time of the last sample */
	struct column columns[COLUMNS_NR];
};

struct lanes {
	struct lane *first, *last, *cpus;
	struct table threads; /* lanes, by the thread's id */
	/* struct known of all lanes, by hash: most lanes have few, and a table is large. */
	struct table known;
	uint64_t factor;       /* nobody can choose texts that have one hash */
	struct output scratch; /* into @text */
	struct column text;    /* one element that is being made */
	size_t size;	       /* of all columns */
	bool failed;	       /* there was no memory */
};

/* 0 or -ENOMEM. */
int lanes_init(struct lanes *lanes);
void lanes_free(struct lanes *lanes);

/* NULL: no memory. */
struct lane *lane_of_thread(struct lanes *lanes,
			    struct ktrace_timeline_thread *thread);
/* That of what belongs to no thread. */
struct lane *lane_of_cpus(struct lanes *lanes);

/* The next element of a column.  If there is no memory, lanes->failed is set, as by all of these. */
void lane_add(struct lanes *lanes, struct lane *lane, enum lane_column column,
	      const char *text, size_t size);
void __attribute__((format(printf, 4, 5)))
lane_print(struct lanes *lanes, struct lane *lane, enum lane_column column,
	   const char *format, ...);
/* @ns as milliseconds */
void lane_time(struct lanes *lanes, struct lane *lane, enum lane_column column,
	       uint64_t ns);
/* A string of the lane, by its number. */
uint32_t lane_text(struct lanes *lanes, struct lane *lane, const char *text,
		   size_t size);

#define LANE_NO_STACK UINT32_MAX
/* The stack of a function that the one on top of @prefix has called, by its number. */
uint32_t lane_stack(struct lanes *lanes, struct lane *lane, uint32_t prefix,
		    const char *name, size_t size);

/* Forgets the samples of all lanes. */
void lanes_samples_clear(struct lanes *lanes);

/* Adds to lanes->text. */
void lanes_text_add(struct lanes *lanes, const char *text, size_t size);

/* One thread of the profile.  @weights: what the unit of samples is. */
void lane_put(struct output *output, const struct lane *lane,
	      const char *weights);

#endif /* KT_SHOW_FIREFOX_LANE_H */
