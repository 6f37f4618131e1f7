/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The view of a trace's calls: syscall.c follows the calls, lines.c and objects.c write them as
 * text and as JSON.
 */
#ifndef KT_SHOW_STRACE_SYSCALLS_H
#define KT_SHOW_STRACE_SYSCALLS_H

#include <ktrace/span.h>

#include "call.h"
#include "counts.h"
#include "output.h"
#include "show.h"
#include "signal_pairs.h"
#include "thread.h"
#include "times.h"
#include "wanted.h"

struct syscalls {
	struct ktrace_output show;
	struct output output;
	struct output stacks; /* if they are shown: what goes below the line */
	struct line line;
	struct threads threads;
	struct ktrace_spans *spans;
	struct thread *open; /* its call was begun by the last event */
	uint64_t waited;     /* when the call began that was open last time */
	struct times times;  /* of lines */
	uint32_t first;	     /* tid of the first thread */
	uint32_t writing; /* tid of the thread whose line it is; 0: of none */
	bool several;
	uint32_t statuses;    /* of calls that are shown */
	bool filtered;	      /* only its end decides whether a call is shown */
	struct wanted wanted; /* by the type of the call's begin */
	struct counts counts;
	struct signal_pairs signals;
};

/* Lines: lines.c.  Functions return 0 or a negative errno. */

/* As strace calls it. */
const char *name_shown(const struct call_view *view,
		       const struct ktrace_type *type);

/* Begins a line with what is in front of a call, or of anything else. */
void line_begin(struct syscalls *s, const struct thread *thread, uint64_t time);
int line_end(struct syscalls *s);
/* For struct output: text that belongs to the line before. */
int below_write(void *data, const char *text, size_t size);
/* Prints the open call as far as known. */
int open_suspend(struct syscalls *s);
int call_show(struct syscalls *s, struct thread *thread, uint64_t time);
/*
 * The same for a call that has no other end than @status, and who has made it, if it is one of those
 * that are shown.
 */
int open_end(struct syscalls *s, struct thread *thread, uint32_t status);
/* Was it asked for?  Else it was recorded only because it ends a process, or makes other calls. */
bool call_is_shown(struct syscalls *s, const struct call_view *view);
/* Is a call with this end shown? */
bool status_is_shown(const struct syscalls *s, const struct call_view *view,
		     uint32_t status);
/* Prints a call that does not return. */
int call_show_last(struct syscalls *s, struct thread *thread);
int exited_show(struct syscalls *s, struct thread *thread, uint64_t time,
		int status);

/* Objects: objects.c */

/* @returned: at @time; else the call has no result. */
int json_write(struct syscalls *s, struct thread *thread, uint64_t time,
	       bool returned);
int json_signal(struct syscalls *s, const struct thread *thread, uint64_t time,
		const struct signal_view *view);

#endif /* KT_SHOW_STRACE_SYSCALLS_H */
