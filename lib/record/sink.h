/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A sink: the destination of a recording.
 *
 * A trace consists of lines of metadata, a table of symbols, and streams of
 * packets. Feeds (feed.h) and the writer (writer.h) give these to a sink, and
 * do not know what it does with them.  A new sink is a file with a struct
 * sink_ops, and a name in lib/meson.build.
 *
 * A stream belongs to the feed that opened it.  One stream is used by one
 * thread at a time, but different threads may use different streams.  The rest
 * of the sink is used by one thread at a time.  A sink that writes everything
 * to one place needs a lock.
 */
#ifndef KT_LIB_RECORD_SINK_H
#define KT_LIB_RECORD_SINK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <stdbool.h>

#include <ktrace/recording.h>

#include "parts.h"

struct sink;

struct sink_stream {
	struct sink *sink;
	uint64_t bytes; /* in complete packets; any thread may load it */
	uint32_t open;	/* bytes after those: see show() */
};

struct sink_ops {
	/*
	 * *@sink is NULL if the options ask for another kind of sink.  Others
	 * cannot see the new sink yet.
	 */
	int (*create)(const struct ktrace_recording_options *options,
		      struct sink **sink);

	/*
	 * Adds whole lines of metadata, or none if it fails.  Sets the error
	 * message.
	 */
	int (*lines)(struct sink *sink, const char *text, size_t size);
	/*
	 * For a sink that has followed(): a line that takes the place of the one before, which is as long.
	 * Sets the error message.
	 */
	int (*point)(struct sink *sink, const char *line, size_t size);
	/*
	 * Makes the lines survive a crash.  Sets the error message.  May be
	 * NULL.
	 */
	int (*flush)(struct sink *sink);
	/*
	 * Writes the symbols.  If it has no sync(), it may be called again, and the last ones are
	 * valid.  Sets the error message.
	 */
	int (*symbols)(struct sink *sink, const char *text, size_t size);

	/* Streams: the recording sets the error messages. */
	int (*open)(struct sink *sink, enum ktrace_file kind, uint32_t number,
		    struct sink_stream **stream);
	/*
	 * Appends whole packets, each with a size that is a multiple of 8.
	 * Returns how many are in the stream, at least one, or -errno.  No part
	 * of the others is.
	 */
	int (*append)(struct sink_stream *stream, const struct iovec *packets,
		      int nr);
	/*
	 * Stores the written part of a packet that is being filled, for those
	 * who follow.  It is after the stream's end, until the next append() or
	 * show().
	 */
	int (*show)(struct sink_stream *stream, const void *packet,
		    uint32_t size);
	void (*close)(struct sink_stream *stream);

	/*
	 * Says that all events before this clock are in the streams, for those
	 * who read while it is written.  NULL: they read in sink->directory.
	 * -EAGAIN: there is no room at present.
	 */
	int (*sync)(struct sink *sink, uint64_t until);
	/* Is there no room at present?  NULL: there always is. */
	bool (*stalled)(const struct sink *sink);
	/* Does another process read it while it is written?  NULL: that is not known. */
	bool (*followed)(const struct sink *sink);
	/*
	 * The recording ends: no long waits any more for a reader who does not
	 * read.  May be NULL.
	 */
	void (*ending)(struct sink *sink);

	/*
	 * Reserves space for the end of the metadata, and gives back what was not
	 * needed.  Both may be NULL.
	 */
	void (*reserve)(struct sink *sink);
	void (*release)(struct sink *sink);
	/* Nothing was recorded: removes what was created.  May be NULL. */
	void (*remove)(struct sink *sink);
	void (*destroy)(struct sink *sink);
};

struct sink {
	const struct sink_ops *ops;
	const char *name; /* its name in messages */
	/* Where it can be read while it is written; -1: nowhere. */
	int directory;
};

/* The kind of sink that the options ask for. */
int sink_create(const struct ktrace_recording_options *options,
		struct sink **sink);
/* Sets the message for an error of writing to it.  Returns @err. */
int sink_explain(const struct sink *sink, int err);

static inline bool sink_is_stalled(const struct sink *sink)
{
	return sink->ops->stalled && sink->ops->stalled(sink);
}

/* One for each name in the list of sinks, which is in lib/meson.build. */
#define SINK(name) extern const struct sink_ops name##_sink;
SINKS
#undef SINK

/* The sink of directory.c, in a directory that exists. */
int directory_sink_open(const char *path, struct sink **sink);

#endif /* KT_LIB_RECORD_SINK_H */
