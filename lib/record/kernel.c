// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The feed of a session: the kernel's rings, one for each CPU.
 *
 * Packets go from the mapped ring to the sink with one copy (buffer.h), and are
 * released at once.
 *
 * One thread serves up to four CPUs: it waits until a packet is there, copies
 * what all four have, then rests.  The rest is as long as the buffers allow, so
 * that each round finds several packets, because waking up is what disturbs the
 * traced machine most. The rest must be short enough for a burst after a
 * silence: it is limited to the time in which the fastest known writer fills a
 * fraction of a buffer.
 *
 * At the end, what is left goes to the sink in the order of time. So a reader of a
 * stream needs memory for a few packets, however large the buffers are.
 *
 * If a CPU is plugged in while a reader follows, the next sync finds its buffer.
 * All its events are newer than the sync before, up to which the trace is known to
 * be complete. So they come in the right order.
 *
 * When the sink refuses a packet, all threads end, and the events left in the
 * buffers are counted as unwritten.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/now.h"
#include "buffer.h"
#include "feed.h"
#include "session/session.h"

#define CPUS_PER_THREAD 4
/* Who waits for a sync serves signals again after this time. */
#define SYNC_MAX_NS 1000000000ull
/* At the end, packets between two sync points. */
#define POINT_PACKETS 16

/* Bytes per millisecond and CPU: no traced load writes more. */
#define RATE_MAX    (400ull * 1000)
#define REST_MAX_US 50000

_Static_assert((int)KTRACE_LOST_FULL == KT_LOST_FULL &&
		       (int)KTRACE_LOST_RECURSION == KT_LOST_RECURSION,
	       "causes of loss have one order");

struct worker {
	struct worker *next;
	struct consumer *consumer;
	struct buffer *buffers[CPUS_PER_THREAD];
	size_t nr;
	int epoll;
	pthread_t thread;
	bool running;
};

struct consumer {
	struct feed feed;
	struct buffer **buffers; /* by CPU; each stays where it is */
	size_t nr_buffers;
	struct worker *workers;
	unsigned int unpointed; /* packets since the last sync point */
	int session;		/* its folder */
	bool background;	/* packets are copied while events come */
	struct sink *sink;
	int stop;   /* eventfd: makes the threads end */
	int missed; /* a buffer could not be opened at the end; @why */
	char why[256];
};

/* All of them */

static int cpu_compare(const void *a, const void *b)
{
	const struct buffer *x = *(struct buffer *const *)a;
	const struct buffer *y = *(struct buffer *const *)b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static bool buffer_exists(const struct consumer *c, uint32_t cpu)
{
	for (size_t i = 0; i < c->nr_buffers; i++)
		if (c->buffers[i]->cpu == cpu)
			return true;
	return false;
}

static int buffer_add(struct consumer *c, int session, uint32_t cpu)
{
	struct buffer **more =
		realloc(c->buffers, (c->nr_buffers + 1) * sizeof(*more));
	struct buffer *b = calloc(1, sizeof(*b));
	int err = -ENOMEM;

	if (more)
		c->buffers = more;
	if (!more || !b)
		error_set(err, "out of memory");
	else
		err = buffer_open(b, session, cpu, c->sink);
	if (err) {
		free(b);
		return err;
	}
	c->buffers[c->nr_buffers++] = b;
	return 0;
}

/* Opens the buffers of all CPUs that have none open yet. */
static int buffers_open(struct consumer *c, int session)
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
		int added;

		if (sscanf(entry->d_name, "cpu%u%c", &cpu, &rest) != 1 ||
		    buffer_exists(c, cpu))
			continue;
		added = buffer_add(c, session, cpu);
		if (!err)
			err = added;
	}
	closedir(dir);
	if (!err && !c->nr_buffers)
		err = error_set(-ENOENT, "buffers: there are none");
	if (c->nr_buffers)
		qsort(c->buffers, c->nr_buffers, sizeof(*c->buffers),
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
	uint64_t us = (w->buffers[0]->size - KT_CONTROL_SIZE) * 1000 / RATE_MAX;

	return us < REST_MAX_US ? us : REST_MAX_US;
}

static bool worker_is_stopped(const struct worker *w)
{
	struct pollfd stop = {.fd = w->consumer->stop, .events = POLLIN};

	return poll(&stop, 1, 0) > 0;
}

