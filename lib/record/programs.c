// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The feed of programs' markers: moves packets from their rings to streams.
 *
 * One thread looks at all rings a few hundred times per second, because
 * programs wake nobody.  It writes new types before the packets that use them.
 *
 * Another thread finds the names of enumerations in the programs' files, which
 * may take long.  Nothing waits for the names: they are written when they are
 * found.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <ktrace.h>

#include "env.h"
#include "base/error.h"
#include "feed.h"
#include "marker/recorder.h"
#include "totals.h"
#include "tsc.h"
#include "type/type.h"
#include "writer.h"

#define REST_NS 5000000

/* Limit of users who are recorded at once: our own and, for root, others. */
#define USERS_MAX 17
/* How often to look for new users with markers. */
#define USERS_NS 250000000

struct stream {
	struct sink_stream *out; /* NULL: no packet was written yet */
	uint32_t shown;		 /* bytes of the packet that is being filled */
	uint64_t events;
	uint64_t unwritten;
	/* Number of the next event: all before it were read or overwritten. */
	uint64_t next;
	uint64_t overwritten;
	struct totals last; /* of the last packet in a trace */
	struct totals base; /* what earlier traces have */
};

struct marked {
	struct feed feed;
	/* All users have equally many rings.  More users may come later. */
	struct markers *users[USERS_MAX];
	uint32_t uids[USERS_MAX];
	uint32_t refused[USERS_MAX]; /* users for whom a warning was given */
	size_t nr_refused;
	size_t nr_users;
	size_t nr_rings; /* per user */
	struct markers_options options;
	bool others; /* other users, too: we are root */
	struct timespec looked;
	struct tsc tsc;
	struct ktrace_writer *writer;
	struct sink *sink;
	bool overwrite;
	struct stream *streams;
	size_t nr; /* streams */
	uint8_t *packet;
	/* Held while writing: by one of the threads, or by a follower. */
	pthread_mutex_t lock;
	pthread_t thread;
	bool running;
	pthread_t namer;
	bool naming;	      /* the thread @namer exists */
	pthread_cond_t fresh; /* with @lock */
	bool unnamed;	      /* there are types that @namer has not seen */
	bool stop;
};

/* After an error nothing more is written; wakes whoever waits for errors. */
static int marked_fail(struct marked *p, int err)
{
	if (err && !p->feed.error)
		feed_fail(&p->feed, err);
	return p->feed.error;
}

static int types_write(struct marked *p)
{
	struct ktrace_types *types = types_create();
	int err = 0;

	if (!types)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_users && !err; i++)
		err = markers_types(p->users[i], types);
	if (!err && ktrace_types_count(types)) {
		err = ktrace_writer_types(p->writer, types);
		p->unnamed = true;
		pthread_cond_signal(&p->fresh);
	}
	ktrace_types_destroy(types);
	return err;
}

/* A type must be written before its names.  After an error neither is. */
static int names_append(struct marked *p, const struct ktrace_types *types)
{
	int err = p->feed.error ?: types_write(p);

	for (size_t i = 0; i < ktrace_types_count(types) && !err; i++)
		err = writer_names(p->writer, ktrace_types_get(types, i));
	return err;
}

static void names_write(struct marked *p)
{
	struct ktrace_types *types = types_create();
	struct markers *users[USERS_MAX];
	int err = types ? 0 : -ENOMEM;
	size_t nr;

	pthread_mutex_lock(&p->lock);
	nr = p->nr_users;
	memcpy(users, p->users, sizeof(users));
	p->unnamed = false;
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < nr && !err; i++)
		err = markers_names(users[i], types);
	pthread_mutex_lock(&p->lock);
	if (!err && ktrace_types_count(types))
		err = names_append(p, types);
	marked_fail(p, err);
	pthread_mutex_unlock(&p->lock);
	ktrace_types_destroy(types);
}

static void *namer_run(void *data)
{
	struct marked *p = data;
	bool stop = false;

	while (!stop) {
		pthread_mutex_lock(&p->lock);
		while (!p->unnamed && !p->stop)
			pthread_cond_wait(&p->fresh, &p->lock);
		stop = p->stop;
		pthread_mutex_unlock(&p->lock);
		if (!stop)
			names_write(p);
	}
	return NULL;
}

/* The user's markers have ids from here on. */
static uint32_t user_first_id(const struct marked *p, size_t user)
{
	return p->options.first_id + user * markers_max();
}

