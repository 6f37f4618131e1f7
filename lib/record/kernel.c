// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The feed of a session: the kernel's rings, one for each CPU.
 *
 * Packets go from the mapped ring to the sink with one copy, and are released
 * at once.
 *
 * One thread serves up to four CPUs: it waits until a packet is there, copies
 * what all four have, then rests.  The rest is as long as the buffers allow, so
 * that each round finds several packets, because waking up is what disturbs the
 * traced machine most. The rest must be short enough for a burst after a
 * silence: it is limited to the time in which the fastest known writer fills a
 * fraction of a buffer.
 *
 * Discard mode: a packet stays until it is released, so many are written in one
 * call. Overwrite mode: the writer may take a packet while it is copied, so it
 * is copied to other memory first.  If releasing it then fails (ESTALE), the
 * copy is dropped, because its events have been counted as overwritten.
 *
 * When the sink refuses a packet, all threads end, and the events left in the
 * buffers are counted as unwritten.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <ktrace.h>

#include "base/error.h"
#include "feed.h"
#include "session/session.h"

#define CPUS_PER_THREAD 4
#define BATCH		16 /* packets that the sink gets in one call */

/* Bytes per millisecond and CPU: no traced load writes more. */
#define RATE_MAX    (400ull * 1000)
#define REST_MAX_US 50000

_Static_assert((int)KTRACE_LOST_FULL == KT_LOST_FULL &&
		       (int)KTRACE_LOST_RECURSION == KT_LOST_RECURSION,
	       "causes of loss have one order");

/*
 * A CPU's buffer and its stream.  Its thread is the only writer of the
 * counters.
 */
struct stream {
	uint32_t cpu;
	int fd;
	struct sink *sink;
	struct sink_stream *out; /* NULL: no packet was written yet */
	const struct kt_control *control;
	const uint8_t *packets;
	size_t size;   /* of the mapping */
	uint64_t next; /* the packet to be copied next */
	uint64_t sync; /* kernel_sync() waits until @next is here */
	uint64_t events;
	uint64_t unwritten;
	uint8_t *copy; /* overwrite mode: a copy of the packet */
};

struct worker {
	struct consumer *consumer;
	struct stream *streams;
	size_t nr;
	int epoll;
	pthread_t thread;
	bool running;
};

struct consumer {
	struct feed feed;
	struct stream *streams;
	size_t nr_streams;
	struct worker *workers;
	size_t nr_workers;
	int session;	 /* the session's folder */
	bool background; /* packets are copied while events are recorded */
	struct sink *sink;
	int stop;   /* eventfd: makes the threads end */
	int missed; /* a buffer could not be opened at the end; @why */
	char why[256];
};

#define load(p)	    __atomic_load_n((p), __ATOMIC_RELAXED)
#define store(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)

static bool stream_overwrites(const struct stream *s)
{
	return s->control->mode == KT_MODE_OVERWRITE;
}

static const struct kt_packet *stream_packet(const struct stream *s,
					     uint64_t seq)
{
	uint64_t slot = seq & (s->control->packets - 1);

	return (const void *)(s->packets + slot * KT_PACKET_SIZE);
}

static bool packet_is_sound(const struct kt_packet *p, uint64_t seq)
{
	return p->magic == KT_PACKET_MAGIC && p->seq == seq &&
	       p->used >= sizeof(*p) && p->used <= KT_PACKET_SIZE;
}

static size_t packet_bytes(const struct kt_packet *p)
{
	return (load(&p->used) + 7) & ~7u;
}

static int stream_out_open(struct stream *s)
{
	struct sink_stream *out;
	int err;

	if (s->out)
		return 0;
	err = s->sink->ops->open(s->sink, KTRACE_FILE_CPU, s->cpu, &out);
	if (err)
		return err;
	/* Other threads, which read the counts, must see all of the stream. */
	__atomic_store_n(&s->out, out, __ATOMIC_RELEASE);
	return 0;
}

/* The next packet has been copied to the sink. */
static void stream_advance(struct stream *s, uint64_t events)
{
	store(&s->events, s->events + events);
	/* If kernel_sync() sees this, the bytes are in the sink. */
	__atomic_store_n(&s->next, s->next + 1, __ATOMIC_RELEASE);
}