/* Until little comes meanwhile.  Returns how many packets. */
static int worker_drain(const struct worker *w, struct buffer *b)
{
	int n, total = 0, little = (int)b->control->packets / 8;

	do {
		n = buffer_drain(b);
		total += n;
	} while (n > little && !worker_is_stopped(w));
	return n < 0 ? n : total;
}

/* Returns how full the fullest buffer was, in eighths. */
static int worker_round(struct worker *w)
{
	int fill = 0;

	for (size_t i = 0; i < w->nr; i++) {
		struct buffer *b = w->buffers[i];
		int n = worker_drain(w, b);

		if (n < 0)
			return n;
		n = n * 8 / (int)b->control->packets;
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
	int err;

	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (w->epoll < 0)
		return -errno;
	for (size_t i = 0; i < w->nr; i++)
		if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->buffers[i]->fd,
			      &event))
			return -errno;
	if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->consumer->stop, &event))
		return -errno;
	err = feed_thread(&w->thread, worker_run, w);
	w->running = !err;
	return err;
}

/* For some streams that have none; *@first: the first that may be one of them. */
static int worker_add(struct consumer *c, size_t *first)
{
	struct worker *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->consumer = c;
	w->epoll = -1;
	w->next = c->workers;
	c->workers = w;
	for (; *first < c->nr_buffers && w->nr < CPUS_PER_THREAD; ++*first) {
		struct buffer *b = c->buffers[*first];

		if (b->served)
			continue;
		b->served = true;
		w->buffers[w->nr++] = b;
	}
	return w->nr ? worker_start(w) : 0;
}

static int kernel_start(struct feed *feed)
{
	struct consumer *c = (struct consumer *)feed;
	size_t first = 0;
	int err = 0;

	while (c->background && !err && first < c->nr_buffers)
		err = worker_add(c, &first);
	return err ? error_set(err, "cannot start a thread: %s", strerror(-err))
		   : 0;
}

static int kernel_open(struct feed *feed)
{
	struct consumer *c = (struct consumer *)feed;
	int err;

	for (size_t i = 0; i < c->nr_buffers; i++) {
		err = buffer_out_open(c->buffers[i]);
		if (err)
			return err;
	}
	return 0;
}

/* Opens the buffers of CPUs that were plugged in since the last call.  1: there are some. */
static int buffers_add(struct consumer *c)
{
	size_t before = c->nr_buffers;

	buffers_open(c, c->session);
	return c->nr_buffers == before ? 0 : kernel_open(&c->feed) ?: 1;
}

/* What cannot be opened now is tried again at the end. */
static int buffers_look(struct consumer *c)
{
	int err = c->workers ? buffers_add(c) : 0;

	if (err <= 0)
		return err;
	err = kernel_start(&c->feed);
	/* -EAGAIN would mean that a reader of the stream does not read. */
	return err == -EAGAIN ? -ENOMEM : err;
}

/* Waits a moment.  False: waiting is useless, now or at all. */
static bool sync_wait(const struct consumer *c, uint64_t until)
{
	static const struct timespec rest = {.tv_nsec = 500000};

	nanosleep(&rest, NULL);
	return !feed_error(&c->feed) && !sink_is_stalled(c->sink) &&
	       now_ns() < until;
}

/*
 * First flushes all buffers, then waits for what they had.  So there are few
 * events that come meanwhile and are in the trace before they may be read.
 */
static int kernel_sync(struct feed *feed)
{
	struct consumer *c = (struct consumer *)feed;
	uint64_t until = now_ns() + SYNC_MAX_NS;
	int err = buffers_look(c);

	if (err)
		return err;
	for (size_t i = 0; i < c->nr_buffers; i++) {
		struct buffer *b = c->buffers[i];

		/* No packet free: the background makes some. */
		while (ioctl(b->fd, KT_FLUSH) && errno == ENOSPC)
			if (!sync_wait(c, until))
				return feed_error(feed) ?: -EAGAIN;
		b->sync = __atomic_load_n(&b->control->produced,
					  __ATOMIC_ACQUIRE);
	}
	for (size_t i = 0; i < c->nr_buffers; i++) {
		const struct buffer *b = c->buffers[i];

		while (__atomic_load_n(&b->next, __ATOMIC_ACQUIRE) < b->sync)
			if (!sync_wait(c, until))
				return feed_error(feed) ?: -EAGAIN;
	}
	return feed_error(feed);
}

