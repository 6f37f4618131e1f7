/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A sink: where a recording goes.
 *
 * A trace is lines of metadata, a table of symbols, and streams of packets.  Feeds
 * (feed.h) and the writer (writer.h) hand these over; the sink alone knows what becomes
 * of them.  Nothing outside of a sink's file knows which sink it is: a new one is a file
 * with a struct sink_ops, and a line in sink.c.
 *
 * Streams belong to the feed that opened them: one thread at a time uses a stream, but
 * different threads use different streams.  The rest of the sink is used by one thread at
 * a time.  A sink that has one place for all of this has a lock of its own.
 */
#ifndef KT_LIB_RECORD_SINK_H
#define KT_LIB_RECORD_SINK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <stdbool.h>

#include <ktrace/recording.h>

struct sink;

struct sink_stream {
	struct sink *sink;
	uint64_t bytes; /* of whole packets; any thread may load it */
	uint32_t open;	/* bytes behind those: see show() */
};

struct sink_ops {
	/*
	 * *@sink: NULL if the options are not about such a sink.  It is not visible to
	 * others yet.
	 */
	int (*create)(const struct ktrace_recording_options *options,
		      struct sink **sink);

	/* Whole lines of the metadata; none of them if that fails.  Explains errors. */
	int (*lines)(struct sink *sink, const char *text, size_t size);
	/* The lines survive a crash of the machine.  Explains errors.  May be NULL. */
	int (*flush)(struct sink *sink);
	/* The file `symbols', once.  Explains errors. */
	int (*symbols)(struct sink *sink, const char *text, size_t size);

	/* Errors of streams are explained by the recording. */
	int (*open)(struct sink *sink, enum ktrace_file kind, uint32_t number,
		    struct sink_stream **stream);
	/*
	 * Whole packets, each of a size that is a multiple of 8: returns how many of them
	 * are in the stream, at least one, or -errno.  Nothing of the others is.
	 */
	int (*append)(struct sink_stream *stream, const struct iovec *packets,
		      int nr);
	/*
	 * A packet that is being filled, as far as it is.  It stays behind the stream's
	 * end until the next append() or show(), for those who follow.
	 */
	int (*show)(struct sink_stream *stream, const void *packet,
		    uint32_t size);
	void (*close)(struct sink_stream *stream);

	/*
	 * All events before this clock are in the streams, for those who read while it is
	 * written.  NULL: they look for themselves, in sink->directory.
	 */
	/* -EAGAIN: it takes nothing at present. */
	int (*sync)(struct sink *sink, uint64_t until);
	/* Does it take nothing at present?  NULL: it always does. */
	bool (*stalled)(const struct sink *sink);
	/* The recording ends: who does not take what is left is not waited for long. */
	void (*ending)(struct sink *sink);

	/* Makes sure that the end of the metadata finds room.  May be NULL. */
	void (*reserve)(struct sink *sink);
	void (*release)(struct sink *sink);
	/* Nothing was recorded: leaves nothing behind.  May be NULL. */
	void (*remove)(struct sink *sink);
	void (*destroy)(struct sink *sink);
};

struct sink {
	const struct sink_ops *ops;
	const char *name; /* what messages call it */
	/* Where it can be read while it is written; -1: it cannot. */
	int directory;
};

/* The one that the options ask for. */
int sink_create(const struct ktrace_recording_options *options,
		struct sink **sink);

static inline bool sink_is_stalled(const struct sink *sink)
{
	return sink->ops->stalled && sink->ops->stalled(sink);
}

/* ---- a trace on disk: directory.c ------------------------------------------------ */

extern const struct sink_ops directory_sink;
/* In a directory that is there already. */
int directory_sink_open(const char *path, struct sink **sink);

/* ---- one stream of bytes: pipe.c -------------------------------------------------- */

extern const struct sink_ops pipe_sink;

#endif /* KT_LIB_RECORD_SINK_H */
