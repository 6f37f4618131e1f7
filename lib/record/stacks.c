// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The feed of a session's stacks: copies the session's file `stacks', which only grows, to
 * the trace's.
 *
 * The kernel stores a stack before it commits the event that has it.  So when the kernel's
 * feed has copied an event, and this one copies after it, the trace has the stack.  A thread
 * copies a few times per second, so that a recorder that is killed leaves little without.
 *
 * If stacks of programs are among them, the thread also gives the kernel the tables of files,
 * as soon as it tells that a process has mapped one, and writes to the metadata which files
 * these are.  Names of their frames are added at the end, behind all stacks: so a recorder that
 * is killed leaves none, but who has its trace can find the files.  Who looks at the trace in this
 * process gets them at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <ktrace.h>
#include <ktrace/probes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/stack_entry.h"
#include "feed.h"
#include "probe/place.h"
#include "read/trace.h"
#include "session/session.h"
#include "symbol/command_files.h"
#include "symbol/program_file.h"
#include "symbol/program_names.h"
#include "symbol/program_tables.h"
#include "writer.h"

#define PART	 (64 * 1024)
#define CACHE	 "/var/cache/ktrace"
#define PAUSE_MS 200

struct stacks {
	struct feed feed;
	int fd; /* the session's file */
	struct sink *sink;
	struct sink_stream *out;
	pthread_mutex_t lock; /* of copying, and of the lines about files */
	pthread_t thread;
	bool running;
	int stop;      /* eventfd: makes the thread end */
	bool programs; /* with stacks of programs */
	struct program_tables tables;
	pthread_mutex_t tables_lock;	   /* while the thread runs */
	struct program_names_early *early; /* NULL: nobody has looked */
	uint64_t viewed_at; /* the file's entries before were looked at */
	void (*warn)(void *data, const char *text);
	void *warn_data;
	struct debug_server
		*servers; /* NULL: nobody is asked for debug files */
	struct ktrace_writer *writer;
	size_t unkept_told; /* files without names, that were told of */
	uint8_t told[(KT_FRAME_FILE_MAX + 1) / 8]; /* files in the metadata */
	char part[PART];
};

/* Copies what is new.  Called with the lock held. */
static int part_copy(struct stacks *s)
{
	ssize_t n = pread(s->fd, s->part, PART, s->out->bytes);
	struct iovec iov = {s->part, n};
	int done;

	if (n <= 0)
		return n ? -errno : 0;
	done = s->sink->ops->append(s->out, &iov, 1);
	return done < 0 ? done : 1;
}

static int stacks_copy(struct stacks *s)
{
	int err = feed_error(&s->feed);

	pthread_mutex_lock(&s->lock);
	while (!err) {
		err = part_copy(s);
		if (!err)
			break;
		if (err > 0)
			err = 0;
	}
	pthread_mutex_unlock(&s->lock);
	if (err && err != -EAGAIN)
		feed_fail(&s->feed, err);
	return err;
}

/* Writes which files are new.  Called with the lock held. */
static int new_files_write(struct stacks *s)
{
	const struct program_file *file;
	int err = 0;

	for (size_t i = 0; !err && i < s->tables.nr; i++) {
		file = s->tables.files[i];
		if (!file || s->told[i / 8] & 1u << i % 8)
			continue;
		err = writer_file(s->writer, file->number, file->path, file->id,
				  file->id_size);
		s->told[i / 8] |= 1u << i % 8;
	}
	return err;
}

static int files_write(struct stacks *s)
{
	int err;

	pthread_mutex_lock(&s->lock);
	err = new_files_write(s);
	pthread_mutex_unlock(&s->lock);
	if (err)
		feed_fail(&s->feed, err);
	return err;
}

/* False: no more will come.  Those that it knows are written, however it ends. */
static bool files_update(struct stacks *s)
{
	int err = program_tables_update(&s->tables);

	return !files_write(s) && !err;
}

static bool files_update_locked(struct stacks *s)
{
	bool more;

	pthread_mutex_lock(&s->tables_lock);
	more = files_update(s);
	pthread_mutex_unlock(&s->tables_lock);
	return more;
}