static void workers_join(struct consumer *c)
{
	struct worker *w;

	event_raise(c->stop);
	while ((w = c->workers)) {
		c->workers = w->next;
		if (w->running)
			pthread_join(w->thread, NULL);
		if (w->epoll >= 0)
			close(w->epoll);
		free(w);
	}
}

/* The one whose next packet begins first; NULL: none has one. */
static struct buffer *buffers_oldest(const struct consumer *c, uint64_t *begin)
{
	struct buffer *oldest = NULL;

	for (size_t i = 0; i < c->nr_buffers; i++) {
		struct buffer *b = c->buffers[i];
		uint64_t time;

		if (b->next >= b->sync)
			continue;
		time = load(&buffer_packet(b, b->next)->begin);
		if (oldest && time >= *begin)
			continue;
		oldest = b;
		*begin = time;
	}
	return oldest;
}

/* All that is to come begins there, or later. */
static int order_tell(struct consumer *c, uint64_t begin)
{
	int err;

	if (!c->sink->ops->sync || !begin || ++c->unpointed < POINT_PACKETS)
		return 0;
	err = c->sink->ops->sync(c->sink, begin - 1);
	if (!err)
		c->unpointed = 0;
	return err == -EAGAIN ? 0 : err;
}

/*
 * Closes the open packet, so that all packets can be put into order.  If the ring is full,
 * its oldest packets make room.  No reader was told yet that their time is over.
 *
 * While events come faster than the room, it stays open: what is there now is enough.
 */
static int buffer_settle(struct buffer *b)
{
	uint64_t produced =
		__atomic_load_n(&b->control->produced, __ATOMIC_ACQUIRE);
	int n;

	while (ioctl(b->fd, KT_FLUSH)) {
		if (errno != ENOSPC)
			return -errno;
		if (b->next >= produced)
			break;
		n = buffer_copy(b, 1);
		if (n <= 0)
			return n ? n : -ENOSPC;
	}
	/* In overwrite mode the writer has taken the packets before. */
	b->next = __atomic_load_n(&b->control->consumed, __ATOMIC_ACQUIRE);
	/* What comes later is not waited for: a session may be on against our will. */
	b->sync = __atomic_load_n(&b->control->produced, __ATOMIC_ACQUIRE);
	return 0;
}

/* Copies what is there in the order of time. */
static int buffers_copy(struct consumer *c)
{
	struct buffer *b;
	uint64_t begin = 0;
	int n;

	while ((b = buffers_oldest(c, &begin))) {
		n = order_tell(c, begin);
		if (!n)
			n = buffer_copy(b, 1);
		if (n < 0)
			return n;
	}
	return 0;
}

static int buffers_finish(struct consumer *c)
{
	int err = 0;

	for (size_t i = 0; !err && i < c->nr_buffers; i++)
		err = buffer_settle(c->buffers[i]);
	return err ?: buffers_copy(c);
}

/*
 * Copies what was recorded before this call.  All are flushed first, so that the traces part at
 * nearly the same time on all CPUs.  In overwrite mode the oldest packets go first, as they are
 * the first that are overwritten meanwhile; otherwise several go at once.
 */
static int buffers_take(struct consumer *c)
{
	int n = 0;

	for (size_t i = 0; n >= 0 && i < c->nr_buffers; i++)
		n = buffer_turn_prepare(c->buffers[i])
			    ?: buffer_settle(c->buffers[i]);
	if (n >= 0 && !c->background)
		n = buffers_copy(c);
	for (size_t i = 0; n >= 0 && i < c->nr_buffers; i++) {
		struct buffer *b = c->buffers[i];

		while (n >= 0 && b->next < b->sync)
			n = buffer_copy(b, b->sync - b->next);
	}
	return n < 0 ? n : 0;
}

static bool kernel_count(const struct feed *feed, size_t index,
			 struct feed_count *count);

/* The counts of a trace that ends here. */
static void turn_count(const struct buffer *b, struct feed_count *count)
{
	struct ktrace_cpu *cpu = &count->cpu;

	cpu->recorded = b->last.events - b->base.events;
	for (int i = 0; i < KT_LOST_NR; i++)
		cpu->lost[i] = b->last.lost[i] - b->base.lost[i];
	cpu->lost[KTRACE_LOST_OVERWRITTEN] = b->overwritten;
}

/*
 * The threads rest meanwhile.  What comes after the flush waits in the buffers, as it does when
 * the disk is slow.
 */
