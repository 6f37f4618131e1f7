// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Packets go from the mapping to the file with one copy, by pwritev(), and are
 * given back at once.
 *
 * One thread serves up to four CPUs: wait until a packet is there, copy what all
 * four have, then rest.  The rest is as long as the buffers allow, so that each
 * round finds several packets: waking up is what disturbs the traced machine
 * most.  It is bounded by the time in which the fastest writer that we know of
 * fills a fraction of a buffer, so an outbreak after a silence finds us awake in
 * time.
 *
 * Discard mode: a packet stays until it is given back, so many are written in
 * one call.  Overwrite mode: the writer may take a packet while we copy it; giving
 * it back then fails (ESTALE) and the next packet is written over the bytes.  Its
 * events are counted as overwritten already.
 *
 * A stream is only ever extended by whole packets.  When the disk refuses one,
 * the file is cut to the last whole packet, all threads end, and what is left in
 * the buffers is counted as unwritten.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
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
#include <sys/vfs.h>
#include <unistd.h>

#include <ktrace.h>

#include "kernel.h"
#include "base/error.h"
#include "read/names.h"

#define CPUS_PER_THREAD 4
/*
 * Packets per call: the more, the larger the pieces of memory that a file system takes
 * for them.  A tmpfs takes page by page, and before each of them 6.12 touches all pages
 * that the call has left to write, where 6.1 and 7.3 do not.
 */
#define BATCH	     16
#define BATCH_MEMORY 1

/* Bytes per millisecond and CPU that no traced load exceeds. */
#define RATE_MAX    (400ull * 1000)
#define REST_MAX_US 50000

_Static_assert((int)KTRACE_LOST_FULL == KT_LOST_FULL &&
		       (int)KTRACE_LOST_RECURSION == KT_LOST_RECURSION,
	       "causes of loss have one order");

