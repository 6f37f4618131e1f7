/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Reading traces.
 *
 * A trace is a directory: a metadata file and one stream of packets per CPU
 * (ktrace-trace(5)); or an archive of one (ktrace-archive(1)).  There are two objects:
 *
 *	ktrace_open()		a trace: its metadata and event types
 *	ktrace_cursor_*()	its events and losses in order of time
 *
 * The name of each event in a trace; cursor is NULL at first:
 *
 *	err = ktrace_open("ktrace.data", &trace);
 *	if (err)
 *		return err;
 *	err = ktrace_cursor_create(trace, NULL, &cursor);
 *	while (!err && (item = ktrace_cursor_next(cursor)) > 0)
 *		if (item == KTRACE_EVENT)
 *			puts(ktrace_cursor_event(cursor)->type->name);
 *	ktrace_cursor_destroy(cursor);
 *	ktrace_close(trace);
 *
 * A trace and its cursors are used by one thread at a time.
 *
 * If a function returns a pointer to const, the pointer belongs to the object
 * from which it came and is valid as long as that object, unless the comment
 * says otherwise.  Strings are UTF-8 if the recorded bytes are.
 *
 * A trace is untrusted input.  No bytes in it make the library read outside of
 * it. Its intact parts are shown; warnings report the rest.
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

/* The format of the metadata; each packet has the format of its stream. */
#define KTRACE_FORMAT 2

struct ktrace_sync {
	uint64_t clock; /* the trace's clock */
	uint64_t monotonic;
	uint64_t realtime; /* ns */
};

enum ktrace_lost {
	KTRACE_LOST_FULL,	 /* the recorder was too slow */
	KTRACE_LOST_OVERWRITTEN, /* newer events replaced them */
	KTRACE_LOST_NESTED,	 /* interrupts filled the buffer */
	KTRACE_LOST_LARGE,	 /* a record too large for a packet */
	KTRACE_LOST_TASK,	 /* no events: task records were lost */
	KTRACE_LOST_RECURSION,	 /* tracing itself caused them */
	KTRACE_LOST_DAMAGED,	 /* in the file, but not readable */
	KTRACE_LOST_UNWRITTEN,	 /* the disk did not take them */
	KTRACE_LOST_CLOCK,	 /* from programs that may not read the clock */
	KTRACE_LOST_NR,
	/*
	 * The number of causes will not exceed this, so structs keep their
	 * size.
	 */
	KTRACE_LOST_ROOM = 16,
};

/* The recorder's counts of a CPU when the recording ended. */
struct ktrace_cpu {
	uint32_t cpu;
	uint32_t stream; /* number of its file; for programs, may not be @cpu */
	bool programs;	 /* markers of programs, not events of the kernel */
	bool known; /* the recording was ended properly: the counts are valid */
	uint64_t events;   /* written by the recorder */
	uint64_t recorded; /* counted by the kernel; 0: not known */
	uint64_t lost[KTRACE_LOST_ROOM]; /* by enum ktrace_lost */
};

/*
 * Hits that a source of events could not record, on all CPUs, from the begin of the recording to
 * its end.  Unlike a loss, they have no time: they never were events.
 */
struct ktrace_miss {
	const char *source; /* the kernel's name of it, like "function" */
	const char *reason; /* NULL: the source does not tell reasons apart */
	uint64_t count;	    /* may be 0 */
	uint64_t reserved;
};

/* A trace has those of so many probes at most; a kernel has fewer. */
#define KTRACE_PROBE_HITS_MAX 65536

/*
 * How often a probe (<ktrace/probes.h>) was hit from the begin of the recording to its end, and how
 * often it was not, though its place was reached.  Conditions and sets of processes may have refused
 * some of the hits; some may have been lost.
 */
struct ktrace_probe_hits {
	const char *system;
	const char *name;
	uint64_t hits;
	uint64_t missed_nested; /* while another probe was handled on the CPU */
	uint64_t missed_open;	/* returns: too many calls were open */
	uint64_t missed_idle;	/* where RCU was idle */
	uint64_t reserved[4];
};

