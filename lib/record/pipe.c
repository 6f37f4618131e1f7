// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The sink that is a pipe, or anything else that can only be appended to.  All
 * data goes there as frames (read/frame.h), one after the other.
 *
 * Threads of several feeds write, so a lock keeps frames from mixing.  After an
 * error nothing more is written; a part of the frame that failed may be there.
 *
 * If the reader does not read, writing waits as long as the recording runs: its
 * buffers become full, and losses are counted.  At the end it waits for a few
 * seconds only.
 *
 * The caller must ignore SIGPIPE.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "read/frame.h"
#include "sink.h"

#define load(p)	    __atomic_load_n((p), __ATOMIC_RELAXED)
#define store(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)

/* How long to wait at the end for a reader that does not read. */
#define PATIENCE_MS 5000
#define STEP_MS	    100

struct pipe_sink {
	struct sink sink;
	int fd;
	bool stalled; /* loaded and stored by any thread */
	bool ending;
	pthread_mutex_t lock; /* protects all below */
	int error;	      /* the first one */
};

struct pipe_stream {
	struct sink_stream stream;
	enum ktrace_file kind;
	uint32_t number;
};

/* Waits until there may be room.  False: the wait is over. */
static bool room_wait(struct pipe_sink *p, int *waited)
{
	struct pollfd room = {.fd = p->fd, .events = POLLOUT};

	store(&p->stalled, true);
	if (poll(&room, 1, STEP_MS))
		return true;
	if (load(&p->ending))
		*waited += STEP_MS;
	return *waited < PATIENCE_MS;
}

