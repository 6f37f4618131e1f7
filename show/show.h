/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Outputs: the forms in which a trace can be shown.  Each has a file here with
 * one struct show_ops.  All get the same events and losses in the same order.
 *
 *	show_create(ops, trace, fd, NULL, &show);
 *	show_cursor(show, cursor);
 *	show_destroy(show);
 *
 * Functions return 0 or a negative errno; show_error() has the message.
 */
#ifndef KT_SHOW_H
#define KT_SHOW_H

#include <ktrace/span.h>
#include <ktrace/trace.h>

struct show;

struct show_ops {
	const char *name;
	const char *what; /* one line of description */
	bool directory;	  /* writes a directory; the others write to a file */

	size_t size; /* of the struct that embeds struct show */
	int (*open)(struct show *show);
	int (*event)(struct show *show, const struct ktrace_event *event);
	int (*loss)(struct show *show, const struct ktrace_loss *loss);
	/*
	 * Writes what is buffered.  If the trace is still being written, more
	 * events may follow.  Not called if open failed.
	 */
	int (*finish)(struct show *show);
	/* Frees memory.  Called also if open failed. */
	void (*release)(struct show *show);
};

/* The common head of all outputs. */
struct show {
	const struct show_ops *ops;
	struct ktrace *trace;
	int fd;		  /* if it writes to a file */
	const char *path; /* if it writes a directory */
	/* The span that the next event ends, or NULL. */
	const struct ktrace_span *ended;
	uint64_t events; /* shown so far */
	uint64_t losses;
};

/* Return NULL if there is no such output. */
const struct show_ops *show_find(const char *name);
const struct show_ops *show_get(size_t index);

/* @path is the directory to write, or NULL; it must live as long as @show. */
int show_create(const struct show_ops *ops, struct ktrace *trace, int fd,
		const char *path, struct show **show);

/*
 * Shows all that @cursor finds, and finishes.  Calls @progress, if it is not
 * NULL, every few milliseconds; if it returns true, the output ends there.
 */
int show_cursor(struct show *show, struct ktrace_cursor *cursor,
		bool (*progress)(void *data), void *data);
void show_destroy(struct show *show);

const char *show_error(void);
int show_fail(int err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

extern const struct show_ops show_text;
extern const struct show_ops show_kernel;
extern const struct show_ops show_json;
extern const struct show_ops show_ctf;
extern const struct show_ops show_syscalls;

/* Which calls are shown. */
enum show_returns {
	SHOW_RETURNS_ALL,
	SHOW_RETURNS_FAILED, /* those that returned an error */
	SHOW_RETURNS_OK,     /* those that returned without an error */
};

/* How the begin of a call is printed, as wall clock time. */
enum show_times {
	SHOW_TIMES_NONE,
	SHOW_TIMES_SECONDS, /* 14:03:59 */
	SHOW_TIMES_MICROSECONDS,
	SHOW_TIMES_EPOCH, /* seconds since 1970, with microseconds */
};

/* Options of show_syscalls, set before the first event. */
struct show_syscalls_options {
	uint32_t string_max; /* bytes shown of a string or buffer */
	bool durations;
	enum show_times times;
	bool pids; /* print the thread even if there is only one */
	bool colors;
	bool summary; /* print only the counts */
	bool json;    /* print an object for each call */
	enum show_returns returns;
};

void show_syscalls_set(struct show *show,
		       const struct show_syscalls_options *options);

#endif /* KT_SHOW_H */