struct ktrace_info {
	uint64_t id;
	const char *version; /* of ktrace; may be NULL, as the strings below */
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
	uint32_t nr_cpus; /* number of CPUs with a stream */
	const struct ktrace_cpu *cpus;
	/* Still being written: see ktrace_recording_follow(), ktrace_open_follow(). */
	bool live;
	const char *reason; /* why the recording ended; NULL: it was cut off */
	uint64_t bytes;	    /* of all streams */
	/*
	 * CLOCK_REALTIME - CLOCK_MONOTONIC at the start, in ns.  It grows when
	 * the machine sleeps; see the points in @sync.
	 */
	int64_t realtime;
	/*
	 * One for each reason of each source that counts misses.  None: there were no such
	 * sources, or the recording was cut off.
	 */
	uint32_t nr_misses;
	const struct ktrace_miss *misses;
	/* One for each probe that was reached.  None also if the recording was cut off. */
	uint32_t nr_probe_hits;
	const struct ktrace_probe_hits *probe_hits;
};

struct ktrace;

/*
 * An archive is unpacked into files without a name in $TMPDIR or /tmp, which go when the trace is
 * closed, and into memory.
 */
KTRACE_API int ktrace_open(const char *path, struct ktrace **trace);

/*
 * Opens a trace that comes as a stream, through a pipe or from a file: see
 * ktrace-trace(5).  The caller keeps @fd.  Opening waits until the recorder has
 * described what it records.
 *
 * Such a trace can have one cursor.  At the end of the data the cursor waits
 * for more.  It needs little memory, because data is freed after it was read.
 * Types, losses and the end of the recording become known only as they are
 * read: all of them are there when ktrace_cursor_next() returns KTRACE_END.
 */
KTRACE_API int ktrace_open_stream(int fd, struct ktrace **trace);

/*
 * Opens a trace on disk that somebody records at this moment, to read it as it grows.  A cursor waits at the
 * end of what is there, and delivers events some tenths of a second after they happened, in order, until
 * the recording ends.  The recorder sees that somebody reads, and tells how far the streams of all CPUs are
 * complete; nothing else must be done.  A trace that nobody records any more is opened as by ktrace_open().
 * @directory: that of @path, which the caller has opened; negative: @path is opened here.
 *
 * It ends where the recording goes on in another trace: info's reason begins with "rotation" or "snapshot".
 */
KTRACE_API int ktrace_open_follow(int directory, const char *path,
				  struct ktrace **trace);
/*
 * Waits until the events that happened before this call are there, so that a cursor delivers all up to *@until
 * (ns) without waiting; UINT64_MAX: the recording has ended, or @stop, which may be NULL, has returned true.
 */
KTRACE_API int ktrace_follow_now(struct ktrace *trace, bool (*stop)(void *data),
				 void *data, uint64_t *until);

/* A trace in memory.  The caller's memory must outlive the trace. */
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
	KTRACE_FILE_CPU,      /* streams, by number */
	KTRACE_FILE_PROGRAMS, /* the same, for programs */
	KTRACE_FILE_STREAM,   /* of a kind that is named in the metadata */
	KTRACE_FILE_STACKS,
};

/*
 * The kind of file with this name.  *@number: of the stream; @number may be
 * NULL.
 */
KTRACE_API enum ktrace_file ktrace_file_kind(const char *name,
					     uint32_t *number);
/*
 * Removes a trace and nothing else.  -ENOTEMPTY: its directory has other files,
 * so it stays.  Does not follow a link.
 */
KTRACE_API int ktrace_remove(const char *path);
/*
 * Removes a trace's files from the open @directory, and nothing else.
 * Continues after an error; returns the first error.
 */
KTRACE_API int ktrace_remove_files(int directory);

/*
 * What is wrong with the trace: one sentence each.  There may be more of them
 * while a cursor reads.  NULL: no more.
 */
KTRACE_API const char *ktrace_warning(const struct ktrace *trace, size_t index);

/*
 * The function that contains @address, or NULL; *@offset is counted from its
 * begin.
 */
KTRACE_API const char *ktrace_symbol(const struct ktrace *trace,
				     uint64_t address, uint64_t *offset);

/* The module of that function; NULL: it is the kernel's own, or there is none. */
KTRACE_API const char *ktrace_symbol_module(const struct ktrace *trace,
					    uint64_t address);

/* Events */