static int kernel_rotate(struct feed *feed, const struct feed_setup *setup,
			 void (*count)(void *data,
				       const struct feed_count *count),
			 void *data)
{
	struct consumer *c = (struct consumer *)feed;
	struct feed_count counts;
	uint64_t stopped;
	int err;

	workers_join(c);
	if (read(c->stop, &stopped, sizeof(stopped)) < 0)
		errno = 0; /* it was not raised */
	err = feed_error(feed);
	/* Without threads, nobody has looked since the last trace. */
	if (!err && !c->background)
		err = buffers_add(c);
	err = err < 0 ? err : buffers_take(c);
	if (err) {
		consumer_fail(c, err);
		return sink_explain(c->sink, err);
	}
	c->sink = setup->sink;
	*setup->turned = true;
	for (size_t i = 0; i < c->nr_buffers; i++) {
		kernel_count(feed, i, &counts);
		turn_count(c->buffers[i], &counts);
		count(data, &counts);
		buffer_turn(c->buffers[i], c->sink);
		c->buffers[i]->served = false;
	}
	/* A trace has a stream of each CPU there is. */
	err = kernel_open(feed);
	if (err)
		sink_explain(c->sink, err);
	err = err ?: kernel_start(feed);
	if (err)
		consumer_fail(c, err);
	return err;
}

static int kernel_finish(struct feed *feed)
{
	struct consumer *c = (struct consumer *)feed;
	int err;

	workers_join(c);
	/* A CPU that was plugged in meanwhile has a buffer by now. */
	c->missed = buffers_open(c, c->session);
	if (c->missed)
		snprintf(c->why, sizeof(c->why), "%s", ktrace_last_error());
	err = feed->error ? 0 : buffers_finish(c);
	if (err)
		consumer_fail(c, err);
	if (!feed->error)
		return 0;
	for (size_t i = 0; i < c->nr_buffers; i++)
		buffer_count_unwritten(c->buffers[i]);
	return feed->error;
}

/* Making and ending */

static void kernel_destroy(struct feed *feed)
{
	struct consumer *c = (struct consumer *)feed;

	workers_join(c);
	for (size_t i = 0; i < c->nr_buffers; i++)
		buffer_close(c->buffers[i]);
	free(c->buffers);
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
	err = buffers_open(c, session);
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
	for (size_t i = 0; i < c->nr_buffers; i++)
		c->buffers[i]->sink = setup->sink;
	return 0;
}

/* Counts the events that are in the buffers, after closing the open packets. */
static uint64_t consumer_left(struct consumer *c)
{
	uint64_t events = 0;

	for (size_t i = 0; i < c->nr_buffers; i++) {
		const struct buffer *b = c->buffers[i];
		uint64_t produced;

		ioctl(b->fd, KT_FLUSH);
		produced = __atomic_load_n(&b->control->produced,
					   __ATOMIC_ACQUIRE);
		for (uint64_t seq = load(&b->control->consumed);
		     seq != produced; seq++)
			events += load(&buffer_packet(b, seq)->events);
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
	return ((const struct consumer *)feed)->nr_buffers;
}

static bool kernel_count(const struct feed *feed, size_t index,
			 struct feed_count *count)
{
	const struct consumer *c = (const struct consumer *)feed;
	const struct buffer *b = c->buffers[index];
	const struct kt_control *control = b->control;
	const struct sink_stream *out =
		__atomic_load_n(&b->out, __ATOMIC_ACQUIRE);

	*count = (struct feed_count){
		.cpu =
			{
				.cpu = b->cpu,
				.stream = b->cpu,
				.known = true,
				.events = load(&b->events),
				.recorded =
					load(&control->events) - b->base.events,
			},
		.bytes = out ? load(&out->bytes) : 0,
		.waiting =
			(load(&control->produced) - load(&control->consumed)) *
			KT_PACKET_SIZE,
	};
	count->shown = count->bytes;
	for (int i = 0; i < KT_LOST_NR; i++)
		count->cpu.lost[i] = load(&control->lost[i]) - b->base.lost[i];
	count->cpu.lost[KTRACE_LOST_UNWRITTEN] = b->unwritten;
	return true;
}

const struct feed_ops kernel_feed = {
	.create = kernel_create,
	.prepare = kernel_prepare,
	.open = kernel_open,
	.start = kernel_start,
	.sync = kernel_sync,
	.rotate = kernel_rotate,
	.finish = kernel_finish,
	.missed = kernel_missed,
	.destroy = kernel_destroy,
	.nr_streams = kernel_nr_streams,
	.count = kernel_count,
};
