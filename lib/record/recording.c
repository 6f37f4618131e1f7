// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A recording: the trace that is being written from a session.
 *
 * What the reader needs to understand a stream is on disk before the first event
 * can be: clock, types, tasks.  So a trace whose recorder was killed is readable
 * up to its last whole packet.
 *
 * The end needs room too: a piece of the disk is kept for it from the begin, so
 * that a full disk does not take the account of what was lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <ktrace/recording.h>
#include <ktrace/writer.h>

#include "kernel.h"
#include "base/error.h"
#include "programs.h"
#include "read/names.h"
#include "session/session.h"
#include "tasks.h"
#include "base/sized.h"
#include "sleep.h"
#include "read/trace.h"
#include "tsc.h"
#include "writer.h"

#define METADATA_RESERVE (256 * 1024)
/* Ids of programs' events begin here, or behind the kernel's. */
#define PROGRAMS_ID 1024u

struct ktrace_recording {
	struct ktrace_session *session; /* NULL: programs only */
	struct ktrace_writer *writer;
	struct consumer *consumer; /* NULL: no session */
	struct marked *marked;	   /* NULL: none are wanted */
	char *path;
	int directory;
	bool made; /* the directory, and nothing was recorded into it yet */
	bool overwrite;
	bool running;
	bool on;      /* the session, as switching it off has failed */
	bool fresh;   /* events were enabled since the last sync */
	bool symbols; /* some event shows the address of a function */
	bool unread;  /* nobody will read the metadata: types are not in it */
	bool *ids;    /* of the types that were written */
	size_t nr_ids;
	uint32_t next_id; /* the new ones have this, or larger; 0: unknown */
	struct ktrace_types *types; /* all; NULL: nobody will follow */
	uint32_t programs_id; /* the first of programs' events, with @marked */
	char *tasks;	      /* text, as it was before the start */
	uint64_t synced;      /* clock: when the last sync began */
	struct sleeps sleeps; /* with @session */
	uint64_t id;	      /* of the trace */
	int failed;	      /* epoll: consumer or marked cannot go on */
};

/* Making */

/* So that a message can hold the one before it. */
static const char *last_error_copy(char *why, size_t size)
{
	snprintf(why, size, "%s", ktrace_last_error());
	return why;
}

static int buffers_prepare(struct ktrace_session *s,
			   const struct ktrace_recording_options *o)
{
	char text[32], why[384];
	int err;

	if (!s || o->keep)
		return 0;
	if (o->buffer) {
		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)o->buffer);
		err = ktrace_session_write(s, "buffer_size", text);
		if (err)
			return error_set(err,
					 "%s: choose another size with --size",
					 last_error_copy(why, sizeof(why)));
	}
	return ktrace_session_write(s, "mode",
				    o->overwrite ? "overwrite" : "discard");
}

static int memory_explain(int err)
{
	return error_set(
		err,
		"there is not enough memory for buffers of this size, one for each CPU: choose less with --size");
}

/*
 * Whoever owns the folder may put another in its place at any time.  So from here on it
 * goes by what is open; and what has files is not ours, nor what is in it.
 */