/* Writes all of both parts, however little each write() takes. */
static int write_both(struct pipe_sink *p, struct iovec iov[2])
{
	int first = 0, waited = 0;

	while (first < 2) {
		ssize_t n = writev(p->fd, iov + first, 2 - first);

		if (n < 0 && errno == EAGAIN) {
			if (!room_wait(p, &waited))
				return -ETIMEDOUT;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		waited = 0;
		store(&p->stalled, false);
		for (; first < 2 && (size_t)n >= iov[first].iov_len; first++)
			n -= iov[first].iov_len;
		if (first < 2) {
			iov[first].iov_base = (char *)iov[first].iov_base + n;
			iov[first].iov_len -= n;
		}
	}
	return 0;
}

static int frame_write(struct sink *sink, uint32_t kind, uint32_t number,
		       const void *bytes, size_t size)
{
	struct pipe_sink *p = (struct pipe_sink *)sink;
	struct frame frame = {FRAME_MAGIC, kind, number, size};
	struct iovec iov[2] = {{&frame, sizeof(frame)}, {(void *)bytes, size}};
	int err;

	if (size > UINT32_MAX)
		return -EFBIG;
	pthread_mutex_lock(&p->lock);
	if (!p->error)
		p->error = write_both(p, iov);
	err = p->error;
	pthread_mutex_unlock(&p->lock);
	return err;
}

static int pipe_explain(struct sink *sink, int err)
{
	if (err == -ETIMEDOUT)
		return error_set(err,
				 "%s: its reader takes nothing, and what was "
				 "left of the recording is not in it",
				 sink->name);
	if (err == -EPIPE)
		return error_set(
			err,
			"%s: whoever read it has ended, and so has the "
			"recording",
			sink->name);
	return err ? error_set(err, "%s: cannot write: %s", sink->name,
			       strerror(-err))
		   : 0;
}

static int pipe_lines(struct sink *sink, const char *text, size_t size)
{
	return pipe_explain(sink, frame_write(sink, KTRACE_FILE_METADATA, 0,
					      text, size));
}

static int pipe_symbols(struct sink *sink, const char *text, size_t size)
{
	return pipe_explain(sink, frame_write(sink, KTRACE_FILE_SYMBOLS, 0,
					      text, size));
}

static bool pipe_stalled(const struct sink *sink)
{
	const struct pipe_sink *p = (const struct pipe_sink *)sink;
	struct pollfd room = {.fd = p->fd, .events = POLLOUT};

	return load(&p->stalled) || !poll(&room, 1, 0);
}

static void pipe_ending(struct sink *sink)
{
	store(&((struct pipe_sink *)sink)->ending, true);
}

/*
 * Must not wait, because the caller also handles signals.  So this gives up if
 * another thread has the lock or waits for room.  The frame itself is so small
 * that a pipe takes all of it or nothing.  Only at the end it waits for room.
 */
static int pipe_sync(struct sink *sink, uint64_t until)
{
	struct pipe_sink *p = (struct pipe_sink *)sink;
	struct frame frame = {FRAME_MAGIC, FRAME_SYNC, 0, sizeof(until)};
	struct iovec iov[2] = {{&frame, sizeof(frame)},
			       {&until, sizeof(until)}};
	int err;

	if (pthread_mutex_trylock(&p->lock))
		return -EAGAIN;
	if (!p->error && !load(&p->ending) && pipe_stalled(sink)) {
		pthread_mutex_unlock(&p->lock);
		return -EAGAIN;
	}
	if (!p->error)
		p->error = write_both(p, iov);
	err = p->error;
	pthread_mutex_unlock(&p->lock);
	return err;
}

/* An empty frame announces the stream. */
static int pipe_open(struct sink *sink, enum ktrace_file kind, uint32_t number,
		     struct sink_stream **stream)
{
	struct pipe_stream *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	err = frame_write(sink, kind, number, NULL, 0);
	if (err) {
		free(s);
		return err;
	}
	s->stream.sink = sink;
	s->kind = kind;
	s->number = number;
	*stream = &s->stream;
	return 0;
}

static int pipe_append(struct sink_stream *stream, const struct iovec *packets,
		       int nr)
{
	const struct pipe_stream *s = (struct pipe_stream *)stream;

	for (int i = 0; i < nr; i++) {
		int err = frame_write(stream->sink, s->kind, s->number,
				      packets[i].iov_base, packets[i].iov_len);

		if (err)
			return i ?: err;
		__atomic_store_n(&stream->bytes,
				 stream->bytes + packets[i].iov_len,
				 __ATOMIC_RELAXED);
		stream->open = 0;
	}
	return nr;
}

static int pipe_show(struct sink_stream *stream, const void *packet,
		     uint32_t size)
{
	const struct pipe_stream *s = (struct pipe_stream *)stream;
	int err =
		frame_write(stream->sink, FRAME_SHOWN, s->number, packet, size);

	stream->open = err ? 0 : size;
	return err;
}

static void pipe_close(struct sink_stream *stream)
{
	free(stream);
}

static void pipe_destroy(struct sink *sink)
{
	close(((struct pipe_sink *)sink)->fd);
	free(sink);
}

/*
 * A pipe is opened a second time to make it non-blocking: the caller's
 * descriptor must not change.  If that is impossible (a socket), write() waits.
 */
static int output_open(int output)
{
	char path[40];
	struct stat st;
	int fd = -1;

	if (!fstat(output, &st) && S_ISFIFO(st.st_mode)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", output);
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	}
	return fd >= 0 ? fd : fcntl(output, F_DUPFD_CLOEXEC, 0);
}

static int pipe_create(const struct ktrace_recording_options *options,
		       struct sink **sink)
{
	struct pipe_sink *p;

	if (options->directory)
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return error_set(-ENOMEM, "out of memory");
	p->fd = output_open(options->output);
	if (p->fd < 0) {
		free(p);
		return error_set(-errno, "the recording's output: %m");
	}
	pthread_mutex_init(&p->lock, NULL);
	p->sink.ops = &pipe_sink;
	p->sink.name = "the stream";
	p->sink.directory = -1;
	*sink = &p->sink;
	return 0;
}

const struct sink_ops pipe_sink = {
	.create = pipe_create,
	.lines = pipe_lines,
	.symbols = pipe_symbols,
	.open = pipe_open,
	.append = pipe_append,
	.show = pipe_show,
	.close = pipe_close,
	.sync = pipe_sync,
	.stalled = pipe_stalled,
	.ending = pipe_ending,
	.destroy = pipe_destroy,
};
