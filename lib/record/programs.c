// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * One thread looks at all rings some hundred times in a second: programs do not wake
 * anybody.  What types they have made known is written before the packets that need
 * them.
 *
 * Another thread looks for the names of enumerations, in files of which nobody knows how
 * long they take.  So those are written when they are there, and nothing waits for them.
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
#include "programs.h"
#include "read/names.h"
#include "tsc.h"
#include "type/type.h"
#include "writer.h"

#define REST_NS 5000000

/* Whose programs are recorded at once: our own and, by root, those of other users. */
#define USERS_MAX 17
/* How often it is looked for users who have run their first program. */
#define USERS_NS 250000000

struct stream {
	int file; /* -1: nothing was written yet */
	uint64_t bytes;
	uint32_t
		open; /* bytes behind those, of the packet that is being filled */
	uint64_t events;
	uint64_t unwritten;
	/* All before the next packet: read, or overwritten. */
	uint64_t next;
	uint64_t overwritten;
};

struct marked {
	/* Each has as many streams.  More may come while it runs. */
	struct markers *users[USERS_MAX];
	uint32_t uids[USERS_MAX];
	uint32_t refused[USERS_MAX]; /* users that were told of */
	size_t nr_refused;
	size_t nr_users;
	size_t nr_rings; /* of a user */
	struct markers_options options;
	bool others; /* as root */
	struct timespec looked;
	struct tsc tsc;
	struct ktrace_writer *writer;
	int directory;
	bool overwrite;
	struct stream *streams;
	size_t nr; /* streams */
	uint8_t *packet;
	/* Held by who writes: one of the threads, or who follows. */
	pthread_mutex_t lock;
	pthread_t thread;
	bool running;
	pthread_t namer;
	bool naming;	      /* there is that thread */
	pthread_cond_t fresh; /* with @lock */
	bool unnamed;	      /* there are types that it has not looked at */
	bool stop;
	int error;  /* the first: see marked_fail() */
	int failed; /* eventfd: there is one */
};

