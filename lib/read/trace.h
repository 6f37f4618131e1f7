/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* An open trace: its metadata, and where its streams are. */
#ifndef KT_LIB_READ_TRACE_H
#define KT_LIB_READ_TRACE_H

#include <ktrace/writer.h>

#include "clock.h"
#include "side.h"
#include "stream.h"
#include "woven.h"
#include "base/text.h"
#include "type/type.h"

/* Limited, because a damaged trace could cause endless warnings. */
#define WARNINGS_MAX 64

struct symbol_table {
	char *text;
	struct symbol_entry *entries; /* by address */
	size_t count;
};

/* The trace's file `stacks', as far as it was read. */
struct stack_table {
	uint8_t *bytes;
	size_t size;
	struct stack_name *names; /* of frames of programs, by frame */
	size_t nr_names;
	struct stack_resolved *resolved; /* by deferred id */
	size_t nr_resolved;
	size_t indexed; /* behind the last entry that was looked at */
	bool whole;	/* the file has no more */
	bool warned;
	char *inlined; /* the name of an inlined function, demangled */
};

/* All numbers of CPUs and streams are smaller than this. */
#define CPUS_MAX 65536

/* Limit for a trace that comes as a stream, where new ones may appear later. */
#define STREAMS_MAX 4096
/* More than there are reasons of sources. */
#define MISSES_MAX 256
/* More than the usual limit of open files. */
#define MANY_STREAMS 256

/* What the metadata says of the stream of programs that has this number. */
struct programs_stream {
	bool known;
	uint32_t cpu; /* on which they ran */
	uint32_t user;
	uint32_t first_id; /* of his markers */
	uint32_t nr_ids;   /* UINT32_MAX: it says nothing of ids */
};

/* A file that programs had mapped: frames of their stacks have its number. */
struct mapped_file {
	uint32_t number;
	const char *path;
	const char *build_id; /* in hexadecimal; NULL: it has none */
};

struct ktrace {
	struct ktrace_info info;
	struct ktrace_types *types;
	struct arena arena; /* strings of info */

	/* From the metadata: */
	bool have_head;
	bool overwrite;
	bool clock_distrusted; /* a warning was given */
	struct ktrace_sync *sync;
	size_t nr_sync;
	struct ktrace_task *tasks;
	size_t nr_tasks;
	struct ktrace_miss *misses;
	size_t nr_misses;
	struct ktrace_probe_hits *probe_hits;
	/* One for each stream, sorted: trace_end_compare(). */
	struct ktrace_cpu *ends;
	size_t nr_ends;
	struct programs_stream *programs; /* by number */
	size_t nr_programs;
	/* By number: the kinds of streams that do not hold packets of records. */
	const char **kinds;
	size_t nr_kinds;
	struct mapped_file *files;
	size_t nr_files;

	struct clock clock;
	struct stream_source *sources; /* by CPU */
	struct ktrace_cpu *cpus;
	size_t nr_sources;

	/* By id, for kt_walk_next(). */
	uint32_t *fixed;
	uint32_t *least;
	uint32_t nr_fixed;
	size_t nr_sized; /* number of types in these arrays */

	/* For a trace that is still being written: */
	uint64_t until;	    /* clock up to which nothing is missing */
	uint64_t round;	    /* counts the calls that add data */
	bool forget;	    /* free what was read */
	uint64_t forgotten; /* bytes that were freed so */
	uint64_t copied;    /* bytes of fields that later names have changed */

	/* Of a stream: limits of packets that were not read yet, and of text. */
	uint64_t held_max;
	uint64_t text_max;
	/*
	 * If it grows by itself: waits a while for more, which there may be or not.  0: no more will come;
	 * or -errno, with a message.  Then there is room for STREAMS_MAX sources, so that no source
	 * moves; and if it comes as a stream, it has one cursor.
	 */
	int (*pump)(struct ktrace *trace);
	bool claimed; /* there was a cursor */
	void (*release)(struct ktrace *trace);
	struct frames *frames; /* if it comes as a stream, else NULL */
	struct follow
		*follow;   /* if it is on disk, and being written by others */
	uint64_t point;	   /* clock: as its writer says for these readers */
	uint64_t point_at; /* where in the metadata it does; 0: nowhere yet */
	uint64_t line_at;  /* where the line begins that is being read */
	int directory;	   /* -1: in memory */
	uint64_t metadata_size; /* bytes that were read */
	bool symbols_read;
	struct symbol_table symbols;
	struct stack_table stacks;
	/* Of a trace whose file gets them later. */
	struct stack_table early_names;
	struct side_stream *sides;
	size_t nr_sides;
	struct woven woven;
	struct stack_table woven_names;

