// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The sink that is a pipe, or anything else that can only be appended to: all goes there
 * as frames (read/frame.h), each whole before the next begins.
 *
 * Threads of several feeds write, so a lock keeps frames apart.  After an error nothing
 * more is written: the frame that failed may be there in part.
 *
 * The caller ignores SIGPIPE.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "read/frame.h"
#include "sink.h"

struct pipe_sink {
	struct sink sink;
	int fd;
	pthread_mutex_t lock; /* of all below */
	int error;	      /* the first */
};

struct pipe_stream {
	struct sink_stream stream;
	enum ktrace_file kind;
	uint32_t number;
};

/* All of both, however little the descriptor takes at once. */
static int write_both(int fd, struct iovec iov[2])
{
	int first = 0;

	while (first < 2) {
		ssize_t n = writev(fd, iov + first, 2 - first);

		if (n < 0 && errno == EAGAIN) {
			struct pollfd room = {.fd = fd, .events = POLLOUT};

			poll(&room, 1, -1);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
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
		p->error = write_both(p->fd, iov);
	err = p->error;
	pthread_mutex_unlock(&p->lock);
	return err;
}

static int pipe_explain(struct sink *sink, int err)
{
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

static int pipe_sync(struct sink *sink, uint64_t until)
{
	return frame_write(sink, FRAME_SYNC, 0, &until, sizeof(until));
}

/* An empty frame says that there is such a stream. */
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

static int pipe_create(const struct ktrace_recording_options *options,
		       struct sink **sink)
{
	struct pipe_sink *p;

	if (options->directory)
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return error_set(-ENOMEM, "out of memory");
	p->fd = fcntl(options->output, F_DUPFD_CLOEXEC, 0);
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
	.destroy = pipe_destroy,
};