struct ktrace_event {
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint32_t cpu;
	uint32_t tid; /* the task that ran */
	uint32_t tgid;
	const char *comm; /* its name, or "<...>"; valid until the next call */
	uint64_t task;	  /* changes with the task and with its name */
	const struct ktrace_type *type;
	const uint8_t *payload; /* valid until the next call */
	uint32_t size;
};

/* Events of @cpu that are missing between @from and @time. */
struct ktrace_loss {
	uint64_t time; /* when the loss was noticed */
	uint64_t from;
	uint32_t cpu;
	enum ktrace_lost cause;
	uint64_t count;
	bool programs; /* markers of programs, not events of the kernel ... */
	uint32_t user; /* ... whose user this is */
};

/* Why a stack has no more frames. */
enum ktrace_stack_end {
	KTRACE_STACK_COMPLETE,
	KTRACE_STACK_TRUNCATED, /* it has more than can be recorded */
	KTRACE_STACK_NO_TABLE, /* nothing says what the last function has on it */
	KTRACE_STACK_HOOKED,   /* a tracer had replaced a return address */
	KTRACE_STACK_BROKEN, /* the next frame would be outside of all stacks */
	KTRACE_STACK_UNKNOWN, /* the kernel's own unwinder does not tell */
	/* Only of programs: */
	KTRACE_STACK_ABSENT,  /* memory of the stack was not there */
	KTRACE_STACK_NO_RULE, /* no rule can say where the caller is */
	KTRACE_STACK_CORRUPT, /* the caller's frame would not be above */
	KTRACE_STACK_NO_MAPS, /* the process's mappings were not known */
	KTRACE_STACK_CONTEXT, /* programs could not be read there */
	KTRACE_STACK_EXEC, /* the program was being replaced by another one */
	/* Of both: */
	KTRACE_STACK_MISSING, /* there was no room to store it */
	KTRACE_STACK_DAMAGED, /* the trace does not have it, or not as it was */
};

/* Who called: addresses behind the calls, innermost first. */
struct ktrace_stack {
	/* Valid until the next call.  Those of programs are for ktrace_stack_frame(). */
	const uint64_t *addresses;
	uint32_t nr;
	enum ktrace_stack_end end;
	uint32_t id; /* the same stack has the same id; 0: it was not stored */
	bool user;   /* of the program, not of the kernel */
	bool exact; /* the first address is an instruction, not behind a call */
	bool branches; /* it is none: see ktrace_event_branches() */
};

/* How many functions of one place are told that the compiler has put into others. */
#define KTRACE_INLINED_MAX 64

/* Where a frame of a program is.  Texts are untrusted, and valid until the next call. */
struct ktrace_stack_frame {
	const char *function; /* as in its source, demangled; NULL: not known */
	const char *file;     /* NULL: not known, or in none */
	uint64_t offset;  /* in the function, or in the file; or an address */
	uint64_t address; /* in the file; or in the process */
	bool guess;	  /* it was found without a table */
	const char *
		symbol; /* the function as its file calls it; NULL: not known */
	const char *source; /* "path:line"; NULL: not known */
	/*
	 * How many functions the compiler has put into this one and into each other at this
	 * place, KTRACE_INLINED_MAX at most: see ktrace_stack_inlined().
	 */
	uint32_t inlined;
};

/* How many stacks events of this type have: the last fields are their ids ... */
KTRACE_API unsigned int ktrace_type_stacks(const struct ktrace_type *type);
/* ... and in front of these is that of branches, if they have some. */
KTRACE_API bool ktrace_type_branches(const struct ktrace_type *type);
/* How many fields are not such ids. */
static inline uint32_t ktrace_type_own_fields(const struct ktrace_type *type)
{
	return type->nr_fields - ktrace_type_stacks(type) -
	       ktrace_type_branches(type);
}
/* The kernel's.  False: its type has no such stacks, or this event was to have none. */
KTRACE_API bool ktrace_event_stack(const struct ktrace *trace,
				   const struct ktrace_event *event,
				   struct ktrace_stack *stack);
/* That of the program that had entered the kernel.  A thread of the kernel has no frames. */
KTRACE_API bool ktrace_event_user_stack(const struct ktrace *trace,
					const struct ktrace_event *event,
					struct ktrace_stack *stack);
