/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Reading traces.
 *
 * A trace is a directory: a metadata file and one stream of packets per CPU
 * (ktrace-trace(5)).  Two things can be done here:
 *
 *	ktrace_open()		a trace: what it is, which events it can hold
 *	ktrace_cursor_*()	its events and losses, all CPUs in order of time
 *
 * A trace and its cursors are used by one thread at a time.
 *
 * What a function returns as pointer to const belongs to the object it came
 * from and lives as long as it, unless said otherwise.  All strings are UTF-8
 * as far as the recorded bytes are.
 *
 * A trace is untrusted input.  Whatever bytes it has, nothing outside of it is
 * read, and its intact parts are shown; warnings report the rest.
 */
#ifndef KTRACE_TRACE_H
#define KTRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/library.h>
#include <ktrace/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The format of the metadata; the streams have theirs in each packet. */
#define KTRACE_FORMAT 1

struct ktrace_sync {
	uint64_t clock; /* the trace's clock */
	uint64_t monotonic;
	uint64_t realtime; /* ns */
};

enum ktrace_lost {
	KTRACE_LOST_FULL,	 /* the recorder did not keep up */
	KTRACE_LOST_OVERWRITTEN, /* newer events took the place */
	KTRACE_LOST_NESTED,	 /* interrupts filled the buffer */
	KTRACE_LOST_LARGE,	 /* a record too large for a packet */
	KTRACE_LOST_TASK,	 /* not events: task records */
	KTRACE_LOST_RECURSION,	 /* tracing itself caused them */
	KTRACE_LOST_DAMAGED,	 /* in the file, but not readable */
	KTRACE_LOST_UNWRITTEN,	 /* the disk would not take them */
	KTRACE_LOST_CLOCK,	 /* of programs that may not read the clock */
	KTRACE_LOST_NR,
	/* There will not be more, so that structs stay as large as they are. */
	KTRACE_LOST_ROOM = 16,
};

/* What the recorder knew about a CPU at the end. */
struct ktrace_cpu {
	uint32_t cpu;
	uint32_t
		stream; /* the number of its file; for programs it may differ */
	bool programs; /* the markers of programs on it; else the kernel's events */
	bool known; /* the recorder came to its end: the counts are valid */
	uint64_t events;   /* that the recorder wrote */
	uint64_t recorded; /* as the kernel counted; 0: not known */
	uint64_t lost[KTRACE_LOST_ROOM]; /* by enum ktrace_lost */
};

struct ktrace_info {
	uint64_t id;
	const char *version; /* of ktrace, and so on: NULL if not known */
	const char *host;
	const char *kernel;
	const char *machine;
	const char *command; /* one line */
	const char *mode;
	uint64_t start; /* CLOCK_REALTIME, ns */
	const char *clock;
	uint64_t frequency; /* of the clock, Hz */
	uint32_t nr_sync;
	const struct ktrace_sync *sync;
	uint32_t nr_cpus; /* those with a stream */
	const struct ktrace_cpu *cpus;
	bool live; /* it is still being written: ktrace_recording_follow() */
	const char *reason; /* why the recording ended; NULL: it was cut off */
	uint64_t bytes;	    /* of all streams */
	/*
	 * CLOCK_REALTIME - CLOCK_MONOTONIC at the start, ns.  After a sleep it
	 * is more; see the points in @sync.
	 */
	int64_t realtime;
};

struct ktrace;

KTRACE_API int ktrace_open(const char *path, struct ktrace **trace);

/*
 * A trace that comes as a stream, through a pipe or from a file: see ktrace-trace(5).  @fd
 * stays the caller's.  Opening waits until the recorder has described what it records.
 *
 * The trace has one cursor, which waits for more at the end of what is there.  It takes
 * little memory: what it has delivered is forgotten.  Types, losses and what the end tells
 * are known when they have come, so until ktrace_cursor_next() says KTRACE_END.
 */
KTRACE_API int ktrace_open_stream(int fd, struct ktrace **trace);

/* A trace in memory, which stays the caller's and must outlive the trace. */
struct ktrace_memory {
	const void *data;
	size_t size;
};

KTRACE_API int ktrace_open_memory(const struct ktrace_memory *metadata,
				  const struct ktrace_memory *streams,
				  size_t nr_streams, struct ktrace **trace);
KTRACE_API void ktrace_close(struct ktrace *trace);

KTRACE_API const struct ktrace_info *ktrace_get_info(
	const struct ktrace *trace);
