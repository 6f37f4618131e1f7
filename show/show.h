/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What an output provides. Each output has a file here with one struct show_ops; programs
 * use it by <ktrace/output.h>. All outputs get the same events and losses in the same
 * order.
 *
 * Functions return 0 or a negative errno, and then error_set() (base/error.h) was called.
 */
#ifndef KT_SHOW_H
#define KT_SHOW_H

#include <ktrace/output.h>

#include "base/error.h"
#include "outputs.h"

struct show_ops {
	struct ktrace_output_kind kind;
	size_t size; /* of the struct that embeds struct ktrace_output */
	int (*open)(struct ktrace_output *show);
	int (*event)(struct ktrace_output *show,
		     const struct ktrace_event *event);
	int (*loss)(struct ktrace_output *show, const struct ktrace_loss *loss);
	/* An event that is not shown.  NULL: it does not matter. */
	int (*hidden)(struct ktrace_output *show,
		      const struct ktrace_event *event);
	/* A loss that is not shown.  NULL: it does not matter. */
	int (*hidden_loss)(struct ktrace_output *show,
			   const struct ktrace_loss *loss);
	/*
	 * Writes what is buffered.  If the trace is still being written, more
	 * events may follow.  Not called if open failed.
	 */
	int (*finish)(struct ktrace_output *show);
	/*
	 * The same, but more events follow for sure: what they may change can stay
	 * buffered until the next pause.  NULL: finish does it.
	 */
	int (*pause)(struct ktrace_output *show);
	/*
	 * What came is what this trace is compared with: its events follow.  NULL: it
	 * compares nothing.
	 */
	int (*compare)(struct ktrace_output *show, struct ktrace *trace);
	/* Frees memory.  Called also if open failed. */
	void (*release)(struct ktrace_output *show);
};

/* The common head of all outputs. */
struct ktrace_output {
	const struct show_ops *ops;
	struct ktrace *trace;
	/* For output_init(), if it writes text. */
	int (*write)(void *data, const char *text, size_t size);
	void *data;
	int fd;
	const char *path; /* if it writes a directory */
	struct ktrace_output_calls calls;
	struct ktrace_output_graph graph;
	enum ktrace_output_time time;
	uint32_t columns; /* of text; 0: not given */
	const char *const *fields;
	bool colors;
	bool stacks;
	bool stacks_in_line;
	unsigned int frames; /* how they are shown (stack.h) */
	struct ktrace_output_stacks merged;
	const struct ktrace_cursor *cursor; /* NULL: unknown */
	/* The span that the next event ends, or NULL. */
	const struct ktrace_span *ended;
	uint64_t events; /* shown so far */
	uint64_t losses;
	uint64_t left_out; /* of the events: they are not in the output */
	uint64_t counted;  /* of the events, by their stacks (merged.h) */
};

/* One for each name in the list of outputs, which is in meson.build. */
#define OUTPUT(name) extern const struct show_ops show_##name;
OUTPUTS
#undef OUTPUT

#endif /* KT_SHOW_H */
