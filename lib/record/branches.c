// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The feed of branches that were traced beside the events: contexts keep the newest ones of each
 * thread, and what they have at the recording's end becomes a stream of the trace
 * (include/uapi/ktrace_branch.h).
 *
 * While programs run, a thread looks at the files that they map, so that places have names when
 * the files are gone.  The names come behind the branches.
 */
#include <errno.h>
#include <ktrace.h>
#include <ktrace_branch.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <ktrace/branches.h>

#include "base/error.h"
#include "branch/contexts.h"
#include "feed.h"
#include "writer.h"

/* Parts of a thread have so many entries at most, so that each is a small frame of a pipe. */
#define PART_ENTRIES 32768u

struct branches {
	struct feed feed;
	struct contexts *contexts;
	struct sink *sink;
	struct sink_stream *out;
	struct ktrace_writer *writer;
	pthread_t thread;
	bool running;
	int stop;  /* eventfd: makes the thread end */
	bool read; /* what they had at the end */
	int error; /* of writing names */
	void (*warn)(void *data, const char *text);
	void *warn_data;
};

/* ---- while programs run --------------------------------------------------- */

static void *thread_run(void *data)
{
	struct branches *b = data;
	struct pollfd wait[] = {
		{.fd = b->stop, .events = POLLIN},
		{.fd = b->contexts->tables.control, .events = POLLIN},
	};

	/* If it fails, so it does when the branches are read. */
	while (poll(wait, 2, -1) >= 0 && !wait[0].revents)
		if (wait[1].revents &&
		    program_tables_update(&b->contexts->tables))
			wait[1].fd = -1;
	return NULL;
}

static void thread_join(struct branches *b)
{
	uint64_t one = 1;

	if (!b->running)
		return;
	if (write(b->stop, &one, sizeof(one)) < 0)
		errno = 0; /* it is raised already */
	pthread_join(b->thread, NULL);
	b->running = false;
}

static int branches_start(struct feed *feed)
{
	struct branches *b = (struct branches *)feed;
	int err = feed_thread(&b->thread, thread_run, b);

	b->running = !err;
	return err;
}

/* ---- at the end ----------------------------------------------------------- */

/* A part: @head, whose size may be 0, and then @bytes. */
static int part_write(struct branches *b, enum kt_branch_part_kind kind,
		      const void *head, size_t head_size, const void *bytes,
		      size_t size)
{
	struct kt_branch_part part = {.kind = kind, .size = head_size + size};
	uint8_t *all = malloc(sizeof(part) + head_size + size);
	struct iovec iov = {all, sizeof(part) + head_size + size};
	int done;

	if (!all)
		return -ENOMEM;
	memcpy(all, &part, sizeof(part));
	if (head_size)
		memcpy(all + sizeof(part), head, head_size);
	if (size)
		memcpy(all + sizeof(part) + head_size, bytes, size);
	done = b->sink->ops->append(b->out, &iov, 1);
	free(all);
	return done < 0 ? done : 0;
}

static int mappings_write(struct branches *b, const struct mapped *mapped)
{
	int err = 0;

	for (size_t i = 0; !err && i < mapped->nr; i++) {
		const struct mapped_change *change = &mapped->changes[i];
		struct kt_branch_mappings head = {
			.since = change->since,
			.number = change->number,
		};

		err = part_write(b, KT_BRANCH_PART_MAPPINGS, &head,
				 sizeof(head), change->maps,
				 change->nr * sizeof(*change->maps));
	}
	return err;
}

static int entries_write(struct branches *b, const struct branch_thread *thread)
{
	const struct kt_branch *entries = thread->entries + thread->begin;
	size_t nr = thread->shown.nr, part;
	int err = 0;

	for (size_t at = 0; !err && at < nr; at += part) {
		part = nr - at < PART_ENTRIES ? nr - at : PART_ENTRIES;
		err = part_write(b, KT_BRANCH_PART_ENTRIES, NULL, 0,
				 entries + at, part * sizeof(*entries));
	}
	return err;
}

static int thread_write(struct branches *b, const struct branch_thread *thread)
{
	struct kt_branch_thread head = {
		.first = thread->first,
		.lost = thread->shown.lost,
		.unread = thread->shown.unread,
		.before = thread->origin,
		.tid = thread->shown.tid,
		.ended = thread->shown.ended,
		.unfollowed = thread->shown.unfollowed,
	};
	int err = part_write(b, KT_BRANCH_PART_THREAD, &head, sizeof(head),
			     NULL, 0);

	err = err ?: mappings_write(b, &thread->mapped);
	return err ?: entries_write(b, thread);
}