static void *thread_run(void *data)
{
	struct stacks *s = data;
	struct pollfd wait[] = {
		{.fd = s->stop, .events = POLLIN},
		{.fd = s->programs ? s->tables.control : -1, .events = POLLIN},
	};

	while (poll(wait, 2, PAUSE_MS) >= 0 && !wait[0].revents) {
		if (wait[1].revents && !files_update_locked(s))
			wait[1].fd = -1;
		if (stacks_copy(s))
			break;
	}
	return NULL;
}

static void thread_join(struct stacks *s)
{
	uint64_t one = 1;

	if (!s->running)
		return;
	if (write(s->stop, &one, sizeof(one)) < 0)
		errno = 0; /* it is raised already */
	pthread_join(s->thread, NULL);
	if (read(s->stop, &one, sizeof(one)) < 0)
		errno = 0;
	s->running = false;
}

static int stacks_start(struct feed *feed)
{
	struct stacks *s = (struct stacks *)feed;
	int err = feed_thread(&s->thread, thread_run, s);

	s->running = !err;
	return err;
}

static int stacks_sync(struct feed *feed)
{
	return stacks_copy((struct stacks *)feed);
}

/* Who follows the recording reads the metadata when no line is being written. */
static int stacks_hold(struct feed *feed)
{
	pthread_mutex_lock(&((struct stacks *)feed)->lock);
	return 0;
}

static void stacks_release(struct feed *feed)
{
	pthread_mutex_unlock(&((struct stacks *)feed)->lock);
}

static int name_put(void *data, const void *bytes, size_t size)
{
	struct stacks *s = data;
	struct iovec iov = {(void *)bytes, size};
	int done = s->sink->ops->append(s->out, &iov, 1);

	return done < 0 ? done : 0;
}

static int names_add(struct stacks *s,
		     int (*put)(void *data, const void *bytes, size_t size))
{
	size_t size = s->out->bytes, at = 0;
	char *all = malloc(size ? size : 1), unkept[200];
	ssize_t n = 1;
	int err = all ? 0 : -ENOMEM;

	while (!err && at < size && n > 0) {
		n = pread(s->fd, all + at, size - at, at);
		if (n > 0)
			at += n;
	}
	if (!err)
		err = program_names(&s->tables, all, at, put, s);
	free(all);
	/* Each trace has the same stacks, and some more. */
	if (s->tables.nr_unkept > s->unkept_told && s->warn) {
		s->unkept_told = s->tables.nr_unkept;
		snprintf(unkept, sizeof(unkept),
			 "names of functions are missing of %zu files of "
			 "containers: the recorder has kept %zu others open, "
			 "and may keep no more (ulimit -n)",
			 s->tables.nr_unkept, s->tables.nr_kept);
		s->warn(s->warn_data, unkept);
	}
	/* All events are there, so it is no error of the recording. */
	if (err < 0 && too_many_open(err)) {
		error_set(
			err,
			"names of programs' functions are missing: %s (ulimit -n)",
			strerror(-err));
		if (s->warn)
			s->warn(s->warn_data, ktrace_last_error());
		err = 0;
	}
	if (err < 0)
		feed_fail(&s->feed, err);
	return err < 0 ? err : 0;
}

static int stacks_finish(struct feed *feed)
{
	struct stacks *s = (struct stacks *)feed;

	thread_join(s);
	/* What was mapped last may be told, and not read yet. */
	if (s->programs && !feed_error(feed))
		files_update(s);
	return stacks_copy(s);
}

/* While names are looked up, programs go on to map files, whose tables the kernel needs. */
static int name_put_on(void *data, const void *bytes, size_t size)
{
	struct stacks *s = data;
	struct pollfd told = {.fd = s->tables.control, .events = POLLIN};

	if (poll(&told, 1, 0) > 0)
		files_update(s);
	return name_put(data, bytes, size);
}

/* Servers are asked at the end only: asking may take minutes. */
static int names_add_now(struct stacks *s)
{
	int err;

	s->tables.servers = NULL;
	err = names_add(s, name_put_on);
	s->tables.servers = s->servers;
	return err;
}

static int name_show(void *data, const void *bytes, size_t size)
{
	return trace_name_early(data, bytes, size);
}

/*
 * The new entries of the session's file, as far as they were copied.  *@size is rounded down to
 * whole ones.  NULL: no memory.
 */