KTRACE_API const struct ktrace_types *ktrace_get_types(
	const struct ktrace *trace);

/* The files of a trace's directory: see ktrace-trace(5). */
enum ktrace_file {
	KTRACE_FILE_OTHER, /* none of them */
	KTRACE_FILE_METADATA,
	KTRACE_FILE_SYMBOLS,
	KTRACE_FILE_CPU,      /* streams, with a number */
	KTRACE_FILE_PROGRAMS, /* the same, of programs */
	KTRACE_FILE_STREAM,   /* of a kind that the metadata names */
};

/* The kind of file with this name.  @number, of a stream, may be NULL. */
KTRACE_API enum ktrace_file ktrace_file_kind(const char *name,
					     uint32_t *number);
/*
 * Removes a trace, and nothing else.  -ENOTEMPTY: there is something else in
 * its directory, which then stays.  A link is not followed.
 */
KTRACE_API int ktrace_remove(const char *path);
/*
 * Removes a trace's files from the open @directory, and nothing else.
 * Continues after an error, and returns the first one.
 */
KTRACE_API int ktrace_remove_files(int directory);

/*
 * What is wrong with the trace, one sentence each.  More may come while a
 * cursor reads.  NULL: no more.
 */
KTRACE_API const char *ktrace_warning(const struct ktrace *trace, size_t index);

/* The function that contains @address, or NULL; *offset is from its start. */
KTRACE_API const char *ktrace_symbol(const struct ktrace *trace,
				     uint64_t address, uint64_t *offset);

/* Events */

struct ktrace_event {
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint32_t cpu;
	uint32_t tid; /* the task that ran, */
	uint32_t tgid;
	const char *comm; /* its name; "<...>" if not known; until next call */
	uint64_t task;	  /* another number for each task and name */
	const struct ktrace_type *type;
	const uint8_t *payload; /* until the next call */
	uint32_t size;
};

/* Events of @cpu that are not in the trace, between @from and @time. */
struct ktrace_loss {
	uint64_t time; /* when it was noticed */
	uint64_t from;
	uint32_t cpu;
	enum ktrace_lost cause;
	uint64_t count;
	bool programs; /* markers of programs; else events of the kernel */
};

/* What a cursor finds. */
enum ktrace_item {
	KTRACE_END,
	KTRACE_EVENT,
	KTRACE_LOSS,
};

/*
 * A walk through the trace, ordered by time, then CPU.  Zero means "all".
 * @from and @to are CLOCK_MONOTONIC; @cpus lists @nr_cpus CPUs; @want says
 * which types to show.
 */
struct ktrace_cursor_options {
	size_t size; /* of this struct */
	uint64_t from;
	uint64_t to;
	const uint32_t *cpus;
	size_t nr_cpus;
	bool (*want)(const struct ktrace_type *type, void *data);
	void *data;
	/* Of a stream: called before it is waited for more.  NULL: nobody is. */
	void (*wait)(void *data);
	void *wait_data;
};

struct ktrace_cursor;

KTRACE_API int ktrace_cursor_create(struct ktrace *trace,
				    const struct ktrace_cursor_options *options,
				    struct ktrace_cursor **cursor);
KTRACE_API void ktrace_cursor_destroy(struct ktrace_cursor *cursor);

/* Returns an enum ktrace_item, or a negative errno: nothing more can be read. */
KTRACE_API int ktrace_cursor_next(struct ktrace_cursor *cursor);
/* What it found. */
KTRACE_API const struct ktrace_event *ktrace_cursor_event(
	const struct ktrace_cursor *cursor);
KTRACE_API const struct ktrace_loss *ktrace_cursor_loss(
	const struct ktrace_cursor *cursor);

/* Bytes of the streams that were read so far, for a progress display. */
KTRACE_API uint64_t ktrace_cursor_position(const struct ktrace_cursor *cursor);

/* Values of fields */

/* The value, sign-extended; 0 if it is no integer or is missing. */
KTRACE_API int64_t ktrace_field_int(const struct ktrace_event *event,
				    const struct ktrace_field *field);

/*
 * The bytes of the value; *size is 0 if they are not in the payload.  A string
 * comes without its NUL, which may be missing.
 */
KTRACE_API const uint8_t *ktrace_field_bytes(const struct ktrace_event *event,
					     const struct ktrace_field *field,
					     size_t *size);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_TRACE_H */
