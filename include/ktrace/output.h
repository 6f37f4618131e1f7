/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Outputs: what the events of a trace can be turned into. ktrace report and ktrace export
 * are made of these functions.
 *
 *	struct ktrace_output_options options = {
 *		.size = sizeof(options),
 *		.fd = STDOUT_FILENO,
 *	};
 *
 *	err = ktrace_output_create(trace, "json", &options, &output);
 *	if (!err)
 *		err = ktrace_output_run(output, cursor, NULL, NULL);
 *	ktrace_output_destroy(output);
 *
 * A viewer that wants the text of one event at a time sets options.write, and calls
 * ktrace_output_event() and ktrace_output_finish() for each. The output "strace" shows
 * syscalls with all that is known of their arguments. It takes both events of a call, the
 * entry and the exit, and writes when it has the second. The output "graph" shows calls of
 * functions, each below its caller. It holds up to 1024 lines back, to show a call that
 * calls nothing in one line.
 *
 * The outputs that merge events by their stacks ("stacks", "folded", "flame") write at the
 * end. If they are to weigh how long threads were off the CPU, they need all events sched:sched_switch of all CPUs:
 * those that are not to be shown by ktrace_output_hidden().
 *
 * The output "kernel" runs the trace's print formats in a child process.
 *
 * Functions return 0 or a negative errno; ktrace_last_error() then says why. If -EPIPE is
 * returned, whoever reads the text wants no more of it (a program that does not ignore
 * SIGPIPE ends before that). An output is used by one thread at
 * a time, and ends before its trace.
 */
#ifndef KTRACE_OUTPUT_H
#define KTRACE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/span.h>
#include <ktrace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ktrace_output_kind {
	const char *name; /* like "text" or "json" */
	const char *what; /* in one line */
	bool directory;	  /* it makes a directory */
	bool file; /* it makes a file for programs; the others write text for people */
	bool times;  /* it shows times as options.time says */
	bool hidden; /* it asks for ktrace_output_hidden() */
};

/* The kinds that there are, one by one. NULL: no more. */
KTRACE_API const struct ktrace_output_kind *ktrace_output_kind(size_t index);
/* NULL: there is no such kind. */
KTRACE_API const struct ktrace_output_kind *ktrace_output_find(
	const char *name);

/* Which calls "strace" shows. */
enum ktrace_output_returns {
	KTRACE_RETURNS_ALL,
	KTRACE_RETURNS_FAILED, /* those that returned an error */
	KTRACE_RETURNS_OK,     /* those that returned something else */
};

/* How calls may end: bits, by which "strace" selects them. */
enum ktrace_output_statuses {
	KTRACE_STATUS_OK = 1, /* they returned something that is no error */
	/*
	 * They returned an error: also ERESTARTSYS and the like, because a signal interrupted them.
	 * If it kills the thread, the call has usually returned so before.
	 */
	KTRACE_STATUS_FAILED = 2,
	/* They do not return: exit(), or their thread was killed in them. */
	KTRACE_STATUS_UNFINISHED = 4,
	KTRACE_STATUS_UNAVAILABLE =
		8, /* what they returned is not known: these are never shown */
	KTRACE_STATUS_DETACHED =
		16, /* they were open at the end of the trace */
	KTRACE_STATUS_ALL = 31,
};

/* How "strace" shows when a call began, by the wall clock. */
enum ktrace_output_times {
	KTRACE_TIMES_NONE,
	KTRACE_TIMES_SECONDS, /* 14:03:59 */
	KTRACE_TIMES_MICROSECONDS,
	KTRACE_TIMES_EPOCH, /* seconds since 1970, with microseconds */
};

/* Which strings and buffers "strace" shows as \x61\x62, those of paths, too. */
enum ktrace_output_strings {
	KTRACE_STRINGS_PLAIN, /* none */
	KTRACE_STRINGS_HEX_BINARY, /* those with other bytes than ASCII has for texts */
	KTRACE_STRINGS_HEX,
};