/* Overwrite mode: copies, releases and writes one packet. */
static int stream_copy_one(struct stream *s)
{
	const struct kt_packet *p = stream_packet(s, s->next);
	bool sound = packet_is_sound(p, s->next);
	uint64_t seq = s->next, events = load(&p->events);
	struct iovec iov = {s->copy, packet_bytes(p)};
	int n;

	if (sound)
		memcpy(s->copy, p, iov.iov_len);
	if (ioctl(s->fd, KT_PUT_CONSUMED, &seq)) {
		if (errno != ESTALE)
			return -errno;
		s->next = __atomic_load_n(&s->control->consumed,
					  __ATOMIC_ACQUIRE);
		return 0;
	}
	if (!sound)
		return -EBADMSG;
	n = s->sink->ops->append(s->out, &iov, 1);
	if (n < 0) {
		/* It is not in the buffer any more. */
		s->unwritten += events;
		return n;
	}
	stream_advance(s, events);
	return 1;
}

/*
 * Discard mode: writes several packets with one call and releases them.
 * Returns how many.
 */
static int stream_copy_batch(struct stream *s, uint64_t produced)
{
	struct iovec iov[BATCH];
	int nr = 0, done;

	while (nr < BATCH && s->next + nr != produced) {
		const struct kt_packet *p = stream_packet(s, s->next + nr);

		if (!packet_is_sound(p, s->next + nr))
			return -EBADMSG;
		iov[nr].iov_base = (void *)p;
		iov[nr].iov_len = packet_bytes(p);
		nr++;
	}
	done = s->sink->ops->append(s->out, iov, nr);
	for (int i = 0; i < done; i++) {
		const struct kt_packet *p = iov[i].iov_base;
		uint64_t seq = s->next;

		stream_advance(s, p->events);
		if (ioctl(s->fd, KT_PUT_CONSUMED, &seq))
			return -errno;
	}
	return done;
}

/* Returns how many packets were copied. */
static int stream_drain(struct stream *s)
{
	int n, total = 0;

	for (;;) {
		uint64_t produced = __atomic_load_n(&s->control->produced,
						    __ATOMIC_ACQUIRE);

		if (s->next == produced)
			return total;
		n = stream_out_open(s);
		if (!n)
			n = stream_overwrites(s)
				    ? stream_copy_one(s)
				    : stream_copy_batch(s, produced);
		if (n < 0)
			return n;
		total += n;
	}
}

/* Closes the open packet and copies until the buffer is empty. */
static int stream_finish(struct stream *s)
{
	int flushed, n;

	do {
		flushed = ioctl(s->fd, KT_FLUSH) ? -errno : 0;
		n = stream_drain(s);
		if (n < 0)
			return n;
	} while (flushed == -ENOSPC && n > 0);
	return flushed;
}

/* Counts what is left in the buffer, with the open packet, and removes it. */
static void stream_count_unwritten(struct stream *s)
{
	uint64_t produced, before = 0;

	do {
		produced = load(&s->control->produced);
		s->next = load(&s->control->consumed);
		for (uint64_t seq = s->next; seq != produced; seq++) {
			s->unwritten += load(&stream_packet(s, seq)->events);
			if (ioctl(s->fd, KT_PUT_CONSUMED, &seq))
				return;
		}
		if (produced == before)
			return;
		before = produced;
	} while (!ioctl(s->fd, KT_FLUSH));
}

static int stream_open(struct stream *s, int session, uint32_t cpu)
{
	char path[64];
	uint64_t size;
	void *map;
	int err;

	s->cpu = cpu;
	snprintf(path, sizeof(path), "buffers/cpu%u", cpu);
	s->fd = openat(session, path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0) {
		if (errno == EBUSY)
			return error_set(-errno,
					 "another program reads this session's "
					 "buffers: end it first, or record "
					 "beside it with --session NAME");
		return error_set(-errno, "%s: %m", path);
	}
	if (ioctl(s->fd, KT_GET_SIZE, &size)) {
		err = error_set(-errno, "%s: %m", path);
		goto err_close;
	}
	s->size = KT_CONTROL_SIZE + size;
	map = mmap(NULL, s->size, PROT_READ, MAP_SHARED, s->fd, 0);
	if (map == MAP_FAILED) {
		err = error_set(-errno, "%s: cannot be mapped: %m", path);
		goto err_close;
	}
	s->control = map;
	s->packets = (const uint8_t *)map + KT_CONTROL_SIZE;
	if (s->control->magic != KT_CONTROL_MAGIC ||
	    s->control->version != KT_ABI_VERSION ||
	    s->control->packet_size != KT_PACKET_SIZE ||
	    (uint64_t)s->control->packets * KT_PACKET_SIZE != size) {
		err = error_set(-EPROTO,
				"%s: the module ktrace is not of this version",
				path);
		goto err_unmap;
	}
	if (stream_overwrites(s)) {
		s->copy = malloc(KT_PACKET_SIZE);
		if (!s->copy) {
			err = error_set(-ENOMEM, "out of memory");
			goto err_unmap;
		}
	}
	s->next = load(&s->control->consumed);
	return 0;

err_unmap:
	munmap(map, s->size);
err_close:
	close(s->fd);
	return err;
}