/* A CPU's buffer and its file.  The counters have one writer: its thread. */
struct stream {
	uint32_t cpu;
	int fd;
	int file; /* -1: nothing was written yet */
	int directory;
	int batch; /* packets per call */
	const struct kt_control *control;
	const uint8_t *packets;
	size_t size;   /* of the mapping */
	uint64_t next; /* packet to copy */
	uint64_t events;
	uint64_t bytes; /* of whole packets: where the next one goes */
	uint64_t unwritten;
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
	struct stream *streams;
	size_t nr_streams;
	struct worker *workers;
	size_t nr_workers;
	int session;   /* its folder */
	int directory; /* where the streams go */
	int stop;      /* eventfd: threads end */
	int failed;    /* eventfd: one has failed */
	int error;
	int missed; /* a buffer could not be opened in the end: */
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

static int stream_file_open(struct stream *s)
{
	char name[FILE_NAME_MAX];
	struct statfs fs;

	if (s->file >= 0)
		return 0;
	file_name(KTRACE_FILE_CPU, s->cpu, name);
	s->file = openat(s->directory, name,
			 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (s->file < 0)
		return -errno;
	s->batch = !fstatfs(s->file, &fs) && fs.f_type == TMPFS_MAGIC
			   ? BATCH_MEMORY
			   : BATCH;
	return 0;
}

/* Writes a packet where the stream ends; its end does not move yet. */
static int stream_write(struct stream *s, const void *packet, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pwrite(s->file, (const uint8_t *)packet + done,
				   size - done, s->bytes + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		done += n;
	}
	return 0;
}

/* The packet to copy is in the file. */
static void stream_advance(struct stream *s, uint64_t events, size_t size)
{
	store(&s->events, s->events + events);
	store(&s->bytes, s->bytes + size);
	/* Whoever sees it sees the bytes: consumer_sync(). */
	__atomic_store_n(&s->next, s->next + 1, __ATOMIC_RELEASE);
}

/* Writes one packet that may vanish meanwhile, and gives it back. */
static int stream_copy_one(struct stream *s)
{
	const struct kt_packet *p = stream_packet(s, s->next);
	bool sound = packet_is_sound(p, s->next);
	uint64_t seq = s->next, events = load(&p->events);
	size_t size = packet_bytes(p);
	int err;

	if (sound) {
		err = stream_write(s, p, size);
		if (err)
			return err;
	}
	if (ioctl(s->fd, KT_PUT_CONSUMED, &seq)) {
		if (errno != ESTALE)
			return -errno;
		s->next = __atomic_load_n(&s->control->consumed,
					  __ATOMIC_ACQUIRE);
		return 0;
	}
	if (!sound)
		return -EBADMSG;
	stream_advance(s, events, size);
	return 1;
}

/* Writes some packets with one call and gives them back. Returns how many. */
static int stream_copy_batch(struct stream *s, uint64_t produced)
{
	struct iovec iov[BATCH];
	int nr = 0, done = 0, err;
	ssize_t n;

	while (nr < s->batch && s->next + nr != produced) {
		const struct kt_packet *p = stream_packet(s, s->next + nr);

		if (!packet_is_sound(p, s->next + nr))
			return -EBADMSG;
		iov[nr].iov_base = (void *)p;
		iov[nr].iov_len = packet_bytes(p);
		nr++;
	}
	do
		n = pwritev(s->file, iov, nr, s->bytes);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	/* Not even one: by itself it tells why. */
	if ((size_t)n < iov[0].iov_len) {
		err = stream_write(s, iov[0].iov_base, iov[0].iov_len);
		if (err)
			return err;
		n = iov[0].iov_len;
	}
	for (; done < nr && (size_t)n >= iov[done].iov_len; done++) {
		const struct kt_packet *p = iov[done].iov_base;
		uint64_t seq = s->next;

		n -= iov[done].iov_len;
		stream_advance(s, p->events, iov[done].iov_len);
		if (ioctl(s->fd, KT_PUT_CONSUMED, &seq))
			return -errno;
	}
	return done;
}

/* Returns how many packets were copied. */
static int stream_drain(struct stream *s)
{
	int n = 0, total = 0;

	for (;;) {
		uint64_t produced = __atomic_load_n(&s->control->produced,
						    __ATOMIC_ACQUIRE);

		if (s->next == produced)
			return total;
		n = stream_file_open(s);
		if (!n)
			n = stream_overwrites(s)
				    ? stream_copy_one(s)
				    : stream_copy_batch(s, produced);
		if (n < 0)
			break;
		total += n;
	}
	/* Nothing of a packet that is not whole. */
	if (s->file >= 0 && ftruncate(s->file, s->bytes))
		return n;
	return n;
}

/* Closes the open packet and copies until nothing is left. */
static int stream_finish(struct stream *s)
{
	int flushed, n;

	do {
		flushed = ioctl(s->fd, KT_FLUSH) ? -errno : 0;
		n = stream_drain(s);
		if (n < 0)
			return n;
	} while (flushed == -ENOSPC && n > 0);
	/* A last stale packet may have left bytes behind. */
	if (s->file >= 0 && stream_overwrites(s) &&
	    ftruncate(s->file, s->bytes))
		return -errno;
	return flushed;
}

/* Takes what is left out of the buffer, so that the open packet counts too. */
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
	s->file = -1;
	s->directory = -1;
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
	if (s->file >= 0)
		close(s->file);
	munmap((void *)s->control, s->size);
	close(s->fd);
}

/* All of them */

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

/* Opens the buffers of all CPUs that have none open yet. */
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
	/* One that cannot be had does not keep the others from being read. */
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
			more[c->nr_streams++].directory = c->directory;
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
		return; /* it is raised already */
}