static void *entries_read(struct stacks *s, size_t *size)
{
	uint64_t at = s->viewed_at ?: sizeof(struct kt_stacks), copied;
	struct stack_entry entry;
	size_t whole = 0, read = 0;
	ssize_t n = 1;
	char *bytes;

	pthread_mutex_lock(&s->lock);
	copied = s->out->bytes;
	pthread_mutex_unlock(&s->lock);
	*size = copied > at ? copied - at : 0;
	bytes = malloc(*size + 1);
	if (!bytes)
		return NULL;
	while (read < *size && n > 0) {
		n = pread(s->fd, bytes + read, *size - read, at + read);
		read += n > 0 ? n : 0;
	}
	while (stack_entry_next(bytes, read, &whole, &entry))
		;
	*size = whole;
	s->viewed_at = at + whole;
	return bytes;
}

/*
 * The files that are known now, which stay what they are.  The thread must not wait until names are
 * found: who looks may have the lowest priority, and the kernel needs tables at once.
 */
static bool files_copy(struct stacks *s, struct program_tables *copy)
{
	size_t size;

	*copy = (struct program_tables){.control = -1, .cache.dir = -1};
	pthread_mutex_lock(&s->tables_lock);
	size = s->tables.nr * sizeof(*copy->files);
	copy->files = malloc(size + 1);
	if (copy->files && size)
		memcpy(copy->files, s->tables.files, size);
	copy->nr = s->tables.nr;
	pthread_mutex_unlock(&s->tables_lock);
	return copy->files;
}

/* Without memory, names come at the end. */
static void stacks_view(struct feed *feed, struct ktrace *trace)
{
	struct stacks *s = (struct stacks *)feed;
	struct program_tables files;
	size_t size;
	void *bytes;

	if (!s->programs)
		return;
	if (!s->early)
		s->early = program_names_early_create();
	if (!s->early || !files_copy(s, &files))
		return;
	bytes = entries_read(s, &size);
	if (bytes)
		program_names_early(s->early, &files, bytes, size, name_show,
				    trace);
	free(bytes);
	free(files.files);
}

/* The new trace has all stacks from the first one on: its events may have old ones. */
static int stacks_rotate(struct feed *feed, const struct feed_setup *setup,
			 void (*count)(void *data,
				       const struct feed_count *count),
			 void *data)
{
	struct stacks *s = (struct stacks *)feed;
	struct sink_stream *out;
	int err;

	thread_join(s);
	err = stacks_copy(s);
	if (!err && s->programs)
		err = names_add_now(s);
	err = err
		      ?: setup->sink->ops->open(setup->sink, KTRACE_FILE_STACKS,
						0, &out);
	if (err) {
		feed_fail(feed, err);
		return sink_explain(s->sink, err);
	}
	s->sink->ops->close(s->out);
	s->out = out;
	s->sink = setup->sink;
	s->writer = setup->writer;
	/* Who looks at it has no names yet. */
	program_names_early_destroy(s->early);
	s->early = NULL;
	s->viewed_at = 0;
	*setup->turned = true;
	memset(s->told, 0, sizeof(s->told));
	err = s->programs ? files_write(s) : 0;
	return err ?: stacks_start(feed);
}

static int stacks_complete(struct feed *feed)
{
	struct stacks *s = (struct stacks *)feed;

	return s->programs ? names_add(s, name_put) : 0;
}

