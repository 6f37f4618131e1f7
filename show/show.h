/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Outputs: what a trace can be turned into.  Each is a file here with one
 * struct show_ops; all get the same events and losses in the same order.
 *
 *	show_create(ops, trace, fd, NULL, &show);
 *	show_cursor(show, cursor);
 *	show_destroy(show);
 *
 * Functions return 0 or a negative errno; show_error() tells more.
 */
#ifndef KT_SHOW_H
#define KT_SHOW_H

#include <ktrace/span.h>
#include <ktrace/trace.h>

struct show;

struct show_ops {
	const char *name;
	const char *what; /* in one line */
	bool directory;	  /* makes a directory; the others write to a file */

	size_t size; /* of what embeds struct show */
	int (*open)(struct show *show);
	int (*event)(struct show *show, const struct ktrace_event *event);
	int (*loss)(struct show *show, const struct ktrace_loss *loss);
	/*
	 * Writes what is left.  Of a trace that is still being written, more
	 * events may follow.  Not called when open failed.
	 */
	int (*finish)(struct show *show);
	/* Frees; also called when open failed. */
	void (*release)(struct show *show);
};

/* Common head of all outputs. */
struct show {
	const struct show_ops *ops;
	struct ktrace *trace;
	int fd;		  /* of those that write to a file */
	const char *path; /* of those that make a directory */
	/* By the event that is shown next, whose line says so; NULL: none. */
	const struct ktrace_span *ended;
	uint64_t events; /* shown so far */
	uint64_t losses;
};

/* NULL: no such output; by index: no more. */
const struct show_ops *show_find(const char *name);
const struct show_ops *show_get(size_t index);

/* @path, of a directory to be made, is the caller's while @show lives. */
int show_create(const struct show_ops *ops, struct ktrace *trace, int fd,
		const char *path, struct show **show);

/*
 * Shows all that @cursor finds, and finishes.  Every some ten thousand items
 * calls @progress, if there is one; true from it ends the output there.
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
	SHOW_RETURNS_FAILED, /* that returned an error */
	SHOW_RETURNS_OK,     /* that returned, and none */
};

/* When calls began, by the wall clock. */
enum show_times {
	SHOW_TIMES_NONE,
	SHOW_TIMES_SECONDS, /* 14:03:59 */
	SHOW_TIMES_MICROSECONDS,
	SHOW_TIMES_EPOCH, /* seconds since 1970, with microseconds */
};

/* How show_syscalls shows; before the first event. */
struct show_syscalls_options {
	uint32_t string_max; /* of data that is shown, in bytes */
	bool durations;
	enum show_times times;
	bool pids; /* always say which thread */
	bool colors;
	bool summary; /* only counts */
	bool json;    /* an object for each call */
	enum show_returns returns;
};

void show_syscalls_set(struct show *show,
		       const struct show_syscalls_options *options);

#endif /* KT_SHOW_H */