/* How "strace" shows numbers that have a name, such as flags. */
enum ktrace_output_constants {
	KTRACE_CONSTANTS_NAMES,	  /* O_RDONLY|O_CLOEXEC */
	KTRACE_CONSTANTS_NUMBERS, /* 0x80000 */
	KTRACE_CONSTANTS_BOTH,	  /* 0x80000, and the names in a comment */
};

/* What "strace" shows of a descriptor's file. */
enum ktrace_output_files {
	KTRACE_FILES_PATHS = 1,
	/* In place of the path, or behind that of a device, if it was recorded (KTRACE_PATHS_FILES). */
	KTRACE_FILES_SOCKETS = 2,
	KTRACE_FILES_DEVICES = 4,
	KTRACE_FILES_PIDFDS = 8,
	KTRACE_FILES_ALL = 15,
};

/* By what "strace" sorts its counts; the largest come first, but names by the alphabet. */
enum ktrace_output_sort {
	KTRACE_SORT_TIME,
	KTRACE_SORT_CALLS,
	KTRACE_SORT_ERRORS,
	KTRACE_SORT_NAME,
	KTRACE_SORT_NONE, /* as they were met */
};

struct ktrace_output_calls {
	uint32_t string_max; /* so many bytes of a string or buffer are shown */
	bool durations;
	bool pids; /* each line has its thread; else only if there are several */
	bool colors;  /* with the escape sequences of a terminal */
	bool summary; /* no calls, but their counts at the end */
	bool json;    /* an object for each call, instead of a line */
	bool counts;  /* calls, and then their counts */
	/*
	 * Numbers of threads and processes have their names: 7<cat>.  They are taken for those of the
	 * first PID namespace, also in calls of programs that are in another one.
	 */
	bool comms;
	bool relative; /* lines have how long they came after the line before */
	enum ktrace_output_times times;
	enum ktrace_output_returns returns;
	enum ktrace_output_strings strings;
	enum ktrace_output_sort sort;
	enum ktrace_output_constants
		constants; /* not in "signal" and "code" of objects */
	uint32_t column;   /* where results begin, if there is room; 0: at 40 */
	/* Which calls are shown: of enum ktrace_output_statuses; 0: as @returns says. */
	uint32_t statuses;
	bool paths_hidden; /* paths of descriptors are not shown, if there are any */
	bool unabbreviated; /* all members of structs and elements of arrays are shown */
	/* Signals that are not shown, nor that they killed or stopped a process: bit 0 is signal 1. */
	uint64_t signals_hidden;
	/*
	 * Only calls that have one of these paths as an argument, or a descriptor of it; the last
	 * one is followed by NULL.  Without paths of descriptors in the trace, only the former.
	 * They must outlive the output.  NULL: all calls.
	 */
	const char *const *touching;
	/*
	 * Is a call shown?  It may be recorded only because it ends a process, or makes other
	 * calls.  Asked once for each type.  NULL: yes.
	 */
	bool (*want)(const struct ktrace_type *type, void *data);
	void *data; /* for these functions */
	/*
	 * If not NULL, it gets each line, with its end, instead of the output's fd or write().
	 * @tid: the thread that the line is of; 0: none, the line says what was lost.  A call is
	 * in one line then, whatever other threads do meanwhile.  Returns 0, or a negative errno
	 * that ends the output.  Not for objects: with @json, ktrace_output_create() returns
	 * -EINVAL.  Counts are not lines: they go where the output writes.
	 */
	int (*separate)(void *data, uint32_t tid, const char *text,
			size_t size);
	/* What is not shown of descriptors' files: of enum ktrace_output_files. */
	uint64_t files_hidden;
	uint64_t reserved[1]; /* 0 */
};

/* What lines of "graph" and "text" have. */
enum ktrace_output_columns {
	KTRACE_COLUMN_TASK = 1,
	KTRACE_COLUMN_CPU = 2,
	KTRACE_COLUMN_TIME = 4,
	KTRACE_COLUMN_DURATION = 8,
	KTRACE_COLUMN_ALL = 15,
	/* Not one of these: the duration without that of what was called. */
	KTRACE_COLUMN_SELF = 16,
	/* Of "text", beside the first three: */
	KTRACE_COLUMN_PID = 32, /* the process */
	KTRACE_COLUMN_EVENT = 64,
	KTRACE_COLUMN_FIELDS = 128, /* all of them */
	KTRACE_COLUMN_TEXT = 231,   /* what "text" can have */
};