static void stacks_destroy(struct feed *feed)
{
	struct stacks *s = (struct stacks *)feed;

	thread_join(s);
	if (s->out)
		s->sink->ops->close(s->out);
	if (s->fd >= 0)
		close(s->fd);
	if (s->stop >= 0)
		close(s->stop);
	if (s->programs)
		program_tables_close(&s->tables);
	debug_server_close(s->servers);
	if (feed->failed >= 0)
		close(feed->failed);
	program_names_early_destroy(s->early);
	pthread_mutex_destroy(&s->tables_lock);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static void file_foresee(void *data, const char *path)
{
	program_tables_foresee(data, path);
}

static int probe_foresee(const struct ktrace_probe *probe, void *data)
{
	struct place place = {.path = probe->place};
	char path[PATH_MAX];

	place.path_length = strcspn(probe->place, ":");
	if (*probe->place == '/' && !place_path(&place, path))
		program_tables_foresee(data, path);
	return 0;
}

/*
 * What runs now has its tables before the recording begins, and so have the command and the programs
 * that have probes: the kernel walks over their first stacks before the thread hears of their files.
 */
static int tables_begin(struct stacks *s, struct ktrace_session *session,
			char *const *command)
{
	int tree = open(session->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = tree < 0 ? -errno : 0;

	mkdir(CACHE, 0755);
	if (!err)
		err = program_tables_open(&s->tables, tree, CACHE "/unwind");
	s->programs = !err;
	if (!err && command)
		command_files(*command, file_foresee, &s->tables);
	if (!err)
		err = ktrace_session_probes_each(session, NULL, 0,
						 probe_foresee, &s->tables);
	if (!err)
		err = program_tables_update(&s->tables);
	if (tree >= 0)
		close(tree);
	return err ? error_set(err, "programs: %s", strerror(-err)) : 0;
}

/* Known to work before the recording begins, but asked at its end. */
static int servers_begin(struct stacks *s,
			 const struct ktrace_debuginfod *options)
{
	int err = debug_server_open(options, &s->servers);

	s->tables.servers = s->servers;
	return err;
}

static int stacks_make(int session, struct feed **feed)
{
	struct stacks *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return error_set(-ENOMEM, "out of memory");
	s->feed.ops = &stacks_feed;
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->tables_lock, NULL);
	s->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->feed.failed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->fd = openat(session, "stacks", O_RDONLY | O_CLOEXEC);
	if (s->stop < 0 || s->feed.failed < 0 || s->fd < 0) {
		err = error_set(-errno, "stacks: %s", strerror(errno));
		stacks_destroy(&s->feed);
		return err;
	}
	*feed = &s->feed;
	return 0;
}

/* Lines "SYSTEM/EVENT: WHOSE", which may go on with " if FILTER". */
static bool any_of_programs(const char *text)
{
	static const char *const whose[] = {"user", "both", "branches",
					    "kernel branches"};

	for (; text && *text; text = strchr(text, '\n')) {
		text = strstr(text, ": ");
		if (!text)
			return false;
		text += strlen(": ");
		for (size_t i = 0; i < sizeof(whose) / sizeof(*whose); i++)
			if (!strncmp(text, whose[i], strlen(whose[i])))
				return true;
	}
	return false;
}

/* Only if an event has stacks. */
static int stacks_create(const struct feed_setup *setup, struct feed **feed)
{
	char *text;
	bool none, programs;
	int err;

	if (!setup->session || faccessat(setup->session->dir, "stack", F_OK, 0))
		return 0;
	err = ktrace_session_read(setup->session, "stack", &text, NULL);
	if (err)
		return err;
	none = !*text;
	programs = any_of_programs(text);
	free(text);
	if (none)
		return 0;
	err = stacks_make(setup->session->dir, feed);
	if (err || !programs)
		return err;
	err = tables_begin((struct stacks *)*feed, setup->session,
			   setup->options->command);
	if (!err)
		err = servers_begin((struct stacks *)*feed,
				    setup->options->debuginfod);
	if (err) {
		stacks_destroy(*feed);
		*feed = NULL;
	}
	return err;
}

static int stacks_prepare(struct feed *feed, const struct feed_setup *setup)
{
	struct stacks *s = (struct stacks *)feed;
	int err;

	s->sink = setup->sink;
	s->warn = setup->options->warn;
	s->warn_data = setup->options->data;
	s->writer = setup->writer;
	err = s->sink->ops->open(s->sink, KTRACE_FILE_STACKS, 0, &s->out);
	if (err)
		return sink_explain(s->sink, err);
	return s->programs ? files_write(s) : 0;
}

/* Its file is there since prepare(). */
static int stacks_open(struct feed *feed)
{
	return 0;
}

/* What it writes is no stream of packets. */
static size_t stacks_nr_streams(const struct feed *feed)
{
	return 0;
}

static bool stacks_count(const struct feed *feed, size_t index,
			 struct feed_count *count)
{
	return false;
}

const struct feed_ops stacks_feed = {
	.create = stacks_create,
	.prepare = stacks_prepare,
	.open = stacks_open,
	.start = stacks_start,
	.sync = stacks_sync,
	.rotate = stacks_rotate,
	.hold = stacks_hold,
	.release = stacks_release,
	.view = stacks_view,
	.finish = stacks_finish,
	.complete = stacks_complete,
	.destroy = stacks_destroy,
	.nr_streams = stacks_nr_streams,
	.count = stacks_count,
};
