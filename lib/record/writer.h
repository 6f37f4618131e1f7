/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Writing metadata: the part that is not in include/ktrace/writer.h. */
#ifndef KT_LIB_RECORD_WRITER_H
#define KT_LIB_RECORD_WRITER_H

#include <ktrace/writer.h>

struct sink;

/* As ktrace_writer_create(), but to @sink, which the caller keeps. */
int writer_create(struct sink *sink, const struct ktrace_writer_head *head,
		  struct ktrace_writer **writer);

/*
 * Writes names of values for a type that was written without them.  So neither
 * types nor packets must wait until the names are found.
 */
int writer_names(struct ktrace_writer *writer, const struct ktrace_type *type);

/* As ktrace_writer_types(), but only those with ids below @limit. */
int writer_types_below(struct ktrace_writer *writer,
		       const struct ktrace_types *types, uint32_t limit);

/*
 * Writes the user and the CPU of the programs whose markers are in a stream, and the ids that
 * the user's markers may have.
 */
int writer_programs(struct ktrace_writer *writer, uint32_t stream,
		    uint32_t user, uint32_t cpu, uint32_t first_id,
		    uint32_t nr_ids);

/* Writes what a stream has that is none of packets. */
int writer_stream(struct ktrace_writer *writer, uint32_t stream,
		  const char *kind);

/*
 * Writes which file a number in the frames of programs' stacks means.  Any thread may call this.
 * @id_size: 0: it has no build id.
 */
int writer_file(struct ktrace_writer *writer, uint32_t number, const char *path,
		const uint8_t *id, size_t id_size);

/* Tells those who read while it is written that all events before this clock are in the streams. */
int writer_point(struct ktrace_writer *writer, uint64_t clock);

/* Writes the lines of the file `symbols'. */
int writer_symbols(struct ktrace_writer *writer, const char *text, size_t size);

#endif /* KT_LIB_RECORD_WRITER_H */