struct ktrace_output_graph {
	uint32_t columns; /* the sum of those that lines have; 0: none */
	/*
	 * Which events are shown beside the calls. The others are used only to see what
	 * belongs to interrupts. Asked once for each type. NULL: all are shown.
	 */
	bool (*want)(const struct ktrace_type *type, void *data);
	void *data;
	/* Which calls are shown (<ktrace/span.h>); must outlive the output.  NULL: all. */
	const struct ktrace_span_scope *scope;
	/* What does not count in durations: of enum ktrace_span_pause. */
	uint64_t pauses;
	uint64_t reserved[2]; /* 0 */
};

/* What events weigh, for outputs that merge them by their stacks ("stacks", "folded", "flame"). */
enum ktrace_output_weight {
	KTRACE_WEIGHT_EVENTS, /* 1: events are counted */
	KTRACE_WEIGHT_FIELD, /* the value of a field; events without it do not count */
	/*
	 * For sched:sched_switch: ns until the thread has a CPU again.  Other events do not
	 * count.
	 */
	KTRACE_WEIGHT_OFF_CPU,
};

struct ktrace_output_stacks {
	enum ktrace_output_weight weight;
	const char
		*field; /* for KTRACE_WEIGHT_FIELD; must outlive the output */
	const char *title; /* of "flame"; NULL: the command that was recorded */
	uint64_t limit;	   /* rows of "stacks"; 0: all */
	uint64_t reserved[4]; /* 0 */
};

/* How an output shows when an event was. */
enum ktrace_output_time {
	/* As it does if nobody asks: in seconds, but "strace" as calls.times says. */
	KTRACE_TIME_USUAL,
	KTRACE_TIME_SECONDS, /* of CLOCK_MONOTONIC: 12.345678901 */
	/* Of CLOCK_REALTIME, in the local time zone: ktrace_wall_time(). */
	KTRACE_TIME_DATE,  /* 2026-11-30 14:03:59.123456789 */
	KTRACE_TIME_CLOCK, /* 14:03:59.123456789 */
	/* In seconds, with nanoseconds: */
	KTRACE_TIME_RELATIVE, /* since the first event that is shown */
	KTRACE_TIME_DELTA,    /* since the event that is shown before */
};

struct ktrace_output_options {
	size_t size; /* of this struct */
	int fd;	     /* where text is written, unless @write is set */
	/*
	 * The directory that "ctf" makes. It must not exist. The string must live as
	 * long as the output.
	 */
	const char *path;
	/*
	 * If not NULL, gets the text instead of @fd, in parts of any size. Returns 0, or
	 * a negative errno that ends the output.
	 */
	int (*write)(void *data, const char *text, size_t size);
	void *data;
	const struct ktrace_output_calls *calls; /* NULL: 32 bytes of strings */
	/*
	 * Where the events come from, for outputs that pair events ("graph"); it must
	 * outlive the output. NULL: that of ktrace_output_run(). If there is none, calls
	 * that were open when their thread ended are not noticed.
	 */
	const struct ktrace_cursor *cursor;
	const struct ktrace_output_graph
		*graph; /* NULL: all columns, all events */
	/*
	 * "text" and "strace" show who called, below each event or call that has it; "graph" does so in a
	 * line in front of a call.
	 */
	bool stacks;
	bool stacks_in_line; /* and does so in the event's own line */
	const struct ktrace_output_stacks
		*merged; /* NULL: events are counted */
	bool mangled;	 /* functions of programs as their files call them */
	bool whole_frames; /* without the functions that the compiler put into others */
	enum ktrace_output_time time; /* for outputs whose kind has times */
	/*
	 * For "text": the sum of the columns that lines have.  0: task, CPU, time, event and fields,
	 * unless there are @fields.
	 */
	uint32_t columns;
	/*
	 * For "text", without KTRACE_COLUMN_FIELDS: names of the fields that are shown; the last one is
	 * followed by NULL.  An event shows those that it has.  They must outlive the output.  NULL: none.
	 */
	const char *const *fields;
	/*
	 * "text", "kernel" and "graph" have the escape sequences of a terminal around task, CPU, time and losses,
	 * and "text" around the name of the event, which is red if a result in it is an error.  For "strace"
	 * see struct ktrace_output_calls.
	 */
	bool colors;
};