/* A frame of a program's stack; @index is below the stack's nr. */
KTRACE_API void ktrace_stack_frame(const struct ktrace *trace,
				   const struct ktrace_stack *stack,
				   uint32_t index,
				   struct ktrace_stack_frame *place);
/*
 * A function inside of that frame; @nr is below the frame's inlined, and 0 is the innermost one.
 * It has no offset; its address is that of the frame.
 */
KTRACE_API void ktrace_stack_inlined(const struct ktrace *trace,
				     const struct ktrace_stack *stack,
				     uint32_t index, uint32_t nr,
				     struct ktrace_stack_frame *place);
/* That with an id of this trace.  False: there is none; branches are none. */
KTRACE_API bool ktrace_stack_find(const struct ktrace *trace, uint32_t id,
				  struct ktrace_stack *stack);
/* In a few words; NULL: there is nothing to say. */
KTRACE_API const char *ktrace_stack_end_text(enum ktrace_stack_end end);

enum ktrace_branch_kind {
	KTRACE_BRANCH_JUMP = 1,
	KTRACE_BRANCH_CONDITIONAL = 2, /* a conditional jump that was taken */
	KTRACE_BRANCH_INDIRECT =
		3, /* a jump to where a register or memory said */
	KTRACE_BRANCH_CALL = 4,
	KTRACE_BRANCH_INDIRECT_CALL = 5,
	KTRACE_BRANCH_RETURN = 6,
	/* It has called the kernel, and went on at `to'. */
	KTRACE_BRANCH_SYSCALL = 7,
	/* The kernel has sent the thread elsewhere: to a signal's handler, back, to a new program. */
	KTRACE_BRANCH_SENT = 8,
	/* Something between `from' and `to' that could not be followed. */
	KTRACE_BRANCH_UNKNOWN = 9,
	/* Stamps: `from' is the CPU, `to' the time, of the trace's clock. */
	KTRACE_BRANCH_ARRIVES = 10, /* the thread runs from now on */
	KTRACE_BRANCH_LEAVES = 11,
	KTRACE_BRANCH_ENDS = 12,   /* the thread has ended */
	KTRACE_BRANCH_BEGINS = 13, /* it is traced from now on */
	/*
	 * No stamp: `from' is the instruction where the thread was when it ended, `to' the signal that
	 * has killed it; 0: none has, or it has killed another thread of the process.
	 */
	KTRACE_BRANCH_LAST = 14,
	/* A stamp: when the thread went on behind a system call, or where it was sent. */
	KTRACE_BRANCH_TIME = 15,
};

/* One word: "call", "conditional" ... */
KTRACE_API const char *ktrace_branch_kind_name(enum ktrace_branch_kind kind);

/*
 * The branches that the program had taken before the event, oldest first.  @places has two frames of
 * the program for each, for ktrace_stack_frame(): where it was, then where it went.  False: its type
 * has none, nobody traced this program's branches, or it had taken none.  If the event is a branch
 * (ktrace_type.branch), it is that.
 */
KTRACE_API bool ktrace_event_branches(const struct ktrace *trace,
				      const struct ktrace_event *event,
				      struct ktrace_stack *places);
/* @branch: below half of the places.  May be none of the above. */
KTRACE_API enum ktrace_branch_kind ktrace_event_branch_kind(
	const struct ktrace_stack *places, uint32_t branch);

/* A time of the trace's clock, as KTRACE_BRANCH_TIME has it, in ns of CLOCK_MONOTONIC: that of events. */
KTRACE_API uint64_t ktrace_clock_time(const struct ktrace *trace,
				      uint64_t clock);

/*
 * CLOCK_REALTIME at a time of events: ns since 1970.  Sleeps of the machine are known, but whoever has
 * set the clock is seen only at the next point of ktrace_info.sync.
 */
KTRACE_API int64_t ktrace_wall_time(const struct ktrace *trace, uint64_t time);
/*
 * The first time of events at which CLOCK_REALTIME is @wall (ns since 1970) or later.  0: it was later
 * than @wall from the beginning.
 */
KTRACE_API uint64_t ktrace_wall_find(const struct ktrace *trace, int64_t wall);

