/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A feed: where a recording's events come from.
 *
 * A feed has rings, and brings their packets to streams of the recording's sink (sink.h):
 * kernel.c those of a session, programs.c those of programs.  The recording knows feeds by
 * these operations alone: a new one is a file with a struct feed_ops, and a line in feed.c.
 *
 * All operations are called by the thread that has the recording.  What a feed does in the
 * background is its own.
 */
#ifndef KT_LIB_RECORD_FEED_H
#define KT_LIB_RECORD_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/recording.h>

#include "sink.h"

struct feed;

/* What a feed may need of its recording. */
struct feed_setup {
	struct ktrace_session *session; /* NULL: without the kernel */
	const struct ktrace_recording_options *options;
	/* With prepare(): */
	struct sink *sink;
	struct ktrace_writer *writer;
	const struct ktrace_clock *clock;
	uint32_t first_id; /* of events: those before it are taken */
};

/* A stream, and what there is to tell of it. */
struct feed_count {
	/* As the end of the metadata has it: events, and what was lost. */
	struct ktrace_cpu cpu;
	uint64_t bytes;	  /* of whole packets */
	uint64_t shown;	  /* the same, and the packet that is being filled */
	uint64_t waiting; /* bytes in the ring that were not given back */
};

struct feed_ops {
	/* *@feed: NULL if the recording is not to have such events. */
	int (*create)(const struct feed_setup *setup, struct feed **feed);
	/* The sink is there, and what the metadata says first. */
	int (*prepare)(struct feed *feed, const struct feed_setup *setup);
	/* Opens all streams, not each with its first packet: somebody will follow. */
	int (*open)(struct feed *feed);
	/* Before the session is switched on, and after it.  Either may be NULL. */
	int (*start)(struct feed *feed);
	int (*go)(struct feed *feed);

	/*
	 * What was recorded so far is in the sink when this returns.  An event that a
	 * writer is about to commit may follow only the next time.  May be NULL.
	 */
	int (*sync)(struct feed *feed);
	/*
	 * The same with the packets that are being filled.  Until release() nothing more
	 * is written, and the writer is the caller's, even if this fails.  Both may be
	 * NULL.
	 */
	int (*hold)(struct feed *feed);
	void (*release)(struct feed *feed);

	/* Nobody writes events any more: brings what is left to the sink. */
	int (*finish)(struct feed *feed);
	/*
	 * After finish(): 0, or why a part of the events is not in the trace though all
	 * others are.  May be NULL.
	 */
	int (*missed)(const struct feed *feed, const char **why);
	void (*destroy)(struct feed *feed);

	size_t (*nr_streams)(const struct feed *feed);
	/* False: nothing was written there, and nothing lost. */
	bool (*count)(const struct feed *feed, size_t index,
		      struct feed_count *count);
	/* What is added to the time stamp counter: see tsc.h.  May be NULL. */
	uint64_t (*missing)(const struct feed *feed);
};

struct feed {
	const struct feed_ops *ops;
	uint32_t first_id; /* ids from here on are its own; 0: none */
	int error;	   /* 0, or why writing has ended; any thread */
	int failed;	   /* eventfd: readable when it has */
};

/* NULL behind the last one. */
extern const struct feed_ops *const feeds[];
#define FEEDS_MAX 4

static inline int feed_error(const struct feed *feed)
{
	return __atomic_load_n(&feed->error, __ATOMIC_RELAXED);
}

/* Keeps the first error, and tells whoever waits for one. */
void feed_fail(struct feed *feed, int err);

extern const struct feed_ops kernel_feed, programs_feed;

#endif /* KT_LIB_RECORD_FEED_H */