static void stream_close(struct stream *s)
{
	if (s->out)
		s->sink->ops->close(s->out);
	free(s->copy);
	munmap((void *)s->control, s->size);
	close(s->fd);
}

/* All streams */

static int cpu_compare(const void *a, const void *b)
{
	const struct stream *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static bool stream_exists(const struct consumer *c, uint32_t cpu)
{
	for (size_t i = 0; i < c->nr_streams; i++)
		if (c->streams[i].cpu == cpu)
			return true;
	return false;
}

/* Opens the buffers of all CPUs that are not open yet. */
static int streams_open(struct consumer *c, int session)
{
	struct dirent *entry;
	unsigned int cpu;
	int fd, err = 0;
	char rest;
	DIR *dir;

	fd = openat(session, "buffers", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		err = error_set(-errno, "buffers: %m");
		if (fd >= 0)
			close(fd);
		return err;
	}
	/* If one buffer cannot be opened, the others are still read. */
	while (err != -ENOMEM && (entry = readdir(dir))) {
		struct stream *more;
		int opened;

		if (sscanf(entry->d_name, "cpu%u%c", &cpu, &rest) != 1 ||
		    stream_exists(c, cpu))
			continue;
		more = realloc(c->streams, (c->nr_streams + 1) * sizeof(*more));
		if (!more) {
			err = error_set(-ENOMEM, "out of memory");
			break;
		}
		c->streams = more;
		memset(&more[c->nr_streams], 0, sizeof(*more));
		opened = stream_open(&more[c->nr_streams], session, cpu);
		if (!opened)
			more[c->nr_streams++].sink = c->sink;
		else if (!err)
			err = opened;
	}
	closedir(dir);
	if (!err && !c->nr_streams)
		err = error_set(-ENOENT, "buffers: there are none");
	if (c->nr_streams)
		qsort(c->streams, c->nr_streams, sizeof(*c->streams),
		      cpu_compare);
	return err;
}

/* Threads */

static void event_raise(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		return; /* it is readable already */
}

static void consumer_fail(struct consumer *c, int err)
{
	feed_fail(&c->feed, err);
	event_raise(c->stop);
}

/* The longest rest that the size of the buffers allows. */
static unsigned int rest_max(const struct worker *w)
{
	uint64_t us = (w->streams->size - KT_CONTROL_SIZE) * 1000 / RATE_MAX;

	return us < REST_MAX_US ? us : REST_MAX_US;
}

/* Returns how full the fullest buffer was, in eighths. */
static int worker_round(struct worker *w)
{
	int fill = 0;

	for (size_t i = 0; i < w->nr; i++) {
		struct stream *s = &w->streams[i];
		int n = stream_drain(s);

		if (n < 0)
			return n;
		n = n * 8 / (int)s->control->packets;
		if (n > fill)
			fill = n;
	}
	return fill;
}

static void *worker_run(void *data)
{
	struct worker *w = data;
	struct pollfd stop = {.fd = w->consumer->stop, .events = POLLIN};
	unsigned int max = rest_max(w), rest = max / 4;
	struct epoll_event event;
	struct timespec ts = {0};
	int n;

	/* A higher priority for this thread only.  It works without it, too. */
	setpriority(PRIO_PROCESS, gettid(), -10);
	for (;;) {
		n = epoll_wait(w->epoll, &event, 1, -1);
		if (n < 0 && errno != EINTR) {
			consumer_fail(w->consumer, -errno);
			break;
		}
		n = worker_round(w);
		if (n < 0) {
			consumer_fail(w->consumer, n);
			break;
		}
		if (n >= 2)
			rest /= 2;
		else if (n < 1)
			rest = rest + rest / 4 + 1 < max ? rest + rest / 4 + 1
							 : max;
		ts.tv_nsec = rest * 1000l;
		if (ppoll(&stop, 1, &ts, NULL) > 0)
			break;
	}
	return NULL;
}

static int worker_start(struct worker *w)
{
	struct epoll_event event = {.events = EPOLLIN};
	sigset_t all, before;
	int err;

	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (w->epoll < 0)
		return -errno;
	for (size_t i = 0; i < w->nr; i++)
		if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->streams[i].fd,
			      &event))
			return -errno;
	if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->consumer->stop, &event))
		return -errno;
	/* Signals are handled by the program's own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&w->thread, NULL, worker_run, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	w->running = !err;
	return -err;
}

static int kernel_start(struct feed *feed)
{
	struct consumer *c = (struct consumer *)feed;
	size_t nr = (c->nr_streams + CPUS_PER_THREAD - 1) / CPUS_PER_THREAD;
	int err;

	if (!c->background)
		return 0;
	c->workers = calloc(nr, sizeof(*c->workers));
	if (!c->workers)
		return error_set(-ENOMEM, "out of memory");
	c->nr_workers = nr;
	for (size_t i = 0; i < nr; i++)
		c->workers[i].epoll = -1;
	for (size_t i = 0; i < nr; i++) {
		struct worker *w = &c->workers[i];
		size_t first = i * CPUS_PER_THREAD;

		w->consumer = c;
		w->streams = &c->streams[first];
		w->nr = c->nr_streams - first < CPUS_PER_THREAD
				? c->nr_streams - first
				: CPUS_PER_THREAD;
		err = worker_start(w);
		if (err)
			return error_set(err, "cannot start a thread: %s",
					 strerror(-err));
	}
	return 0;
}

static int kernel_open(struct feed *feed)
{
	struct consumer *c = (struct consumer *)feed;
	int err;

	for (size_t i = 0; i < c->nr_streams; i++) {
		err = stream_out_open(&c->streams[i]);
		if (err)
			return error_set(err, "cpu%u: %s", c->streams[i].cpu,
					 strerror(-err));
	}
	return 0;
}

/* Waits a moment.  False: waiting is useless, now or at all. */
static bool sync_wait(const struct consumer *c)
{
	static const struct timespec rest = {.tv_nsec = 500000};

	nanosleep(&rest, NULL);
	return !feed_error(&c->feed) && !sink_is_stalled(c->sink);
}

