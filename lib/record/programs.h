/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The part of a recording that programs write: from their rings to streams. */
#ifndef KT_LIB_RECORD_PROGRAMS_H
#define KT_LIB_RECORD_PROGRAMS_H

#include <ktrace/writer.h>

#include "marker/recorder.h"

struct marked;

/* @writer and @directory stay the caller's. */
int marked_create(const struct markers_options *options,
		  struct ktrace_writer *writer, int directory,
		  struct marked **marked);
/*
 * Markers are on from here on.  The writer is used in the background, until
 * marked_finish().
 */
int marked_start(struct marked *marked);
/*
 * For who follows the trace: all streams have a file from the begin; before
 * marked_start().
 */
int marked_make_files(struct marked *marked);
/*
 * Writes the packets that are being filled as well, as far as they are.  The streams
 * are longer by these then, which are written over as they become longer.  Nothing is
 * written until marked_release(), and the writer is the caller's.
 */
int marked_hold(struct marked *marked);
void marked_release(struct marked *marked);
/* How long the file of stream @index is. */
uint64_t marked_bytes(const struct marked *marked, size_t index);
/* Markers are off; writes what is left. */
int marked_finish(struct marked *marked);
void marked_destroy(struct marked *marked);

/* What is added to the time stamp counter: see tsc.h. */
uint64_t marked_missing(const struct marked *marked);

/* Readable once writing has ended early. */
int marked_fd(const struct marked *marked);
/* 0, or why writing ended. */
int marked_error(const struct marked *marked);
size_t marked_nr(const struct marked *marked);
/* False: nothing was written there, and nothing lost. */
bool marked_count(const struct marked *marked, size_t index,
		  struct ktrace_cpu *cpu, uint64_t *bytes);

#endif /* KT_LIB_RECORD_PROGRAMS_H */