static int stream_open(struct marked *p, size_t index)
{
	struct stream *s = &p->streams[index];
	size_t user = index / p->nr_rings;
	struct sink_stream *out;
	int err;

	if (s->out)
		return 0;
	/* Must be written before the stream's first packet can be read. */
	err = writer_programs(p->writer, index, p->uids[user],
			      index % p->nr_rings, user_first_id(p, user),
			      markers_max());
	if (!err)
		err = p->sink->ops->open(p->sink, KTRACE_FILE_PROGRAMS, index,
					 &out);
	if (err)
		return err;
	/* Other threads, which read the counts, must see all of it. */
	__atomic_store_n(&s->out, out, __ATOMIC_RELEASE);
	return 0;
}

/* Pads the packet's @size bytes with zeros to the size that the sink needs. */
static uint32_t packet_pad(struct marked *p, uint32_t size)
{
	uint32_t stored = (size + 7) & ~7u;

	memset(p->packet + size, 0, stored - size);
	return stored;
}

static int packet_write(struct marked *p, size_t index, uint32_t size)
{
	struct iovec iov = {p->packet, packet_pad(p, size)};
	int err = stream_open(p, index);

	if (!err)
		err = p->sink->ops->append(p->streams[index].out, &iov, 1);
	return err < 0 ? err : 0;
}

/* Writes a packet that is still being filled. */
static int packet_show(struct marked *p, size_t index, uint32_t size)
{
	uint32_t stored = packet_pad(p, size);
	int err = stream_open(p, index);

	/* Nothing was added since the last time. */
	if (err || p->streams[index].shown == size)
		return err;
	err = p->sink->ops->show(p->streams[index].out, p->packet, stored);
	p->streams[index].shown = err ? 0 : size;
	return err;
}

/* Takes all packets of a ring; if @all, also the open one. */
static int stream_drain(struct marked *p, size_t index, bool all)
{
	struct markers *markers = p->users[index / p->nr_rings];
	size_t ring = index % p->nr_rings, left = markers_packets(markers);
	struct stream *s = &p->streams[index];
	struct kt_packet head;
	uint32_t size;
	int found = 0, err;

	/* Limited, because what programs say in shared memory may be wrong. */
	while (left-- && (found = markers_read(markers, ring, all, p->packet,
					       &size)) > 0) {
		memcpy(&head, p->packet, sizeof(head));
		if (head.events_before > s->next)
			s->overwritten += head.events_before - s->next;
		s->next = head.events_before + head.events;
		err = p->feed.error;
		if (!err)
			err = types_write(p);
		packet_rebase((struct kt_packet *)p->packet, &s->base);
		if (!err)
			err = packet_write(p, index, size);
		if (err) {
			marked_fail(p, err);
			s->unwritten += head.events;
		} else {
			s->shown = 0;
			s->last = totals_of(&head);
			__atomic_store_n(&s->events, s->events + head.events,
					 __ATOMIC_RELAXED);
		}
		/*
		 * The open packet stays in the ring: reading it again would
		 * never end.
		 */
		if (head.seq == markers_open_packet(markers, ring))
			return 0;
	}
	return found;
}

/* ---- users ---------------------------------------------------------------------- */

static int user_add(struct marked *p, bool other, uint32_t uid)
{
	struct markers_options options = p->options;
	size_t nr = p->nr_users;
	int err;

	options.other = other;
	options.uid = uid;
	options.first_id = user_first_id(p, nr);
	err = markers_create(&options, &p->users[nr]);
	if (err)
		return err;
	p->uids[nr] = uid;
	p->nr_users++;
	p->nr_rings = markers_nr_rings(p->users[nr]);
	__atomic_store_n(&p->nr, p->nr_users * p->nr_rings, __ATOMIC_RELEASE);
	return 0;
}

static bool user_known(const struct marked *p, uint32_t uid)
{
	for (size_t i = 0; i < p->nr_users; i++)
		if (p->uids[i] == uid)
			return true;
	return false;
}

/* Warns once for each user, although the user is tried again each time. */
static void user_refused(struct marked *p, uint32_t uid, int err)
{
	if (err != -EPROTONOSUPPORT || p->nr_refused == USERS_MAX ||
	    !p->options.warn)
		return;
	for (size_t i = 0; i < p->nr_refused; i++)
		if (p->refused[i] == uid)
			return;
	p->refused[p->nr_refused++] = uid;
	p->options.warn(p->options.data, ktrace_last_error());
}