/*
 * First flushes all buffers, then waits for what they had.  So there are few
 * events that come meanwhile and are in the trace before they may be read.
 */
static int kernel_sync(struct feed *feed)
{
	struct consumer *c = (struct consumer *)feed;

	for (size_t i = 0; i < c->nr_streams; i++) {
		struct stream *s = &c->streams[i];

		/* There is no free packet: the threads will make some free. */
		while (ioctl(s->fd, KT_FLUSH) && errno == ENOSPC)
			if (!sync_wait(c))
				return feed_error(feed) ?: -EAGAIN;
		s->sync = __atomic_load_n(&s->control->produced,
					  __ATOMIC_ACQUIRE);
	}
	for (size_t i = 0; i < c->nr_streams; i++) {
		const struct stream *s = &c->streams[i];

		while (__atomic_load_n(&s->next, __ATOMIC_ACQUIRE) < s->sync)
			if (!sync_wait(c))
				return feed_error(feed) ?: -EAGAIN;
	}
	return feed_error(feed);
}

static void workers_join(struct consumer *c)
{
	event_raise(c->stop);
	for (size_t i = 0; i < c->nr_workers; i++) {
		if (c->workers[i].running)
			pthread_join(c->workers[i].thread, NULL);
		c->workers[i].running = false;
		if (c->workers[i].epoll >= 0)
			close(c->workers[i].epoll);
	}
	free(c->workers);
	c->workers = NULL;
	c->nr_workers = 0;
}

static int kernel_finish(struct feed *feed)
{
	struct consumer *c = (struct consumer *)feed;
	int err;

	workers_join(c);
	/* A CPU that was added meanwhile has a buffer now. */
	c->missed = streams_open(c, c->session);
	if (c->missed)
		snprintf(c->why, sizeof(c->why), "%s", ktrace_last_error());
	for (size_t i = 0; !feed->error && i < c->nr_streams; i++) {
		err = stream_finish(&c->streams[i]);
		if (err)
			consumer_fail(c, err);
	}
	if (!feed->error)
		return 0;
	for (size_t i = 0; i < c->nr_streams; i++)
		stream_count_unwritten(&c->streams[i]);
	return feed->error;
}