static int directory_make(struct ktrace_recording *r)
{
	int err;

	/* What a kernel does may be private. */
	if (mkdir(r->path, 0700))
		return error_set(-errno, "cannot make %s: %m", r->path);
	r->directory =
		open(r->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (r->directory < 0) {
		err = error_set(-errno, "%s: %m", r->path);
		rmdir(r->path);
		return err;
	}
	if (!directory_empty(r->directory))
		return error_set(-EPERM, "%s: it is not what was just made",
				 r->path);
	r->made = true;
	return 0;
}

/* Has it the owner that a file of ours has?  File systems may decide on that. */
static int directory_check(const struct ktrace_recording *r)
{
	struct stat dir, file;

	if (fstat(r->directory, &dir) ||
	    fstatat(r->directory, "metadata", &file, AT_SYMLINK_NOFOLLOW) ||
	    dir.st_uid != file.st_uid)
		return error_set(-EPERM, "%s: it is not what was just made",
				 r->path);
	return 0;
}

/* What the metadata does not have yet. */
static bool type_is_new(const struct ktrace_known *known, void *data)
{
	const struct ktrace_recording *r = data;

	return known->id && (known->id >= r->nr_ids || !r->ids[known->id]);
}

static bool type_shows_symbols(const struct ktrace_type *type)
{
	for (uint32_t i = 0; i < type->nr_fields; i++)
		if (type->fields[i].base == KTRACE_SYMBOL)
			return true;
	return false;
}

static int id_note(struct ktrace_recording *r, uint32_t id)
{
	if (id >= r->nr_ids) {
		size_t nr = id + 256;
		bool *ids = realloc(r->ids, nr * sizeof(*ids));

		if (!ids)
			return error_set(-ENOMEM, "out of memory");
		memset(ids + r->nr_ids, 0, (nr - r->nr_ids) * sizeof(*ids));
		r->ids = ids;
		r->nr_ids = nr;
	}
	r->ids[id] = true;
	return 0;
}

static int type_note(struct ktrace_recording *r, const struct ktrace_type *type)
{
	if (r->marked && type->id >= r->programs_id)
		return error_set(
			-EOVERFLOW,
			"%s:%s has the id of a program's marker, and is shown "
			"as that: enable so many events before the recording "
			"begins",
			type->system, type->name);
	r->symbols |= type_shows_symbols(type);
	return id_note(r, type->id);
}

/* Those that are texts are of system calls, which show no symbols. */
static int types_note(struct ktrace_recording *r,
		      const struct ktrace_types *types)
{
	int err = 0;

	for (size_t i = 0; !err && i < types->count; i++)
		err = type_note(r, types->types[i]);
	for (uint32_t id = 0; !err && id < types->nr_text_ids; id++)
		if (types->texts[id].text)
			err = id_note(r, id);
	return err;
}

/* The types that were given an id since the last time; NULL: none were. */
static int types_read(struct ktrace_recording *r, struct ktrace_types **types,
		      uint32_t *next_id)
{
	struct ktrace_clock clock;
	int err;

	*types = NULL;
	*next_id = 0;
	if (!r->session)
		return 0;
	err = session_clock(r->session, &clock, next_id);
	if (err || (*next_id && *next_id == r->next_id))
		return err;
	err = session_types_recorded(r->session,
				     r->next_id ? type_is_new : NULL, r,
				     r->unread, types);
	if (!err)
		session_enums(r->session, *types);
	return err;
}

/* Takes them over. */
static int types_append(struct ktrace_recording *r, struct ktrace_types *types,
			uint32_t next_id)
{
	int err = 0;

	if (!types)
		return 0;
	if (!r->unread)
		err = ktrace_writer_types(r->writer, types);
	if (!err)
		err = types_note(r, types);
	if (!err)
		r->next_id = next_id;
	if (!err && r->types)
		return types_move(r->types, types);
	ktrace_types_destroy(types);
	return err;
}

static int types_write(struct ktrace_recording *r)
{
	struct ktrace_types *types;
	uint32_t next_id;
	int err = types_read(r, &types, &next_id);

	return err ?: types_append(r, types, next_id);
}

/* The kernel's, or without it the same by the same means. */
static int clock_read(const struct ktrace_recording *r,
		      struct ktrace_clock *clock)
{
	if (r->session)
		return ktrace_session_clock(r->session, clock);
	tsc_clock(clock, r->marked ? marked_missing(r->marked) : 0);
	return 0;
}

static int clock_write(struct ktrace_recording *r)
{
	struct ktrace_clock clock;
	int err = 0;

	if (r->session)
		err = sleeps_write(&r->sleeps, r->session, r->writer);
	if (err >= 0)
		err = clock_read(r, &clock);
	if (err)
		return err;
	return ktrace_writer_clock(r->writer, clock.name, clock.frequency,
				   &clock.sync, clock.trusted);
}

static int metadata_begin(struct ktrace_recording *r,
			  const struct ktrace_recording_options *o)
{
	struct ktrace_writer_head head = {.size = sizeof(head)};
	struct ktrace_clock clock;
	size_t size;
	int err;

	err = clock_read(r, &clock);
	if (err)
		return err;
	sleeps_begin(&r->sleeps, clock.sync.clock);
	head.id = r->id = clock.trace_id;
	head.start = clock.sync.realtime;
	head.version = o->version;
	head.command = o->command;
	head.mode = o->overwrite ? "overwrite" : "discard";
	head.nr_cpus = r->consumer ? consumer_nr_cpus(r->consumer)
				   : (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	err = writer_create_at(r->directory, r->path, &head, &r->writer);
	err = err ?: directory_check(r);
	if (err)
		return err;
	err = ktrace_writer_clock(r->writer, clock.name, clock.frequency,
				  &clock.sync, clock.trusted);
	if (err)
		return err;
	err = types_write(r);
	if (err || !r->session)
		return err;
	err = ktrace_session_read(r->session, "tasks", &r->tasks, &size);
	if (err)
		return err;
	return ktrace_writer_tasks_text(r->writer, r->tasks, size);
}

/* Takes disk space beyond the file's end; where that is not possible, none. */
static void metadata_reserve(struct ktrace_recording *r)
{
	struct stat st;
	int fd;

	fd = openat(r->directory, "metadata", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (!fstat(fd, &st))
		fallocate(fd, FALLOC_FL_KEEP_SIZE, st.st_size,
			  METADATA_RESERVE);
	close(fd);
}

static void metadata_release(struct ktrace_recording *r)
{
	struct stat st;
	int fd;

	fd = openat(r->directory, "metadata", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (fstat(fd, &st) || ftruncate(fd, st.st_size))
		errno = 0; /* space stays reserved, no more */
	close(fd);
}

int ktrace_session_left(struct ktrace_session *session, uint64_t *events)
{
	struct consumer *consumer;
	int err;

	err = consumer_create(session->dir, &consumer);
	if (err)
		return err;
	*events = consumer_left(consumer);
	consumer_destroy(consumer);
	return 0;
}

static int marked_prepare(struct ktrace_recording *r,
			  const struct ktrace_recording_options *o)
{
	struct markers_options options = {
		.patterns = o->programs,
		.nr_patterns = o->nr_programs,
		.buffer = o->buffer,
		.overwrite = o->overwrite,
		.trace_id = r->id,
		.warn = o->warn,
		.data = o->data,
		.session = r->session,
		.pids = o->pids,
		.nr_pids = o->nr_pids,
	};

	struct ktrace_clock clock;
	int err;

	if (!o->programs)
		return 0;
	err = clock_read(r, &clock);
	if (err)
		return err;
	options.monotonic = strcmp(clock.name, "tsc");
	r->programs_id = r->nr_ids > PROGRAMS_ID ? r->nr_ids : PROGRAMS_ID;
	options.first_id = r->programs_id;
	return marked_create(&options, r->writer, r->directory, &r->marked);
}

static int failed_add(struct ktrace_recording *r, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (epoll_ctl(r->failed, EPOLL_CTL_ADD, fd, &event))
		return error_set(-errno, "epoll: %m");
	return 0;
}

/* One descriptor for both of those that write. */
static int failed_make(struct ktrace_recording *r)
{
	int err = 0;

	r->failed = epoll_create1(EPOLL_CLOEXEC);
	if (r->failed < 0)
		return error_set(-errno, "epoll: %m");
	if (r->consumer)
		err = failed_add(r, consumer_fd(r->consumer));
	if (!err && r->marked)
		err = failed_add(r, marked_fd(r->marked));
	return err;
}

int ktrace_recording_create(struct ktrace_session *session,
			    const struct ktrace_recording_options *wishes,
			    struct ktrace_recording **recording)
{
	struct ktrace_recording_options copy, *options = &copy;
	struct ktrace_recording *r;
	int err;

	err = sized_copy(&copy, sizeof(copy), wishes);
	if (err)
		return err;
	r = calloc(1, sizeof(*r));
	if (!r)
		return error_set(-ENOMEM, "out of memory");
	r->session = session;
	r->overwrite = options->overwrite;
	r->unread = options->unread && options->follow && !options->programs;
	r->directory = -1;
	r->failed = -1;
	r->path = strdup(options->directory);
	r->types = options->follow ? types_create() : NULL;
	if (!r->path || (options->follow && !r->types)) {
		err = error_set(-ENOMEM, "out of memory");
		goto err_destroy;
	}
	err = buffers_prepare(session, options);
	if (err)
		goto err_destroy;
	if (session) {
		err = consumer_create(session->dir, &r->consumer);
		if (err == -ENOMEM)
			memory_explain(err);
		if (err)
			goto err_destroy;
	}
	err = directory_make(r);
	if (err)
		goto err_destroy;
	err = metadata_begin(r, options);
	if (err)
		goto err_destroy;
	err = marked_prepare(r, options);
	if (err)
		goto err_destroy;
	err = failed_make(r);
	if (err)
		goto err_destroy;
	metadata_reserve(r);
	if (session)
		consumer_direct(r->consumer, r->directory);
	if (session && options->follow) {
		err = consumer_make_files(r->consumer);
		if (err)
			goto err_destroy;
	}
	if (r->marked && options->follow) {
		err = marked_make_files(r->marked);
		if (err)
			goto err_destroy;
	}
	*recording = r;
	return 0;

err_destroy:
	ktrace_recording_destroy(r);
	return err;
}

static int session_switch(struct ktrace_recording *r, bool on)
{
	if (!r->session)
		return 0;
	return ktrace_session_write(r->session, "enabled", on ? "1" : "0");
}

int ktrace_recording_start(struct ktrace_recording *r)
{
	int err;

	if (r->consumer && !r->overwrite) {
		err = consumer_start(r->consumer);
		if (err)
			return err;
	}
	err = session_switch(r, true);
	if (err == -ENOMEM)
		return memory_explain(err);
	if (err)
		return err;
	r->running = true;
	r->made = false;
	err = r->session ? tasks_complete(r->session, r->writer, r->tasks) : 0;
	if (!err && r->marked)
		err = marked_start(r->marked);
	return err;
}

int ktrace_recording_fd(const struct ktrace_recording *r)
{
	return r->failed;
}

static size_t cpus_nr(const struct ktrace_recording *r)
{
	return r->consumer ? consumer_nr_cpus(r->consumer) : 0;
}

static void marked_status(const struct marked *marked,
			  struct ktrace_recording_status *status)
{
	struct ktrace_cpu cpu;
	uint64_t bytes;

	for (size_t i = 0; i < marked_nr(marked); i++) {
		marked_count(marked, i, &cpu, &bytes);
		status->events += cpu.events;
		status->bytes += bytes;
		status->recorded += cpu.recorded;
		status->unwritten += cpu.lost[KTRACE_LOST_UNWRITTEN];
		cpu.lost[KTRACE_LOST_UNWRITTEN] = 0;
		for (int j = 0; j < KTRACE_LOST_NR; j++)
			status->lost[j] += cpu.lost[j];
	}
	if (!status->error)
		status->error = marked_error(marked);
}

void ktrace_recording_status_get(struct ktrace_recording *r,
				 struct ktrace_recording_status *result,
				 size_t size)
{
	struct ktrace_recording_status full = {0}, *status = &full;
	struct consumer_count count;

	for (size_t i = 0; i < cpus_nr(r); i++) {
		consumer_count(r->consumer, i, &count);
		status->events += count.written;
		status->bytes += count.bytes;
		status->recorded += count.produced;
		status->buffered += count.waiting;
		status->unwritten += count.unwritten;
		for (int j = 0; j < KTRACE_LOST_NR; j++)
			status->lost[j] += count.lost[j];
	}
	if (r->consumer)
		status->error = consumer_error(r->consumer);
	if (r->marked)
		marked_status(r->marked, status);
	memset(result, 0, size);
	memcpy(result, &full, size < sizeof(full) ? size : sizeof(full));
}

static int end_write(struct ktrace_recording *r, const char *reason)
{
	size_t programs = r->marked ? marked_nr(r->marked) : 0;
	size_t nr = cpus_nr(r);
	struct consumer_count count;
	struct ktrace_cpu *cpus;
	uint64_t bytes;
	int err;

	cpus = calloc(nr + programs + 1, sizeof(*cpus));
	if (!cpus)
		return error_set(-ENOMEM, "out of memory");
	for (size_t i = 0; i < nr; i++) {
		consumer_count(r->consumer, i, &count);
		cpus[i].cpu = cpus[i].stream = count.cpu;
		cpus[i].known = true;
		cpus[i].events = count.written;
		cpus[i].recorded = count.produced;
		memcpy(cpus[i].lost, count.lost, sizeof(count.lost));
		cpus[i].lost[KTRACE_LOST_UNWRITTEN] = count.unwritten;
	}
	for (size_t i = 0; i < programs; i++)
		nr += marked_count(r->marked, i, &cpus[nr], &bytes);
	err = ktrace_writer_end(r->writer, cpus, nr, reason);
	free(cpus);
	return err;
}

static int copy_explain(struct ktrace_recording *r, int err)
{
	switch (err) {
	case -ENOSPC:
	case -EDQUOT:
		return error_set(
			err,
			"%s: the disk is full: what was written until then can "
			"be read; make room, or choose another place with -o",
			r->path);
	case -EFBIG:
		return error_set(
			err,
			"%s: the file system or `ulimit -f' allows no larger "
			"file: what was written until then can be read",
			r->path);
	case -EBADMSG:
		return error_set(err, "the buffers hold damaged packets: "
				      "please report this as a bug of ktrace");
	default:
		return error_set(err,
				 "%s: cannot write: %s: what was written until "
				 "then can be read",
				 r->path, strerror(-err));
	}
}

/* Writes what is in the buffers, and what the end of the metadata is to say. */
static int copy_finish(struct ktrace_recording *r, const char **reason)
{
	int err = r->consumer ? consumer_finish(r->consumer) : 0;
	int marked = r->marked ? marked_finish(r->marked) : 0;
	const char *why;

	if (!err)
		err = marked;
	if (err) {
		*reason = strerror(-err);
		return copy_explain(r, err);
	}
	err = r->consumer ? consumer_missed(r->consumer, &why) : 0;
	if (err) {
		*reason = why;
		return error_set(err,
				 "%s: the events of this CPU are not in the "
				 "trace, those of the others are",
				 why);
	}
	return 0;
}

/* The first that went wrong: later ones may follow from it. */
struct first {
	int err;
	char why[512];
};

static bool first_keep(struct first *first, int err)
{
	if (err && !first->err) {
		first->err = err;
		last_error_copy(first->why, sizeof(first->why));
	}
	return !err;
}

int ktrace_recording_stop(struct ktrace_recording *r, const char *reason)
{
	struct first first = {0};
	bool copied;

	/* What is there is worth writing, even if more may still come. */
	r->on = !first_keep(&first, session_switch(r, false));
	r->running = false;
	copied = first_keep(&first, copy_finish(r, &reason));
	if (first_keep(&first, clock_write(r)))
		/* Those that were enabled meanwhile. */
		first_keep(&first, types_write(r));
	if (copied && r->symbols)
		ktrace_writer_symbols(
			r->writer); /* the trace is whole without */
	/* Whatever went wrong before: the account is worth most. */
	first_keep(&first, end_write(r, reason));
	metadata_release(r);
	return first.err ? error_set(first.err, "%s", first.why) : 0;
}

/* Following */

int ktrace_recording_follow(struct ktrace_recording *r, bool forget,
			    struct ktrace **trace)
{
	return trace_open_live(r->directory, r->path, forget, r->types, trace);
}

static void streams_grow(struct ktrace_recording *r, struct ktrace *trace)
{
	struct consumer_count count;

	for (size_t i = 0; i < cpus_nr(r); i++) {
		consumer_count(r->consumer, i, &count);
		if (trace_grow(trace, count.cpu, false, count.bytes, false) &&
		    count.bytes)
			trace_warn(trace,
				   "CPU %u was plugged in meanwhile: the trace "
				   "has its events, but they are not shown",
				   count.cpu);
	}
	for (size_t i = 0; r->marked && i < marked_nr(r->marked); i++)
		trace_grow(trace, i, true, marked_bytes(r->marked, i),
			   r->running);
}

void ktrace_recording_types(struct ktrace_recording *r)
{
	r->fresh = true;
}

/* What is there of programs, the types of what is new, and sleeps. */
static int sync_types(struct ktrace_recording *r, struct ktrace *trace)
{
	bool refresh = r->fresh || r->marked;
	struct ktrace_types *types = NULL;
	int err = 0, held = 0, slept = 0;
	uint32_t next_id = 0;

	/* Before programs' events wait: it may look for names in files. */
	if (r->fresh)
		err = types_read(r, &types, &next_id);
	r->fresh = false;
	if (r->marked)
		held = marked_hold(r->marked);
	if (held && !err)
		err = copy_explain(r, held);
	if (!err)
		err = types_append(r, types, next_id);
	else
		ktrace_types_destroy(types);
	if (!err && r->session)
		slept = sleeps_write(&r->sleeps, r->session, r->writer);
	if (slept < 0)
		err = slept;
	if (!err && (refresh || slept))
		err = trace_refresh(trace);
	return err;
}

/*
 * What was in the buffers when the sync before this one closed their packets is
 * committed by now, whoever was interrupted in the middle of it: so the trace is
 * whole up to the begin of that one.
 * What programs write has no such bound, as nobody knows who is in the middle of it:
 * an event that comes so late is shown late, with the time of the one shown before it.
 */
int ktrace_recording_sync(struct ktrace_recording *r, struct ktrace *trace)
{
	struct ktrace_clock clock;
	int err;

	if (!r->running) {
		streams_grow(r, trace);
		return trace_complete(trace);
	}
	err = clock_read(r, &clock);
	if (err)
		return err;
	if (r->consumer) {
		err = consumer_sync(r->consumer);
		if (err)
			return copy_explain(r, err);
	}
	err = sync_types(r, trace);
	if (!err)
		streams_grow(r, trace);
	if (r->marked)
		marked_release(r->marked);
	if (err)
		return err;
	trace_advance(trace, r->synced);
	r->synced = clock.sync.clock;
	return 0;
}

/* A trace in which nothing was recorded is not left behind. */
static void directory_remove(struct ktrace_recording *r)
{
	if (r->directory >= 0)
		files_remove(r->directory);
	rmdir(r->path);
}

void ktrace_recording_destroy(struct ktrace_recording *r)
{
	if (!r)
		return;
	/* Once more, if it could not be switched off. */
	if (r->running || r->on)
		session_switch(r, false);
	if (r->made)
		directory_remove(r);
	marked_destroy(r->marked);
	consumer_destroy(r->consumer);
	ktrace_writer_destroy(r->writer);
	if (r->failed >= 0)
		close(r->failed);
	if (r->directory >= 0)
		close(r->directory);
	ktrace_types_destroy(r->types);
	free(r->ids);
	free(r->tasks);
	free(r->path);
	free(r);
}