/*
 * Adds users who have markers now.  One who cannot be recorded is tried again,
 * and does not keep the others from it.
 */
static void users_look(struct marked *p, bool start)
{
	DIR *directory = opendir("/dev/shm");
	struct dirent *entry;

	while (directory && (entry = readdir(directory)) &&
	       p->nr_users < USERS_MAX) {
		unsigned int uid;
		char more;
		int err;

		if (sscanf(entry->d_name, "ktrace-%u%c", &uid, &more) != 1 ||
		    user_known(p, uid))
			continue;
		err = user_add(p, true, uid);
		if (err)
			user_refused(p, uid, err);
		else if (start)
			markers_start(p->users[p->nr_users - 1], false);
	}
	if (directory)
		closedir(directory);
}

static bool users_due(struct marked *p)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if ((now.tv_sec - p->looked.tv_sec) * 1000000000ll + now.tv_nsec -
		    p->looked.tv_nsec <
	    USERS_NS)
		return false;
	p->looked = now;
	return true;
}

/* A session's recording knows the sleep's times exactly. */
static int sleep_write(struct marked *p)
{
	struct ktrace_clock clock;
	int err;

	if (p->options.session)
		return 0;
	tsc_clock(&clock, p->tsc.missing);
	err = ktrace_writer_clock(p->writer, clock.name, clock.frequency,
				  &p->tsc.before, clock.trusted);
	return err
		       ?: ktrace_writer_clock(p->writer, clock.name,
					      clock.frequency, &clock.sync,
					      clock.trusted);
}

/* The machine has slept: tells programs what the counter has lost. */
static void tsc_tell(struct marked *p)
{
	marked_fail(p, sleep_write(p));
	p->options.missing = p->tsc.missing;
	for (size_t i = 0; i < p->nr_users; i++)
		markers_missing(p->users[i], p->tsc.missing);
}

static void *thread_run(void *data)
{
	static const struct timespec rest = {.tv_nsec = REST_NS};
	struct marked *p = data;

	setpriority(PRIO_PROCESS, gettid(), -10);
	while (!__atomic_load_n(&p->stop, __ATOMIC_RELAXED) && !p->feed.error) {
		pthread_mutex_lock(&p->lock);
		if (!p->options.monotonic && tsc_look(&p->tsc))
			tsc_tell(p);
		if (p->others && users_due(p))
			users_look(p, true);
		for (size_t i = 0; i < p->nr && !p->overwrite; i++)
			stream_drain(p, i, false);
		pthread_mutex_unlock(&p->lock);
		nanosleep(&rest, NULL);
	}
	return NULL;
}

static void programs_destroy(struct feed *feed);

static int programs_create(const struct feed_setup *setup, struct feed **feed)
{
	struct marked *p;

	if (!setup->options->programs)
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return error_set(-ENOMEM, "out of memory");
	p->feed.ops = &programs_feed;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->fresh, NULL);
	p->feed.failed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->feed.failed < 0) {
		int err = error_set(-errno, "eventfd: %m");

		programs_destroy(&p->feed);
		return err;
	}
	*feed = &p->feed;
	return 0;
}

/* The first id if there is no other feed. */
#define FIRST_ID 1024u

static void options_set(struct marked *p, const struct feed_setup *setup)
{
	const struct ktrace_recording_options *o = setup->options;

	p->feed.first_id =
		setup->first_id > FIRST_ID ? setup->first_id : FIRST_ID;
	p->overwrite = o->overwrite;
	p->options = (struct markers_options){
		.patterns = o->programs,
		.nr_patterns = o->nr_programs,
		.buffer = o->buffer,
		.overwrite = o->overwrite,
		.trace_id = setup->clock->trace_id,
		.warn = o->warn,
		.data = o->data,
		.session = setup->session,
		.pids = o->pids,
		.nr_pids = o->nr_pids,
		.monotonic = strcmp(setup->clock->name, "tsc"),
		.first_id = p->feed.first_id,
	};
}