/* Nothing more is written; whoever waits for that is told. */
static int marked_fail(struct marked *p, int err)
{
	uint64_t one = 1;

	if (!err || p->error)
		return p->error;
	__atomic_store_n(&p->error, err, __ATOMIC_RELAXED);
	if (write(p->failed, &one, sizeof(one)) < 0)
		return err; /* it is raised already */
	return err;
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

/* Each behind its type; what is not written any more needs none. */
static int names_append(struct marked *p, const struct ktrace_types *types)
{
	int err = p->error ?: types_write(p);

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

static int file_make(struct marked *p, size_t index)
{
	struct stream *s = &p->streams[index];
	char name[FILE_NAME_MAX];
	int err;

	if (s->file >= 0)
		return 0;
	/* Before its first packet can be read. */
	err = writer_programs(p->writer, index, p->uids[index / p->nr_rings],
			      index % p->nr_rings);
	if (err)
		return err;
	file_name(KTRACE_FILE_PROGRAMS, index, name);
	s->file = openat(p->directory, name,
			 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return s->file < 0 ? -errno : 0;
}

/* At the end of the file, which stays where it is. */
static int packet_store(struct marked *p, size_t index, uint32_t size)
{
	struct stream *s = &p->streams[index];
	uint32_t stored = (size + 7) & ~7u, done = 0;
	int err;

	err = file_make(p, index);
	if (err)
		return err;
	memset(p->packet + size, 0, stored - size);
	while (done < stored) {
		ssize_t n = pwrite(s->file, p->packet + done, stored - done,
				   s->bytes + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			err = n ? -errno : -ENOSPC;

			/* Nothing of a packet that is not whole. */
			if (ftruncate(s->file, s->bytes))
				return err;
			return err;
		}
		done += n;
	}
	return 0;
}

static int packet_write(struct marked *p, size_t index, uint32_t size)
{
	struct stream *s = &p->streams[index];
	int err = packet_store(p, index, size);

	if (err)
		return err;
	s->open = 0;
	__atomic_store_n(&s->bytes, s->bytes + ((size + 7) & ~7u),
			 __ATOMIC_RELAXED);
	return 0;
}

/* Takes what one ring has. */
static int stream_drain(struct marked *p, size_t index, bool all)
{
	struct markers *markers = p->users[index / p->nr_rings];
	size_t ring = index % p->nr_rings, left = markers_packets(markers);
	struct stream *s = &p->streams[index];
	struct kt_packet head;
	uint32_t size;
	int found = 0, err;

	/* No more than there can be: what programs say of it need not be true. */
	while (left-- && (found = markers_read(markers, ring, all, p->packet,
					       &size)) > 0) {
		memcpy(&head, p->packet, sizeof(head));
		if (head.events_before > s->next)
			s->overwritten += head.events_before - s->next;
		s->next = head.events_before + head.events;
		err = p->error;
		if (!err)
			err = types_write(p);
		if (!err)
			err = packet_write(p, index, size);
		if (err) {
			marked_fail(p, err);
			s->unwritten += head.events;
		} else {
			__atomic_store_n(&s->events, s->events + head.events,
					 __ATOMIC_RELAXED);
		}
		/* The open packet does not go away. */
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
	options.first_id += nr * markers_max();
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

/* Once for each user, though his directory may be mended and is tried again. */
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
 * Those that have not come yet; each is tried until it works.  Whoever cannot be
 * recorded does not keep others from it.
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

/* A session's recording knows better when that was. */
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

/* The machine has slept: programs are told what the counter lacks since. */
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
	while (!__atomic_load_n(&p->stop, __ATOMIC_RELAXED) && !p->error) {
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

int marked_create(const struct markers_options *options,
		  struct ktrace_writer *writer, int directory,
		  struct marked **result)
{
	struct marked *p = calloc(1, sizeof(*p));
	int err = -ENOMEM;

	if (!p)
		return error_set(-ENOMEM, "out of memory");
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->fresh, NULL);
	p->failed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->failed < 0) {
		err = error_set(-errno, "eventfd: %m");
		goto err_destroy;
	}
	p->writer = writer;
	p->directory = directory;
	p->overwrite = options->overwrite;
	p->options = *options;
	if (!options->monotonic)
		tsc_init(&p->tsc, options->session);
	p->options.missing = p->tsc.missing;
	p->others = !geteuid() && !secure_getenv("KTRACE_MARKERS");
	err = user_add(p, false, geteuid());
	if (err)
		goto err_destroy;
	p->packet = calloc(1, KT_PACKET_SIZE + 8);
	p->streams = calloc(USERS_MAX * p->nr_rings, sizeof(*p->streams));
	if (!p->packet || !p->streams) {
		err = error_set(-ENOMEM, "out of memory");
		goto err_destroy;
	}
	for (size_t i = 0; i < USERS_MAX * p->nr_rings; i++)
		p->streams[i].file = -1;
	if (p->others)
		users_look(p, false);
	*result = p;
	return 0;

err_destroy:
	marked_destroy(p);
	return err;
}

static int threads_make(struct marked *p)
{
	sigset_t all, before;
	int err;

	/* Signals are the program's own. */
	sigfillset(&all);
	/* But a fault of its own: see fault.h. */
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

int marked_start(struct marked *p)
{
	/* Those that come later are started when they come. */
	size_t nr = p->nr_users;
	/* First: who looks at the files of many programs takes long, and they go on. */
	int err = threads_make(p);

	for (size_t i = 0; i < nr && !err; i++)
		err = markers_start(p->users[i], true);
	return err;
}

/* Following */

int marked_make_files(struct marked *p)
{
	for (size_t i = 0; i < p->nr; i++) {
		int err = file_make(p, i);

		if (err)
			return error_set(err, "programs%zu: %s", i,
					 strerror(-err));
	}
	return 0;
}

int marked_hold(struct marked *p)
{
	uint32_t size;

	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->nr && p->running && !p->error; i++) {
		struct markers *markers = p->users[i / p->nr_rings];
		struct stream *s = &p->streams[i];

		stream_drain(p, i, false);
		if (p->error || markers_peek(markers, i % p->nr_rings,
					     p->packet, &size) <= 0)
			continue;
		/* As it was: nothing has come. */
		if (s->open == size)
			continue;
		marked_fail(p, packet_store(p, i, size));
		s->open = p->error ? 0 : size;
	}
	if (!p->error)
		marked_fail(p, types_write(p));
	return p->error;
}

void marked_release(struct marked *p)
{
	pthread_mutex_unlock(&p->lock);
}

uint64_t marked_bytes(const struct marked *p, size_t index)
{
	return p->streams[index].bytes + ((p->streams[index].open + 7) & ~7u);
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

int marked_finish(struct marked *p)
{
	thread_join(p);
	for (size_t i = 0; i < p->nr_users; i++)
		markers_stop(p->users[i]);
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->nr; i++)
		stream_drain(p, i, true);
	/* Those that were never hit are part of the trace, too. */
	if (!p->error)
		marked_fail(p, types_write(p));
	pthread_mutex_unlock(&p->lock);
	/* All events are there: now there is time. */
	namer_join(p);
	names_write(p);
	return p->error;
}

/* An empty one says nothing. */
static void file_close(struct marked *p, size_t index)
{
	struct stream *s = &p->streams[index];
	char name[FILE_NAME_MAX];

	file_name(KTRACE_FILE_PROGRAMS, index, name);
	if (!s->bytes && !s->open)
		unlinkat(p->directory, name, 0);
	close(s->file);
}

void marked_destroy(struct marked *p)
{
	if (!p)
		return;
	thread_join(p);
	namer_join(p);
	for (size_t i = 0; p->streams && i < p->nr; i++)
		if (p->streams[i].file >= 0)
			file_close(p, i);
	for (size_t i = 0; i < p->nr_users; i++)
		markers_destroy(p->users[i]);
	if (p->failed >= 0)
		close(p->failed);
	free(p->streams);
	free(p->packet);
	free(p);
}

uint64_t marked_missing(const struct marked *p)
{
	return __atomic_load_n(&p->tsc.missing, __ATOMIC_RELAXED);
}

int marked_fd(const struct marked *p)
{
	return p->failed;
}

int marked_error(const struct marked *p)
{
	return __atomic_load_n(&p->error, __ATOMIC_RELAXED);
}

size_t marked_nr(const struct marked *p)
{
	return __atomic_load_n(&p->nr, __ATOMIC_ACQUIRE);
}

/* The stream that tells of losses that belong to none: one of which there is a file. */
static bool is_first(const struct marked *p, size_t index)
{
	size_t begin = index - index % p->nr_rings, first = begin;

	while (first < begin + p->nr_rings && p->streams[first].file < 0)
		first++;
	return index == (first < begin + p->nr_rings ? first : begin);
}

bool marked_count(const struct marked *p, size_t index, struct ktrace_cpu *cpu,
		  uint64_t *bytes)
{
	const struct stream *s = &p->streams[index];
	bool any = s->next;

	*cpu = (struct ktrace_cpu){
		.cpu = index % p->nr_rings,
		.stream = index,
		.programs = true,
		.known = true,
		.events = __atomic_load_n(&s->events, __ATOMIC_RELAXED),
	};
	markers_lost(p->users[index / p->nr_rings], index % p->nr_rings,
		     cpu->lost);
	cpu->lost[KTRACE_LOST_OVERWRITTEN] = s->overwritten;
	cpu->lost[KTRACE_LOST_UNWRITTEN] = s->unwritten;
	/* What programs count may be spoiled: it is no second account. */
	cpu->recorded = cpu->events + s->overwritten + s->unwritten;
	if (is_first(p, index))
		cpu->lost[KTRACE_LOST_CLOCK] =
			markers_timeless(p->users[index / p->nr_rings]);
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		any |= cpu->lost[i];
	*bytes = __atomic_load_n(&s->bytes, __ATOMIC_RELAXED);
	return any;
}