	char *warnings[WARNINGS_MAX];
	size_t nr_warnings;
};

void trace_warn(struct ktrace *trace, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Opens a trace that is still being written.  The open @directory stays open.
 * @types has what its writer describes, now and later, so it is not parsed
 * again; or NULL.
 */
int trace_open_live(int directory, const char *path, bool forget,
		    struct ktrace_types *types, struct ktrace **trace);
/* The stream is complete up to @size.  -ENOENT: it is a new one. */
int trace_grow(struct ktrace *trace, uint32_t number, bool programs,
	       uint64_t size, bool open);
/* Reads the types that were written since the last time. */
int trace_refresh(struct ktrace *trace);
/* All streams are complete up to this clock. */
void trace_advance(struct ktrace *trace, uint64_t until);
/* Of a trace that is followed: can only events come that are later than @time (ns)? */
bool trace_is_past(const struct ktrace *trace, uint64_t time);
/* Adds an entry KT_STACK_NAME, before the file `stacks' has it. */
int trace_name_early(struct ktrace *trace, const void *bytes, size_t size);
/* The recording has ended: reads the counts at the end of the metadata. */
int trace_complete(struct ktrace *trace);

/* For a trace that grows by itself: adds a source, which takes over @fd. */
struct stream_source *trace_source(struct ktrace *trace, enum ktrace_file kind,
				   uint32_t number, int fd);
/* Adds a source.  It has no place yet.  NULL: no memory. */
struct stream_source *trace_source_new(struct ktrace *trace);
/* Sets what the metadata says of the source, which has a number. */
void trace_describe(const struct ktrace *trace, struct stream_source *source);
/* Called after more of the metadata, or (trace_over) its end was read. */
int trace_update(struct ktrace *trace);
int trace_over(struct ktrace *trace);

/* ---- steps of opening a trace ------------------------------------------- */

/* @types may be NULL.  Returns NULL if out of memory. */
struct ktrace *trace_create(struct ktrace_types *types);
/*
 * Reads a trace in an open directory, which may be -errno: it could not be opened.  On failure,
 * closes @trace.
 */
int trace_open_directory(struct ktrace *trace, int directory, const char *path,
			 struct ktrace **result);
/* The last step of all ways to open a trace.  @err: a step before it has failed. */
int trace_opened(struct ktrace *trace, int err, struct ktrace **result);
/* Computes the sizes of payloads, for kt_walk_next(). */
int trace_sizes(struct ktrace *trace);
/* Computes the clock from the calibration points. */
int trace_clock(struct ktrace *trace);
/* A machine of 1000 CPUs has more streams than files may be open. */
void raise_file_limit(void);

/* Reads the metadata into @trace.  -EBADMSG: it is no metadata. */
int metadata_read(struct ktrace *trace, const char *data, size_t size);

/* Reads the names of the traced kernel's functions.  Damage is a warning. */
void symbols_read(struct ktrace *trace);
/* Adds streams for those that have no file, but counts at the end.  -ENOMEM. */
int trace_missing(struct ktrace *trace);
/* By the kind and number of their streams. */
int trace_end_compare(const void *a, const void *b);
/* Takes over @text, which ends with a NUL. */
void symbols_parse(struct ktrace *trace, char *text, size_t size);
const char *symbols_find(const struct symbol_table *symbols, uint64_t address,
			 uint64_t *offset);
const char *symbols_module(const struct symbol_table *symbols,
			   uint64_t address);
void symbols_free(struct symbol_table *symbols);

/* ktrace_stack_find(), or @branches, as ktrace_event_branches() gives them. */
bool trace_stack(const struct ktrace *trace, uint32_t id, bool branches,
		 struct ktrace_stack *stack);

/* What follows in the file `stacks'.  -EFBIG: it is too large. */
int stacks_add(struct stack_table *stacks, const void *bytes, size_t size);
void stacks_free(struct stack_table *stacks);

#endif /* KT_LIB_READ_TRACE_H */
