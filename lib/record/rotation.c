// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A recording goes on in another trace.
 *
 * What takes long is done while the feeds still write to the old trace: the metadata of the new
 * one.  Then each feed takes what was recorded until now, and turns to the new one.  At last the
 * old trace gets its end.  The session is on all the time, and nothing is dropped in between.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "read/trace.h"
#include "recording.h"

static int possible_check(const struct ktrace_recording *r)
{
	const char *why = NULL;

	if (!r->running)
		return error_set(-EINVAL, "the recording does not run");
	feed_each(r, feed)
		if (feed_error(feed))
			return sink_explain(r->metadata.sink, feed_error(feed));
	/* Something else than a feed has failed. */
	if (r->left.sink)
		return error_set(-EINVAL, "the last switch failed half way");
	if (r->keep)
		why = "of a recorder before this one (keep)";
	else if (r->options.follow || r->metadata.sink->directory < 0)
		why = "that somebody follows";
	else if (r->options.overwrite && r->options.programs)
		why = "of markers of programs in mode overwrite";
	feed_each(r, feed)
		if (!feed->ops->rotate)
			why = "of branches";
	return why ? error_set(-EOPNOTSUPP,
			       "a recording %s cannot go on in another trace",
			       why)
		   : 0;
}

/* A trace without events. */
static int next_make(const struct ktrace_recording *r,
		     const struct ktrace_recording_options *options,
		     struct metadata *next)
{
	int err;

	*next = (struct metadata){
		.session = r->session,
		.feeds = r->feeds,
		.nr_cpus = r->metadata.nr_cpus,
		.types = types_create(),
	};
	if (!next->types)
		return error_set(-ENOMEM, "out of memory");
	err = sink_create(options, &next->sink);
	err = err ?: metadata_first(next, options);
	if (!err)
		metadata_symbols_write(next);
	if (!err && next->sink->ops->reserve)
		next->sink->ops->reserve(next->sink);
	return err;
}

static void next_drop(struct metadata *next)
{
	if (next->sink && next->sink->ops->remove)
		next->sink->ops->remove(next->sink);
	metadata_free(next);
}

/* Of the traces that end: a count for each stream. */
struct counts {
	struct feed_count *list;
	size_t nr;
	bool failed; /* there was no memory for one */
};

static void count_add(void *data, const struct feed_count *count)
{
	struct counts *counts = data;
	struct feed_count *more =
		realloc(counts->list, (counts->nr + 1) * sizeof(*more));

	counts->failed |= !more;
	if (!more)
		return;
	counts->list = more;
	more[counts->nr++] = *count;
}

/*
 * *@turned: a feed writes to the new trace.  The others follow then even if it has failed, so
 * that each of the two traces has what belongs together.
 */
static int feeds_turn(struct ktrace_recording *r, struct metadata *next,
		      struct counts *counts, bool *turned)
{
	const struct feed_setup setup = {
		.session = r->session,
		.options = &r->options,
		.sink = next->sink,
		.writer = next->writer,
		.turned = turned,
	};
	struct first first = {0};

	feed_each(r, feed) {
		int err = feed->ops->rotate(feed, &setup, count_add, counts);

		first_keep(&first, err);
		if (err && !*turned)
			break;
		/*
		 * The first one has the events of the kernel.  What follows may take long, and a
		 * task may have ended by then.
		 */
		if (feed == r->feeds[0])
			first_keep(&first, metadata_tasks_complete(next));
	}
	if (counts->failed)
		first_keep(&first, error_set(-ENOMEM, "out of memory"));
	return first_error(&first);
}

static int counts_write(const struct counts *counts,
			struct ktrace_writer *writer, const char *reason)
{
	struct ktrace_cpu *cpus = calloc(counts->nr + 1, sizeof(*cpus));
	int err;

	if (!cpus)
		return error_set(-ENOMEM, "out of memory");
	for (size_t i = 0; i < counts->nr; i++)
		cpus[i] = counts->list[i].cpu;
	err = ktrace_writer_end(writer, cpus, counts->nr, reason);
	free(cpus);
	return err;
}

/* What was missed is told to the trace that ends; the next one has what comes from now on. */
static int misses_part(struct ktrace_recording *r, struct ktrace_writer *writer)
{
	struct misses all = {0};
	int err = misses_write(r, writer, &all);

	if (!all.text)
		return err;
	if (r->start.text)
		misses_free(&r->before);
	else
		r->start = r->before;
	r->before = all;
	return err;
}

/* The counts are written whatever happens. */
static int old_end(struct ktrace_recording *r, struct metadata *old,
		   const struct counts *counts, const char *reason)
{
	int err = metadata_clock_write(old), ended;

	err = err ?: metadata_types_write(old);
	/* When they began may be overwritten. */
	if (!err && r->options.overwrite)
		err = metadata_tasks_complete(old);
	if (!err)
		metadata_symbols_write(old);
	err = err ?: misses_part(r, old->writer);
	ended = counts_write(counts, old->writer, reason);
	if (old->sink->ops->release)
		old->sink->ops->release(old->sink);
	return err ?: ended;
}

static int turn(struct ktrace_recording *r, struct metadata *next,
		struct counts *counts, const char *reason)
{
	struct metadata old = r->metadata;
	struct first first = {0};
	bool turned = false, whole;

	whole = first_keep(&first, feeds_turn(r, next, counts, &turned));
	if (!turned) {
		next_drop(next);
		return first_error(&first);
	}
	r->metadata = *next;
	first_keep(&first, old_end(r, &old, counts, reason));
	if (whole)
		metadata_free(&old);
	else
		r->left = old;
	for (size_t i = 0; i < counts->nr; i++)
		status_add(&r->parted, &counts->list[i]);
	return first_error(&first);
}

/*
 * The threads copy most of what is there, so that they rest for a shorter time.  If more comes
 * than they can copy, this does not help, and is not needed.
 */
static int feeds_hurry(struct ktrace_recording *r)
{
	int err = 0;

	feed_each(r, feed)
		if (!err && feed->ops->sync && !r->options.overwrite)
			err = feed->ops->sync(feed);
	return err && err != -EAGAIN ? sink_explain(r->metadata.sink, err) : 0;
}

int ktrace_recording_rotate(struct ktrace_recording *r, const char *directory,
			    const char *reason)
{
	struct ktrace_recording_options options = r->options;
	struct counts counts = {0};
	struct metadata next;
	int err = possible_check(r);

	if (err)
		return err;
	options.directory = directory;
	err = next_make(r, &options, &next);
	err = err ?: feeds_hurry(r);
	/* As late as possible: a task that begins or is renamed from now on is told in either. */
	err = err ?: metadata_tasks_write(&next);
	if (err)
		next_drop(&next);
	else
		err = turn(r, &next, &counts, reason);
	free(counts.list);
	return err;
}