/* Making and ending */

static void kernel_destroy(struct feed *feed)
{
	struct consumer *c = (struct consumer *)feed;

	workers_join(c);
	for (size_t i = 0; i < c->nr_streams; i++)
		stream_close(&c->streams[i]);
	free(c->streams);
	if (c->stop >= 0)
		close(c->stop);
	if (feed->failed >= 0)
		close(feed->failed);
	free(c);
}

/* Maps all buffers of the session; @session is its folder. */
static int consumer_create(int session, struct consumer **consumer)
{
	struct consumer *c;
	int err;

	c = calloc(1, sizeof(*c));
	if (!c)
		return error_set(-ENOMEM, "out of memory");
	c->session = session;
	c->feed.ops = &kernel_feed;
	c->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->feed.failed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->stop < 0 || c->feed.failed < 0) {
		err = error_set(-errno, "eventfd: %m");
		goto err_destroy;
	}
	err = streams_open(c, session);
	if (err)
		goto err_destroy;
	*consumer = c;
	return 0;

err_destroy:
	kernel_destroy(&c->feed);
	return err;
}

static int kernel_create(const struct feed_setup *setup, struct feed **feed)
{
	struct consumer *c;
	int err;

	if (!setup->session)
		return 0;
	err = consumer_create(setup->session->dir, &c);
	if (err)
		return err;
	c->background = !setup->options->overwrite;
	*feed = &c->feed;
	return 0;
}

static int kernel_prepare(struct feed *feed, const struct feed_setup *setup)
{
	struct consumer *c = (struct consumer *)feed;

	c->sink = setup->sink;
	for (size_t i = 0; i < c->nr_streams; i++)
		c->streams[i].sink = setup->sink;
	return 0;
}

/* Counts the events that are in the buffers, after closing the open packets. */
static uint64_t consumer_left(struct consumer *c)
{
	uint64_t events = 0;

	for (size_t i = 0; i < c->nr_streams; i++) {
		const struct stream *s = &c->streams[i];
		uint64_t produced;

		ioctl(s->fd, KT_FLUSH);
		produced = __atomic_load_n(&s->control->produced,
					   __ATOMIC_ACQUIRE);
		for (uint64_t seq = load(&s->control->consumed);
		     seq != produced; seq++)
			events += load(&stream_packet(s, seq)->events);
	}
	return events;
}

int ktrace_session_left(struct ktrace_session *session, uint64_t *events)
{
	struct consumer *c;
	int err;

	err = consumer_create(session->dir, &c);
	if (err)
		return err;
	*events = consumer_left(c);
	kernel_destroy(&c->feed);
	return 0;
}

/* Counts and errors */

static int kernel_missed(const struct feed *feed, const char **why)
{
	const struct consumer *c = (const struct consumer *)feed;

	*why = c->why;
	return c->missed;
}

static size_t kernel_nr_streams(const struct feed *feed)
{
	return ((const struct consumer *)feed)->nr_streams;
}

static bool kernel_count(const struct feed *feed, size_t index,
			 struct feed_count *count)
{
	const struct consumer *c = (const struct consumer *)feed;
	const struct stream *s = &c->streams[index];
	const struct kt_control *control = s->control;
	const struct sink_stream *out =
		__atomic_load_n(&s->out, __ATOMIC_ACQUIRE);

	*count = (struct feed_count){
		.cpu =
			{
				.cpu = s->cpu,
				.stream = s->cpu,
				.known = true,
				.events = load(&s->events),
				.recorded = load(&control->events),
			},
		.bytes = out ? load(&out->bytes) : 0,
		.waiting =
			(load(&control->produced) - load(&control->consumed)) *
			KT_PACKET_SIZE,
	};
	count->shown = count->bytes;
	for (int i = 0; i < KT_LOST_NR; i++)
		count->cpu.lost[i] = load(&control->lost[i]);
	count->cpu.lost[KTRACE_LOST_UNWRITTEN] = s->unwritten;
	return true;
}

const struct feed_ops kernel_feed = {
	.create = kernel_create,
	.prepare = kernel_prepare,
	.open = kernel_open,
	.start = kernel_start,
	.sync = kernel_sync,
	.finish = kernel_finish,
	.missed = kernel_missed,
	.destroy = kernel_destroy,
	.nr_streams = kernel_nr_streams,
	.count = kernel_count,
};