static int threads_write(struct branches *b)
{
	struct kt_branch_stream head = {
		.magic = KT_BRANCH_STREAM_MAGIC,
		.version = KT_ABI_VERSION,
	};
	struct iovec iov = {&head, sizeof(head)};
	int done = b->sink->ops->append(b->out, &iov, 1);
	int err = done < 0 ? done : 0;

	for (size_t i = 0; !err && i < b->contexts->branches.nr; i++)
		err = thread_write(b, &b->contexts->branches.threads[i]);
	return err;
}

/* What programs do from now on would overwrite what they have done; and they run at their speed again. */
static int branches_ending(struct feed *feed)
{
	struct branches *b = (struct branches *)feed;
	int err;

	if (b->read)
		return 0;
	thread_join(b);
	err = contexts_read(b->contexts);
	contexts_end(b->contexts);
	b->read = !err;
	return err;
}

/* Events take precedence over what complete() writes. */
static int branches_finish(struct feed *feed)
{
	return 0;
}

static int files_write(struct branches *b)
{
	const struct program_tables *tables = &b->contexts->tables;
	const struct program_file *file;
	int err = 0;

	for (size_t i = 0; !err && i < tables->nr; i++) {
		file = tables->files[i];
		if (file)
			err = writer_file(b->writer, file->number, file->path,
					  file->id, file->id_size);
	}
	return err;
}

static int name_put(void *data, const void *bytes, size_t size)
{
	struct branches *b = data;

	b->error = part_write(b, KT_BRANCH_PART_NAMES, NULL, 0, bytes, size);
	return b->error;
}

/* Without names, all branches are there. */
static int names_write(struct branches *b)
{
	struct mapped_names *names = &b->contexts->branches.names;
	int err = branches_want(&b->contexts->branches);

	err = err
		      ?: mapped_names_write(names, &b->contexts->tables,
					    name_put, b);
	if (err && !b->error && b->warn)
		b->warn(b->warn_data, ktrace_last_error());
	return b->error;
}

static int branches_complete(struct feed *feed)
{
	struct branches *b = (struct branches *)feed;
	int err;

	if (!b->read || b->out->bytes)
		return 0;
	err = threads_write(b);
	err = err ?: files_write(b);
	return err ?: names_write(b);
}

/* ---- making --------------------------------------------------------------- */

static void branches_destroy(struct feed *feed)
{
	struct branches *b = (struct branches *)feed;

	thread_join(b);
	if (b->out)
		b->sink->ops->close(b->out);
	if (b->stop >= 0)
		close(b->stop);
	if (feed->failed >= 0)
		close(feed->failed);
	free(b);
}

/* Only if branches are traced. */
static int branches_create(const struct feed_setup *setup, struct feed **feed)
{
	struct branches *b;

	if (!setup->options->branches)
		return 0;
	if (!contexts_of(setup->options->branches) ||
	    !contexts_of(setup->options->branches)->followed)
		return error_set(-EINVAL, "branches: these are those of a "
					  "trace, or only for events");
	b = calloc(1, sizeof(*b));
	if (!b)
		return error_set(-ENOMEM, "out of memory");
	b->feed.ops = &branches_feed;
	b->contexts = contexts_of(setup->options->branches);
	b->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	b->feed.failed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->stop < 0 || b->feed.failed < 0) {
		branches_destroy(&b->feed);
		return error_set(-EMFILE, "branches: %s", strerror(EMFILE));
	}
	*feed = &b->feed;
	return 0;
}

static int branches_prepare(struct feed *feed, const struct feed_setup *setup)
{
	struct branches *b = (struct branches *)feed;
	int err;

	b->sink = setup->sink;
	b->writer = setup->writer;
	b->warn = setup->options->warn;
	b->warn_data = setup->options->data;
	/* Who reads a stream knows what it is before it comes. */
	err = writer_stream(b->writer, 0, KT_BRANCH_STREAM);
	if (err)
		return err;
	err = b->sink->ops->open(b->sink, KTRACE_FILE_STREAM, 0, &b->out);
	return err ? sink_explain(b->sink, err) : 0;
}

/* Its file is there since prepare(). */
static int branches_open(struct feed *feed)
{
	return 0;
}

/* What it writes is no stream of packets. */
static size_t branches_nr_streams(const struct feed *feed)
{
	return 0;
}

static bool branches_count(const struct feed *feed, size_t index,
			   struct feed_count *count)
{
	return false;
}

const struct feed_ops branches_feed = {
	.create = branches_create,
	.prepare = branches_prepare,
	.open = branches_open,
	.start = branches_start,
	.ending = branches_ending,
	.finish = branches_finish,
	.complete = branches_complete,
	.destroy = branches_destroy,
	.nr_streams = branches_nr_streams,
	.count = branches_count,
};
