/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* An open trace: what its metadata says, and where its streams are. */
#ifndef KT_LIB_READ_TRACE_H
#define KT_LIB_READ_TRACE_H

#include <ktrace/writer.h>

#include "clock.h"
#include "stream.h"
#include "base/text.h"
#include "type/type.h"

/* A damaged trace could fill the memory with complaints. */
#define WARNINGS_MAX 64

struct symbol_table {
	char *text;
	struct symbol_entry *entries; /* by address */
	size_t count;
};

/* Numbers of CPUs and streams are smaller. */
#define CPUS_MAX 65536

/* Of a trace that comes as a stream: more may come while it is read. */
#define STREAMS_MAX 4096
/* More than the usual limit of open files. */
#define MANY_STREAMS 256

/* A stream of programs, and where they ran. */
struct programs_stream {
	uint32_t number;
	uint32_t cpu;
};

/* A stream of something else than packets of records. */
struct kind_stream {
	uint32_t number;
	const char *kind;
};

struct ktrace {
	struct ktrace_info info;
	struct ktrace_types *types;
	struct arena arena; /* strings of info */

	/* As the metadata has them: */
	bool have_head;
	bool overwrite;
	bool clock_distrusted; /* told already */
	struct ktrace_sync *sync;
	size_t nr_sync;
	struct ktrace_task *tasks;
	size_t nr_tasks;
	struct ktrace_cpu *ends;
	size_t nr_ends;
	struct programs_stream *programs;
	size_t nr_programs;
	struct kind_stream *kinds;
	size_t nr_kinds;

	struct clock clock;
	struct stream_source *sources; /* by CPU */
	struct ktrace_cpu *cpus;
	size_t nr_sources;

	/* By id, for walking packets. */
	uint32_t *fixed;
	uint32_t *least;
	struct stream_sizes sizes;
	size_t nr_sized; /* types */

	/* Of a trace that is still being written: */
	uint64_t until; /* clock: up to here nothing is missing */
	uint64_t round; /* counts what has been added */
	bool forget;	/* what was read is not needed any more */

	struct frames *frames; /* it comes as a stream; NULL: it does not */
	void (*frames_release)(struct ktrace *trace);
	int directory;		/* -1: in memory */
	uint64_t metadata_size; /* that has been read */
	bool symbols_read;
	struct symbol_table symbols;

	char *warnings[WARNINGS_MAX];
	size_t nr_warnings;
};

void trace_warn(struct ktrace *trace, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Opens one that is still being written; its directory is open, and stays so.  @types:
 * what its writer has described, now and later, so that it is not read again; or NULL.
 */
int trace_open_live(int directory, const char *path, bool forget,
		    struct ktrace_types *types, struct ktrace **trace);
/* The stream @number is whole up to @size.  -ENOENT: there was none at first. */
int trace_grow(struct ktrace *trace, uint32_t number, bool programs,
	       uint64_t size, bool open);
/* Reads what types were written since the last time. */
int trace_refresh(struct ktrace *trace);
/* All streams are whole up to this clock. */
void trace_advance(struct ktrace *trace, uint64_t until);
/* It has been written to its end: reads what the metadata says of that. */
int trace_complete(struct ktrace *trace);

/*
 * Of a trace that comes as a stream: takes over @fd for a stream that is new.  There is
 * room, and no source moves.
 */
struct stream_source *trace_source(struct ktrace *trace, enum ktrace_file kind,
				   uint32_t number, int fd);
/* Says that a stream of another kind is left out. */
void trace_skip(struct ktrace *trace, uint32_t number);
/* More of the metadata was read; the same, and it was the last. */
int trace_update(struct ktrace *trace);
int trace_over(struct ktrace *trace);

/* ---- for who opens one: the steps of it --------------------------------------- */

/* @types: NULL, if there are none yet.  NULL: out of memory. */
struct ktrace *trace_create(struct ktrace_types *types);
/* What walking packets needs to know of types. */
int trace_sizes(struct ktrace *trace);
/* From the calibration points to the clock. */
int trace_clock(struct ktrace *trace);
/* A machine of a thousand CPUs has more streams than files may be open. */
void raise_file_limit(void);

/* Reads the metadata into @trace.  -EBADMSG: it is none. */
int metadata_read(struct ktrace *trace, const char *data, size_t size);

/* The text symbols of the kernel that was traced. */
void symbols_read(struct symbol_table *symbols, int directory);
/* From @text, which ends with a NUL; takes it over. */
void symbols_parse(struct symbol_table *symbols, char *text, size_t size);
const char *symbols_find(const struct symbol_table *symbols, uint64_t address,
			 uint64_t *offset);
void symbols_free(struct symbol_table *symbols);

#endif /* KT_LIB_READ_TRACE_H */