/*
 * Between these times, in ns of CLOCK_MONOTONIC, are all events of the trace: *@first is not after the
 * first of them, *@last not before the last one, by less than one packet.  Reads the headers of packets
 * only, or what is damaged.  -ENODATA: there are no packets.  -EAGAIN: the trace comes as a stream, or
 * is still being written.
 */
KTRACE_API int ktrace_time_range(struct ktrace *trace, uint64_t *first,
				 uint64_t *last);

/* What ktrace_cursor_next() returns. */
enum ktrace_item {
	KTRACE_END,
	KTRACE_EVENT,
	KTRACE_LOSS,
};

/*
 * A cursor goes through the trace in order of time, then of CPU.  Zero means
 * "all". @from and @to are CLOCK_MONOTONIC; @cpus lists @nr_cpus CPUs; @want
 * returns true for types to be shown.
 *
 * What ends before @from is skipped by the headers of packets, so what is wrong with it is not seen;
 * names of tasks are right all the same.  All is read if the trace has markers of programs, if a header
 * is damaged, or if spans or a time line are made of the cursor before its first item.
 */
struct ktrace_cursor_options {
	size_t size; /* of this struct */
	uint64_t from;
	uint64_t to;
	const uint32_t *cpus;
	size_t nr_cpus;
	bool (*want)(const struct ktrace_type *type, void *data);
	void *data;
	/*
	 * For a stream, and a trace that is followed: called before the cursor waits for more data.  May be
	 * NULL.
	 */
	void (*wait)(void *data);
	void *wait_data; /* also of @stop */
	/* Asked behind that: if it returns true, what is there now is the end.  May be NULL. */
	bool (*stop)(void *data);
};

/*
 * A time *@from (ns) from which on a cursor of these @options delivers about so many @events: for who wants
 * the last ones.  Headers of packets say how many they have, so some of them may be of types that are
 * not wanted, and one packet more may be needed.  0: the begin of the trace.  Is 0, too, if a header is
 * damaged.  -EAGAIN: the trace comes as a stream, or is being written by this process.
 */
KTRACE_API int ktrace_time_tail(struct ktrace *trace,
				const struct ktrace_cursor_options *options,
				uint64_t events, uint64_t *from);

struct ktrace_cursor;

KTRACE_API int ktrace_cursor_create(struct ktrace *trace,
				    const struct ktrace_cursor_options *options,
				    struct ktrace_cursor **cursor);
KTRACE_API void ktrace_cursor_destroy(struct ktrace_cursor *cursor);

/* Returns an enum ktrace_item, or a negative errno if no more can be read. */
KTRACE_API int ktrace_cursor_next(struct ktrace_cursor *cursor);
/* The item that ktrace_cursor_next() found. */
KTRACE_API const struct ktrace_event *ktrace_cursor_event(
	const struct ktrace_cursor *cursor);
KTRACE_API const struct ktrace_loss *ktrace_cursor_loss(
	const struct ktrace_cursor *cursor);
/*
 * A loss is delivered at the end of its gap.  Since when (ns) events of the kernel are missing whose
 * loss is still to be delivered; 0: there are none.  Who stops before the end of a trace must ask.
 */
KTRACE_API uint64_t
ktrace_cursor_losing_since(const struct ktrace_cursor *cursor);

/* Bytes of the streams that have been read, for a progress display. */
KTRACE_API uint64_t ktrace_cursor_position(const struct ktrace_cursor *cursor);

/* Values of fields. */

/* The value, sign-extended; 0 if it is not an integer or is missing. */
KTRACE_API int64_t ktrace_field_int(const struct ktrace_event *event,
				    const struct ktrace_field *field);

/*
 * The number of the error that the @value of this field stands for, if it is the
 * result of a syscall or of a function of the kernel; 0: it is no error.
 */
KTRACE_API int ktrace_field_error(const struct ktrace_field *field,
				  int64_t value);

/*
 * The bytes of the value; *@size is 0 if they are not in the payload.  A string
 * comes without its NUL, which may be missing in the payload.
 */
KTRACE_API const uint8_t *ktrace_field_bytes(const struct ktrace_event *event,
					     const struct ktrace_field *field,
					     size_t *size);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_TRACE_H */