static int programs_prepare(struct feed *feed, const struct feed_setup *setup)
{
	struct marked *p = (struct marked *)feed;
	int err;

	p->writer = setup->writer;
	p->sink = setup->sink;
	options_set(p, setup);
	if (!p->options.monotonic)
		tsc_init(&p->tsc, setup->session);
	p->options.missing = p->tsc.missing;
	p->others = !geteuid() && !secure_getenv("KTRACE_MARKERS");
	err = user_add(p, false, geteuid());
	if (err)
		return err;
	p->packet = calloc(1, KT_PACKET_SIZE + 8);
	p->streams = calloc(USERS_MAX * p->nr_rings, sizeof(*p->streams));
	if (!p->packet || !p->streams)
		return error_set(-ENOMEM, "out of memory");
	if (p->others)
		users_look(p, false);
	return 0;
}

static int threads_make(struct marked *p)
{
	sigset_t all, before;
	int err;

	/* Signals are handled by the program's own threads ... */
	sigfillset(&all);
	/* ... except for the faults of this thread: see fault.h. */
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&p->thread, NULL, thread_run, p);
	p->running = !err;
	if (!err) {
		err = pthread_create(&p->namer, NULL, namer_run, p);
		p->naming = !err;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err ? error_set(-err, "cannot start a thread: %s", strerror(err))
		   : 0;
}

static int programs_go(struct feed *feed)
{
	struct marked *p = (struct marked *)feed;
	/* Users who come later are started when they come. */
	size_t nr = p->nr_users;
	/*
	 * The threads first: starting reads the files of many programs, and
	 * events come already.
	 */
	int err = threads_make(p);

	for (size_t i = 0; i < nr && !err; i++)
		err = markers_start(p->users[i], true);
	return err;
}

/* Following */

static int programs_open(struct feed *feed)
{
	struct marked *p = (struct marked *)feed;

	for (size_t i = 0; i < p->nr; i++) {
		int err = stream_open(p, i);

		if (err)
			return err;
	}
	return 0;
}

static int programs_hold(struct feed *feed)
{
	struct marked *p = (struct marked *)feed;
	uint32_t size;

	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->nr && p->running && !feed->error; i++) {
		struct markers *markers = p->users[i / p->nr_rings];

		stream_drain(p, i, false);
		if (!feed->error && markers_peek(markers, i % p->nr_rings,
						 p->packet, &size) > 0)
			marked_fail(p, packet_show(p, i, size));
	}
	if (!feed->error)
		marked_fail(p, types_write(p));
	return feed->error;
}

static void programs_release(struct feed *feed)
{
	pthread_mutex_unlock(&((struct marked *)feed)->lock);
}

/* ---- going on in another trace --------------------------------------------------- */

static bool programs_count(const struct feed *feed, size_t index,
			   struct feed_count *count);

/* The losses that the packets of the trace tell of; later packets tell of the others. */
static void turn_count(const struct marked *p, size_t index,
		       struct feed_count *count)
{
	const struct stream *s = &p->streams[index];
	uint64_t *lost = count->cpu.lost;

	programs_count(&p->feed, index, count);
	for (int i = 0; i < KT_LOST_NR; i++)
		if (i != KT_LOST_OVERWRITTEN)
			lost[i] = s->last.lost[i] - s->base.lost[i];
	lost[KTRACE_LOST_CLOCK] = 0;
}

static void stream_turn(struct marked *p, size_t index)
{
	struct stream *s = &p->streams[index];

	if (s->out)
		p->sink->ops->close(s->out);
	s->out = NULL;
	s->base = s->last;
	s->events = s->overwritten = s->shown = 0;
}

/* Packets that are being filled come into the next trace as a whole. */
static int programs_rotate(struct feed *feed, const struct feed_setup *setup,
			   void (*count)(void *data,
					 const struct feed_count *count),
			   void *data)
{
	struct marked *p = (struct marked *)feed;
	struct feed_count counts;
	int err;

	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->nr && !feed->error; i++)
		stream_drain(p, i, false);
	err = marked_fail(p, feed->error ?: types_write(p));
	if (err)
		sink_explain(p->sink, err);
	for (size_t i = 0; i < p->nr && !err; i++) {
		turn_count(p, i, &counts);
		count(data, &counts);
		stream_turn(p, i);
	}
	if (!err) {
		p->sink = setup->sink;
		p->writer = setup->writer;
		*setup->turned = true;
		for (size_t i = 0; i < p->nr_users; i++)
			markers_types_again(p->users[i]);
		err = marked_fail(p, types_write(p));
	}
	pthread_mutex_unlock(&p->lock);
	return err;
}