struct ktrace_output;

/* -ENOENT: no such kind.  -EINVAL: an output of this kind cannot do what the options ask. */
KTRACE_API int ktrace_output_create(struct ktrace *trace, const char *kind,
				    const struct ktrace_output_options *options,
				    struct ktrace_output **output);

/*
 * Events and losses in the order in which a cursor delivers them. @ended: the span that
 * this event ends, to be shown with it; NULL: none.
 */
KTRACE_API int ktrace_output_event(struct ktrace_output *output,
				   const struct ktrace_event *event,
				   const struct ktrace_span *ended);
KTRACE_API int ktrace_output_loss(struct ktrace_output *output,
				  const struct ktrace_loss *loss);
/*
 * An event that is not to be shown. Outputs that pair events need it: "graph" to know which
 * calls are open, and those that weigh times to know when a thread has a CPU again.
 */
KTRACE_API int ktrace_output_hidden(struct ktrace_output *output,
				    const struct ktrace_event *event);
/*
 * A loss that is not to be shown, nor counted: the same outputs need it, because what they pair
 * may have ended in the gap.
 */
KTRACE_API int ktrace_output_hidden_loss(struct ktrace_output *output,
					 const struct ktrace_loss *loss);
/*
 * Writes what is still in memory. If the trace is still being written, more events may
 * follow, except for "ctf": it can be finished once, at the end.
 */
KTRACE_API int ktrace_output_finish(struct ktrace_output *output);
/*
 * The same if more events follow for sure. "graph" then leaves calls in memory of which it
 * is not known yet whether they call something; the next pause writes them in any case.
 */
KTRACE_API int ktrace_output_pause(struct ktrace_output *output);

/*
 * "folded" and "flame" can compare two traces.  What the output got until now is what @trace
 * is compared with: the events of @trace follow, and the counts of what was shown begin again.
 * It is called once, before the output is finished; the trace before may then be closed.
 * -ENODATA if no event with a stack weighs anything, here or, for @trace, at the end;
 * ktrace_output_finish() returns -EINVAL if one trace has other kinds of events with stacks.
 */
KTRACE_API int ktrace_output_compare(struct ktrace_output *output,
				     struct ktrace *trace);

/*
 * Shows all that @cursor finds, and finishes; or pauses, if the trace is still being
 * written and the cursor has come to what there is so far. If @progress is not NULL, it is called once
 * in some ten thousand events and losses. If it returns true, the output ends there.
 */
KTRACE_API int ktrace_output_run(struct ktrace_output *output,
				 struct ktrace_cursor *cursor,
				 bool (*progress)(void *data), void *data);

/* Shown so far: events, and events that were lost. */
KTRACE_API uint64_t ktrace_output_events(const struct ktrace_output *output);
KTRACE_API uint64_t ktrace_output_losses(const struct ktrace_output *output);
/*
 * How many of these events are not in the output, because it takes only so many: the last ones.
 * "html" takes 4,000,000, or fewer if they have 256 MB or 8,000,000 changes of threads' states; 0
 * from others.
 */
KTRACE_API uint64_t ktrace_output_left_out(const struct ktrace_output *output);
/*
 * How many of these events have a stack and, if it is times that are wanted, a time: those
 * that the outputs of merged stacks count.  Of two traces, in the second.  0 from others.
 */
KTRACE_API uint64_t ktrace_output_merged(const struct ktrace_output *output);

/* Frees it. What was not finished may not be written. */
KTRACE_API void ktrace_output_destroy(struct ktrace_output *output);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_OUTPUT_H */
