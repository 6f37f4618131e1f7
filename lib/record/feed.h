/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A feed: a source of a recording's events.
 *
 * A feed has rings, and moves their packets to streams of the recording's sink
 * (sink.h).  kernel.c does this for the rings of a session, programs.c for
 * those of programs.  The recording knows feeds only by these operations: a new
 * feed is a file with a struct feed_ops, and a name in lib/meson.build.
 *
 * All operations are called by the thread that has the recording.  A feed may
 * have threads of its own.
 */
#ifndef KT_LIB_RECORD_FEED_H
#define KT_LIB_RECORD_FEED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/recording.h>

#include "parts.h"
#include "sink.h"

struct feed;

/* What a feed may need from its recording. */
struct feed_setup {
	struct ktrace_session *session; /* NULL: without the kernel */
	const struct ktrace_recording_options *options;
	/* Only for prepare() and rotate(): */
	struct sink *sink;
	struct ktrace_writer *writer;
	const struct ktrace_clock *clock;
	uint32_t first_id; /* of events: lower ones are in use */
	bool *turned; /* rotate() sets it when the other trace gets what comes */
};

/* The counts of a stream. */
struct feed_count {
	/* As in the end of the metadata: events, and losses. */
	struct ktrace_cpu cpu;
	uint64_t bytes;	  /* in complete packets */
	uint64_t shown;	  /* the same, plus the packet that is being filled */
	uint64_t waiting; /* bytes in the ring that still hold unread packets */
};

struct feed_ops {
	/* *@feed is NULL if the recording has no such events. */
	int (*create)(const struct feed_setup *setup, struct feed **feed);
	/*
	 * Called when the sink is there and has the first lines of the
	 * metadata.
	 */
	int (*prepare)(struct feed *feed, const struct feed_setup *setup);
	/*
	 * Opens all streams now, not with their first packets: somebody will
	 * follow.  The recording sets the error message.
	 */
	int (*open)(struct feed *feed);
	/*
	 * Called before and after the session is switched on.  Either may be
	 * NULL.
	 */
	int (*start)(struct feed *feed);
	int (*go)(struct feed *feed);

	/*
	 * When it returns, all that was recorded before is in the sink.  Only
	 * an event that a writer was about to commit may come with the next
	 * call.  -EAGAIN: not now, as too much comes, or the sink has no room.  May be NULL.
	 */
	int (*sync)(struct feed *feed);
	/*
	 * The same including the packets that are being filled.  Until
	 * release() the feed writes nothing, and the caller may use the writer,
	 * even if this failed.  Both may be NULL.
	 */
	int (*hold)(struct feed *feed);
	void (*release)(struct feed *feed);
	/*
	 * After sync(): tells @trace, which somebody looks at, what is otherwise added by complete().
	 * The first trace that looks gets all of it.  May be NULL.
	 */
	void (*view)(struct feed *feed, struct ktrace *trace);

	/*
	 * What was recorded before this call goes to the sink, what comes later to that of
	 * @setup, which is another trace.  Calls @count with the counts of each stream in the
	 * trace that ends.  Sets the error message.  NULL: this feed cannot do it.
	 *
	 * If it fails, the feed uses either trace until destroy(); so both must be there.
	 */
	int (*rotate)(struct feed *feed, const struct feed_setup *setup,
		      void (*count)(void *data, const struct feed_count *count),
		      void *data);
	/*
	 * The recording is about to end: takes what would not wait.  Sets the error message.  May be NULL.
	 */
	int (*ending)(struct feed *feed);
	/*
	 * No more events are written: moves what is left to the sink.  The first of
	 * feeds[] is called last: it may tell the sink up to which time the trace is
	 * complete.
	 */
	int (*finish)(struct feed *feed);
	/*
	 * After finish(): adds what is not an event, and may take minutes.  Unless the trace is
	 * a stream, all events are in it by then, however this ends.  May be NULL.
	 */
	int (*complete)(struct feed *feed);
	/*
	 * After finish(): 0, or why a part of the events is missing in the
	 * trace although the other events are complete.  May be NULL.
	 */
	int (*missed)(const struct feed *feed, const char **why);
	void (*destroy)(struct feed *feed);

	size_t (*nr_streams)(const struct feed *feed);
	/* False: the stream has no data and no losses. */
	bool (*count)(const struct feed *feed, size_t index,
		      struct feed_count *count);
	/*
	 * What must be added to the time stamp counter: see tsc.h.  May be
	 * NULL.
	 */
	uint64_t (*missing)(const struct feed *feed);
};

struct feed {
	const struct feed_ops *ops;
	uint32_t first_id; /* ids from here on belong to it; 0: none */
	int error;	   /* 0, or why writing has ended; used by any thread */
	int failed;	   /* eventfd: readable after an error */
};

/* The last one is NULL. */
extern const struct feed_ops *const feeds[];
#define FEEDS_MAX 4

static inline int feed_error(const struct feed *feed)
{
	return __atomic_load_n(&feed->error, __ATOMIC_RELAXED);
}

/*
 * Calls finish() and complete() of all, of which some may be NULL.  @streamed: somebody reads the
 * trace while it comes.  Returns the first error.
 */
int feeds_finish(struct feed *const all[FEEDS_MAX], bool streamed);

/* Begins a thread, to which no signal is delivered.  0 or -errno, with a message. */
int feed_thread(pthread_t *thread, void *(*run)(void *data), void *data);

/* Stores the first error, and wakes whoever waits for one. */
void feed_fail(struct feed *feed, int err);

/* One for each name in the list of feeds, which is in lib/meson.build. */
#define FEED(name) extern const struct feed_ops name##_feed;
FEEDS
#undef FEED

#endif /* KT_LIB_RECORD_FEED_H */