static void thread_join(struct marked *p)
{
	pthread_mutex_lock(&p->lock);
	__atomic_store_n(&p->stop, true, __ATOMIC_RELAXED);
	pthread_cond_signal(&p->fresh);
	pthread_mutex_unlock(&p->lock);
	if (p->running)
		pthread_join(p->thread, NULL);
	p->running = false;
}

static void namer_join(struct marked *p)
{
	if (p->naming)
		pthread_join(p->namer, NULL);
	p->naming = false;
}

static int programs_finish(struct feed *feed)
{
	struct marked *p = (struct marked *)feed;

	thread_join(p);
	for (size_t i = 0; i < p->nr_users; i++)
		markers_stop(p->users[i]);
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->nr; i++)
		stream_drain(p, i, true);
	/* Markers that were never hit belong to the trace, too. */
	if (!p->feed.error)
		marked_fail(p, types_write(p));
	pthread_mutex_unlock(&p->lock);
	/* All events are written, so finding names may take time now. */
	namer_join(p);
	names_write(p);
	return p->feed.error;
}

static void programs_destroy(struct feed *feed)
{
	struct marked *p = (struct marked *)feed;

	thread_join(p);
	namer_join(p);
	for (size_t i = 0; p->streams && i < p->nr; i++)
		if (p->streams[i].out)
			p->sink->ops->close(p->streams[i].out);
	for (size_t i = 0; i < p->nr_users; i++)
		markers_destroy(p->users[i]);
	if (feed->failed >= 0)
		close(feed->failed);
	free(p->streams);
	free(p->packet);
	free(p);
}

static uint64_t programs_missing(const struct feed *feed)
{
	const struct marked *p = (const struct marked *)feed;

	return __atomic_load_n(&p->tsc.missing, __ATOMIC_RELAXED);
}

static size_t programs_nr_streams(const struct feed *feed)
{
	const struct marked *p = (const struct marked *)feed;

	return __atomic_load_n(&p->nr, __ATOMIC_ACQUIRE);
}

static const struct sink_stream *stream_out(const struct stream *s)
{
	return __atomic_load_n(&s->out, __ATOMIC_ACQUIRE);
}

/* Losses without a CPU are counted in one stream: the first that has a file. */
static bool is_first(const struct marked *p, size_t index)
{
	size_t begin = index - index % p->nr_rings, first = begin;

	while (first < begin + p->nr_rings && !stream_out(&p->streams[first]))
		first++;
	return index == (first < begin + p->nr_rings ? first : begin);
}

static bool programs_count(const struct feed *feed, size_t index,
			   struct feed_count *count)
{
	const struct marked *p = (const struct marked *)feed;
	const struct stream *s = &p->streams[index];
	const struct sink_stream *out = stream_out(s);
	struct ktrace_cpu *cpu = &count->cpu;
	bool any = s->next;

	*count = (struct feed_count){0};
	*cpu = (struct ktrace_cpu){
		.cpu = index % p->nr_rings,
		.stream = index,
		.programs = true,
		.known = true,
		.events = __atomic_load_n(&s->events, __ATOMIC_RELAXED),
	};
	markers_lost(p->users[index / p->nr_rings], index % p->nr_rings,
		     cpu->lost);
	for (int i = 0; i < KT_LOST_NR; i++)
		cpu->lost[i] -= s->base.lost[i];
	cpu->lost[KTRACE_LOST_OVERWRITTEN] = s->overwritten;
	cpu->lost[KTRACE_LOST_UNWRITTEN] = s->unwritten;
	/* Not what programs have counted: that may be wrong. */
	cpu->recorded = cpu->events + s->overwritten + s->unwritten;
	if (is_first(p, index))
		cpu->lost[KTRACE_LOST_CLOCK] =
			markers_timeless(p->users[index / p->nr_rings]);
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		any |= cpu->lost[i];
	if (out) {
		count->bytes = __atomic_load_n(&out->bytes, __ATOMIC_RELAXED);
		count->shown = count->bytes + out->open;
	}
	return any;
}

const struct feed_ops programs_feed = {
	.create = programs_create,
	.prepare = programs_prepare,
	.open = programs_open,
	.go = programs_go,
	.hold = programs_hold,
	.release = programs_release,
	.rotate = programs_rotate,
	.finish = programs_finish,
	.destroy = programs_destroy,
	.nr_streams = programs_nr_streams,
	.count = programs_count,
	.missing = programs_missing,
};
