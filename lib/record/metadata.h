/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a recording says of its events: the metadata of one trace, as far as a session is to be
 * asked for it, and what of it is written by now.
 */
#ifndef KT_LIB_RECORD_METADATA_H
#define KT_LIB_RECORD_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/recording.h>
#include <ktrace/writer.h>

#include "functions.h"
#include "sink.h"
#include "sleep.h"

struct feed;

/* @session, @feeds, @unread, @types, @sink and, if it is known, @nr_cpus are set by the recording. */
struct metadata {
	struct ktrace_session *session; /* NULL: without the kernel */
	struct feed *const *feeds;	/* ends with a NULL */
	bool unread;			/* nobody reads it: it has no types */
	struct ktrace_types *types;	/* all; NULL: nobody can follow */
	struct sink *sink;
	struct ktrace_writer *writer;
	bool symbols;	    /* some event shows the address of a function */
	char *symbols_told; /* see symbols.h */
	uint32_t nr_cpus;   /* 0: as many streams as there are now */
	bool *ids;	    /* by id: true for the types that were written */
	size_t nr_ids;
	uint32_t next_id;     /* new types have at least this id; 0: unknown */
	char *tasks;	      /* text of the listing at its begin */
	uint64_t begun;	      /* ns: of the first calibration point */
	uint64_t calibrated;  /* ns: of the last one */
	struct sleeps sleeps; /* used if there is a @session */
	struct functions functions; /* used if there is a @session */
};

#define feed_each(r, feed)                                                 \
	for (struct feed *const *each = (r)->feeds, *feed; (feed = *each); \
	     each++)

/* All return 0 or a negative errno, with a message. */

/* The lines that are known before the first event, but for tasks; sets @nr_cpus. */
int metadata_first(struct metadata *m,
		   const struct ktrace_recording_options *o);

/* Reads the types that got an id since the last time.  NULL: there are none. */
int metadata_types_read(struct metadata *m, struct ktrace_types **types,
			uint32_t *next_id);
/* Writes those.  Takes over @types. */
int metadata_types_append(struct metadata *m, struct ktrace_types *types,
			  uint32_t next_id);
/* Both. */
int metadata_types_write(struct metadata *m);

/* Reads the kernel's clock or, without the kernel, the same clock directly. */
int metadata_clock_read(const struct metadata *m, struct ktrace_clock *clock);
/* Writes a calibration point, and the sleeps before it. */
int metadata_clock_write(struct metadata *m);
/* Writes @clock as one, if it is time for one. */
int metadata_calibrate(struct metadata *m, const struct ktrace_clock *clock);

/* Writes the tasks that exist: before its first event, but not long before. */
int metadata_tasks_write(struct metadata *m);
/* Adds those that have begun meanwhile: soon after its first event. */
int metadata_tasks_complete(struct metadata *m);
/* Writes the symbols, if an event needs them.  They may fail. */
void metadata_symbols_write(struct metadata *m);

/* Also closes the sink.  Not before the feeds have closed their streams. */
void metadata_free(struct metadata *m);

#endif /* KT_LIB_RECORD_METADATA_H */