static void consumer_fail(struct consumer *c, int err)
{
	int none = 0;

	__atomic_compare_exchange_n(&c->error, &none, err, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	event_raise(c->stop);
	event_raise(c->failed);
}

/* The longest that a buffer of this size lets us rest. */
static unsigned int rest_max(const struct worker *w)
{
	uint64_t us = (w->streams->size - KT_CONTROL_SIZE) * 1000 / RATE_MAX;

	return us < REST_MAX_US ? us : REST_MAX_US;
}

/* How full the fullest buffer was, in eighths. */
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

	/* A thread of its own priority; without the right to it, never mind. */
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
	/* Signals are the program's own. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&w->thread, NULL, worker_run, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	w->running = !err;
	return -err;
}

int consumer_start(struct consumer *c)
{
	size_t nr = (c->nr_streams + CPUS_PER_THREAD - 1) / CPUS_PER_THREAD;
	int err;

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

int consumer_make_files(struct consumer *c)
{
	int err;

	for (size_t i = 0; i < c->nr_streams; i++) {
		err = stream_file_open(&c->streams[i]);
		if (err)
			return error_set(err, "cpu%u: %s", c->streams[i].cpu,
					 strerror(-err));
	}
	return 0;
}

/* For a while; false: there is nothing to wait for any more. */
static bool sync_wait(const struct consumer *c)
{
	static const struct timespec rest = {.tv_nsec = 500000};

	nanosleep(&rest, NULL);
	return !consumer_error(c);
}

int consumer_sync(struct consumer *c)
{
	for (size_t i = 0; i < c->nr_streams; i++) {
		const struct stream *s = &c->streams[i];
		uint64_t produced;

		/* No packet free: the background makes some. */
		while (ioctl(s->fd, KT_FLUSH) && errno == ENOSPC)
			if (!sync_wait(c))
				break;
		produced = __atomic_load_n(&s->control->produced,
					   __ATOMIC_ACQUIRE);
		while (__atomic_load_n(&s->next, __ATOMIC_ACQUIRE) < produced)
			if (!sync_wait(c))
				break;
	}
	return consumer_error(c);
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

int consumer_finish(struct consumer *c)
{
	int err;

	workers_join(c);
	/* A CPU that was plugged in meanwhile has a buffer by now. */
	c->missed = streams_open(c, c->session);
	if (c->missed)
		snprintf(c->why, sizeof(c->why), "%s", ktrace_last_error());
	for (size_t i = 0; !c->error && i < c->nr_streams; i++) {
		err = stream_finish(&c->streams[i]);
		if (err)
			consumer_fail(c, err);
	}
	if (!c->error)
		return 0;
	for (size_t i = 0; i < c->nr_streams; i++)
		stream_count_unwritten(&c->streams[i]);
	return c->error;
}

/* Making and ending */

int consumer_create(int session, struct consumer **consumer)
{
	struct consumer *c;
	int err;

	c = calloc(1, sizeof(*c));
	if (!c)
		return error_set(-ENOMEM, "out of memory");
	c->session = session;
	c->directory = -1;
	c->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->failed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->stop < 0 || c->failed < 0) {
		err = error_set(-errno, "eventfd: %m");
		goto err_destroy;
	}
	err = streams_open(c, session);
	if (err)
		goto err_destroy;
	*consumer = c;
	return 0;

err_destroy:
	consumer_destroy(c);
	return err;
}

uint64_t consumer_left(struct consumer *c)
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

void consumer_direct(struct consumer *c, int directory)
{
	c->directory = directory;
	for (size_t i = 0; i < c->nr_streams; i++)
		c->streams[i].directory = directory;
}

void consumer_destroy(struct consumer *c)
{
	if (!c)
		return;
	workers_join(c);
	for (size_t i = 0; i < c->nr_streams; i++)
		stream_close(&c->streams[i]);
	free(c->streams);
	if (c->stop >= 0)
		close(c->stop);
	if (c->failed >= 0)
		close(c->failed);
	free(c);
}

int consumer_fd(const struct consumer *c)
{
	return c->failed;
}

int consumer_missed(const struct consumer *c, const char **why)
{
	*why = c->why;
	return c->missed;
}

int consumer_error(const struct consumer *c)
{
	return load(&c->error);
}

size_t consumer_nr_cpus(const struct consumer *c)
{
	return c->nr_streams;
}

void consumer_count(const struct consumer *c, size_t index,
		    struct consumer_count *count)
{
	const struct stream *s = &c->streams[index];
	const struct kt_control *control = s->control;

	memset(count, 0, sizeof(*count));
	count->cpu = s->cpu;
	count->written = load(&s->events);
	count->bytes = load(&s->bytes);
	count->produced = load(&control->events);
	count->unwritten = s->unwritten;
	count->waiting = (load(&control->produced) - load(&control->consumed)) *
			 KT_PACKET_SIZE;
	for (int i = 0; i < KT_LOST_NR; i++)
		count->lost[i] = load(&control->lost[i]);
}
