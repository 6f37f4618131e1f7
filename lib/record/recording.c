// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A recording: writes a trace from the events of a session and of programs.
 *
 * Clock, types and tasks, which a reader needs to understand a stream, are on
 * disk before the first event.  So if the recorder is killed, its trace is
 * readable up to the last complete packet.
 *
 * Events come from feeds (feed.h) and go to a sink (sink.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <ktrace/recording.h>
#include <ktrace/writer.h>

#include "base/error.h"
#include "base/sized.h"
#include "read/trace.h"
#include "session/session.h"
#include "sink.h"
#include "recording.h"
#include "writer.h"

/* Making */

/* A copy, so that a new message can contain the last one. */
static const char *last_error_copy(char *why, size_t size)
{
	snprintf(why, size, "%s", ktrace_last_error());
	return why;
}

/* An earlier recorder may have chosen some, and was killed. */
static int cpus_choose(struct ktrace_session *s, const char *cpus)
{
	/* A module before this file records on all. */
	if (!cpus && faccessat(s->dir, "cpus", F_OK, 0))
		return 0;
	return ktrace_session_write(s, "cpus", cpus ?: "all");
}

/* What the buffers hold is from these CPUs, so it goes on with them. */
static int cpus_keep(struct ktrace_session *s,
		     const struct ktrace_recording_options *o)
{
	char *cpus, text[256];
	int err;

	if (!o->warn || faccessat(s->dir, "cpus", F_OK, 0))
		return 0;
	err = ktrace_session_read(s, "cpus", &cpus, NULL);
	if (err)
		return err;
	if (strcmp(cpus, "all\n")) {
		snprintf(text, sizeof(text),
			 "the recorder before this one has recorded only on "
			 "these CPUs, and so does this one: %.*s",
			 (int)strcspn(cpus, "\n"), cpus);
		o->warn(o->data, text);
	}
	free(cpus);
	return 0;
}

static int buffers_prepare(struct ktrace_session *s,
			   const struct ktrace_recording_options *o)
{
	char text[32], why[384];
	int err;

	if (!s)
		return 0;
	if (o->keep)
		return cpus_keep(s, o);
	err = cpus_choose(s, o->cpus);
	if (err)
		return err;
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

static int feeds_create(struct ktrace_recording *r,
			const struct feed_setup *setup)
{
	struct feed **next = r->feeds;

	for (size_t i = 0; feeds[i]; i++) {
		int err = feeds[i]->create(setup, next);

		if (err == -ENOMEM)
			return memory_explain(err);
		if (err)
			return err;
		next += !!*next;
	}
	return 0;
}

/* Makes one descriptor that becomes readable when any feed cannot continue. */
static int failed_make(struct ktrace_recording *r)
{
	struct epoll_event event = {.events = EPOLLIN};

	r->failed = epoll_create1(EPOLL_CLOEXEC);
	if (r->failed < 0)
		return error_set(-errno, "epoll: %m");
	feed_each(r, feed)
		if (epoll_ctl(r->failed, EPOLL_CTL_ADD, feed->failed, &event))
			return error_set(-errno, "epoll: %m");
	return 0;
}

static int feeds_prepare(struct ktrace_recording *r, struct feed_setup *setup)
{
	struct ktrace_clock clock;
	int err;

	err = metadata_clock_read(&r->metadata, &clock);
	setup->sink = r->metadata.sink;
	setup->writer = r->metadata.writer;
	setup->clock = &clock;
	setup->first_id = r->metadata.nr_ids;
	feed_each(r, feed) {
		if (!err)
			err = feed->ops->prepare(feed, setup);
		if (err || !(setup->options->follow || r->pointed))
			continue;
		err = feed->ops->open(feed);
		if (err)
			sink_explain(r->metadata.sink, err);
	}
	return err;
}

int ktrace_recording_create(struct ktrace_session *session,
			    const struct ktrace_recording_options *wishes,
			    struct ktrace_recording **recording)
{
	struct ktrace_recording_options copy, *options = &copy;
	struct feed_setup setup = {.session = session, .options = options};
	struct ktrace_recording *r;
	int err;

	err = sized_copy(&copy, sizeof(copy), wishes);
	if (err)
		return err;
	r = calloc(1, sizeof(*r));
	if (!r)
		return error_set(-ENOMEM, "out of memory");
	r->session = session;
	r->metadata.session = session;
	r->metadata.feeds = r->feeds;
	r->options = copy;
	r->keep = options->keep;
	r->metadata.unread =
		options->unread && options->follow && !options->programs;
	r->failed = -1;
	r->metadata.types = options->directory ? types_create() : NULL;
	if (options->directory && !r->metadata.types) {
		err = error_set(-ENOMEM, "out of memory");
		goto err_destroy;
	}
	err = buffers_prepare(session, options);
	if (!err)
		err = feeds_create(r, &setup);
	if (!err)
		err = sink_create(options, &r->metadata.sink);
	if (err)
		goto err_destroy;
	r->made = true;
	/* In overwrite mode all data comes at the end, in the order of time. */
	r->pointed = r->metadata.sink->ops->sync && !options->overwrite;
	err = metadata_first(&r->metadata, options)
		      ?: metadata_tasks_write(&r->metadata);
	/*
	 * Who reads while it is written needs the symbols before the events; and a recorder that is
	 * killed writes none at its end.
	 */
	if (!err)
		metadata_symbols_write(&r->metadata);
	if (!err)
		err = feeds_prepare(r, &setup);
	if (!err)
		err = failed_make(r);
	if (err)
		goto err_destroy;
	if (r->metadata.sink->ops->reserve)
		r->metadata.sink->ops->reserve(r->metadata.sink);
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
	int err = 0;

	feed_each(r, feed)
		if (!err && feed->ops->start)
			err = feed->ops->start(feed);
	if (err)
		return err;
	/* What the buffers hold has its misses, too. */
	if (r->session && !r->keep)
		err = misses_read(r->session, &r->before);
	if (err)
		return err;
	err = session_switch(r, true);
	if (err == -ENOMEM)
		return memory_explain(err);
	if (err)
		return err;
	r->running = true;
	r->made = false;
	err = metadata_tasks_complete(&r->metadata);
	feed_each(r, feed)
		if (!err && feed->ops->go)
			err = feed->ops->go(feed);
	return err;
}

int ktrace_recording_fd(const struct ktrace_recording *r)
{
	return r->failed;
}

int ktrace_recording_directory(const struct ktrace_recording *r)
{
	return r->metadata.sink->directory;
}

void status_add(struct ktrace_recording_status *status,
		const struct feed_count *count)
{
	status->events += count->cpu.events;
	status->bytes += count->bytes;
	status->recorded += count->cpu.recorded;
	status->unwritten += count->cpu.lost[KTRACE_LOST_UNWRITTEN];
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		if (i != KTRACE_LOST_UNWRITTEN)
			status->lost[i] += count->cpu.lost[i];
}

static void feed_status(const struct feed *feed,
			struct ktrace_recording_status *status)
{
	struct feed_count count;

	for (size_t i = 0; i < feed->ops->nr_streams(feed); i++) {
		feed->ops->count(feed, i, &count);
		status_add(status, &count);
		status->bytes_newest += count.bytes;
		status->events_newest += count.cpu.events;
		status->buffered += count.waiting;
	}
	if (!status->error)
		status->error = feed_error(feed);
}

void ktrace_recording_status_get(struct ktrace_recording *r,
				 struct ktrace_recording_status *result,
				 size_t size)
{
	struct ktrace_recording_status full = r->parted;

	feed_each(r, feed)
		feed_status(feed, &full);
	memset(result, 0, size);
	memcpy(result, &full, size < sizeof(full) ? size : sizeof(full));
}

static int end_write(struct ktrace_recording *r, const char *reason)
{
	size_t room = 0, nr = 0;
	struct feed_count count;
	struct ktrace_cpu *cpus;
	int err;

	feed_each(r, feed)
		room += feed->ops->nr_streams(feed);
	cpus = calloc(room + 1, sizeof(*cpus));
	if (!cpus)
		return error_set(-ENOMEM, "out of memory");
	feed_each(r, feed)
		for (size_t i = 0; i < feed->ops->nr_streams(feed); i++)
			if (feed->ops->count(feed, i, &count) && nr < room)
				cpus[nr++] = count.cpu;
	err = ktrace_writer_end(r->metadata.writer, cpus, nr, reason);
	free(cpus);
	return err;
}

int misses_write(struct ktrace_recording *r, struct ktrace_writer *writer,
		 struct misses *all)
{
	int err;

	if (!r->session)
		return 0;
	err = misses_since(r->session, &r->before, &r->misses, all);
	err = err ?: ktrace_writer_misses(writer, r->misses.list, r->misses.nr);
	return err
		       ?: ktrace_writer_probe_hits(writer, r->misses.hits.list,
						   r->misses.hits.nr);
}

/* Of the last trace; then those of all traces, if there are several. */
static int misses_end(struct ktrace_recording *r)
{
	struct misses all = {0};
	int err = misses_write(r, r->metadata.writer, &all);

	if (all.text && r->start.text) {
		misses_subtract(&all, &r->start);
		misses_free(&r->misses);
		r->misses = all;
	} else {
		misses_free(&all);
	}
	return err;
}

size_t ktrace_recording_misses(const struct ktrace_recording *r,
			       const struct ktrace_miss **misses)
{
	*misses = r->misses.list;
	return r->misses.nr;
}

size_t ktrace_recording_probe_hits(const struct ktrace_recording *r,
				   const struct ktrace_probe_hits **hits)
{
	*hits = r->misses.hits.list;
	return r->misses.hits.nr;
}

/* What a feed could not get, although the rest is in the trace. */
static int missed_explain(const struct ktrace_recording *r, const char **reason)
{
	const char *why;
	int err;

	feed_each(r, feed) {
		err = feed->ops->missed ? feed->ops->missed(feed, &why) : 0;
		if (!err)
			continue;
		*reason = why;
		return error_set(err,
				 "%s: the events of this CPU are not in the "
				 "trace, those of the others are",
				 why);
	}
	return 0;
}

/* Writes what is left in the buffers. */
static int copy_finish(struct ktrace_recording *r, const char **reason)
{
	int err = feeds_finish(r->feeds, r->metadata.sink->ops->sync);

	if (err) {
		*reason = strerror(-err);
		return sink_explain(r->metadata.sink, err);
	}
	return missed_explain(r, reason);
}

bool first_keep(struct first *first, int err)
{
	if (err && !first->err) {
		first->err = err;
		last_error_copy(first->why, sizeof(first->why));
	}
	return !err;
}

int first_error(const struct first *first)
{
	return first->err ? error_set(first->err, "%s", first->why) : 0;
}

int ktrace_recording_stop(struct ktrace_recording *r, const char *reason)
{
	struct first first = {0};
	bool copied;

	feed_each(r, feed)
		if (feed->ops->ending)
			first_keep(&first, feed->ops->ending(feed));
	/* What is in the buffers is written even if switching off failed. */
	r->on = !first_keep(&first, session_switch(r, false));
	r->running = false;
	if (r->metadata.sink->ops->ending)
		r->metadata.sink->ops->ending(r->metadata.sink);
	/* Before what is left: who reads it while it comes needs them. */
	if (first_keep(&first, metadata_clock_write(&r->metadata)))
		/* Types that were enabled meanwhile. */
		first_keep(&first, metadata_types_write(&r->metadata));
	/* When they began may be overwritten. */
	if (r->options.overwrite)
		first_keep(&first, metadata_tasks_complete(&r->metadata));
	copied = first_keep(&first, copy_finish(r, &reason));
	/* Once more, with those of modules that were loaded meanwhile. */
	if (copied && !r->metadata.sink->ops->sync)
		/* May fail: not needed. */
		metadata_symbols_write(&r->metadata);
	/* Written after any error: the counts are worth the most. */
	first_keep(&first, misses_end(r));
	first_keep(&first, end_write(r, reason));
	if (r->metadata.sink->ops->release)
		r->metadata.sink->ops->release(r->metadata.sink);
	return first_error(&first);
}

/* Following */

int ktrace_recording_follow(struct ktrace_recording *r, bool forget,
			    struct ktrace **trace)
{
	if (r->metadata.sink->directory < 0)
		return error_set(-EOPNOTSUPP,
				 "%s: only a trace on disk can be followed",
				 r->metadata.sink->name);
	return trace_open_live(r->metadata.sink->directory,
			       r->metadata.sink->name, forget,
			       r->metadata.types, trace);
}

static void streams_grow(struct ktrace_recording *r, struct ktrace *trace)
{
	struct feed_count count;

	feed_each(r, feed)
		for (size_t i = 0; i < feed->ops->nr_streams(feed); i++) {
			feed->ops->count(feed, i, &count);
			if (trace_grow(trace, count.cpu.stream,
				       count.cpu.programs, count.shown,
				       count.cpu.programs && r->running) &&
			    count.bytes && !count.cpu.programs)
				trace_warn(trace,
					   "CPU %u was plugged in meanwhile: "
					   "the trace has its events, but they "
					   "are not shown",
					   count.cpu.cpu);
		}
}

void ktrace_recording_types(struct ktrace_recording *r)
{
	r->fresh = true;
}

/* Includes packets that are being filled.  Release them even if this fails. */
static int feeds_hold(struct ktrace_recording *r)
{
	int err = 0;

	feed_each(r, feed) {
		int held = feed->ops->hold ? feed->ops->hold(feed) : 0;

		err = err ?: held;
	}
	return err ? sink_explain(r->metadata.sink, err) : 0;
}

static void feeds_release(struct ktrace_recording *r)
{
	feed_each(r, feed)
		if (feed->ops->release)
			feed->ops->release(feed);
}

static bool feeds_add_types(const struct ktrace_recording *r)
{
	feed_each(r, feed)
		if (feed->ops->hold)
			return true;
	return false;
}

bool ktrace_recording_is_followed(const struct ktrace_recording *r)
{
	const struct sink *sink = r->metadata.sink;

	return r->running && !r->options.overwrite && sink->ops->followed &&
	       sink->ops->followed(sink);
}

/* Adds the packets of programs, new types, and sleeps. */
static int sync_types(struct ktrace_recording *r, struct ktrace *trace,
		      bool followed)
{
	/* If others read what is written, nobody reports that events were enabled. */
	bool fresh = r->fresh || r->pointed || followed;
	bool refresh = fresh || feeds_add_types(r);
	struct ktrace_types *types = NULL;
	int err = 0, held, slept = 0;
	uint32_t next_id = 0;

	/* Before programs' events are held, because this may search files for names. */
	if (fresh)
		err = metadata_types_read(&r->metadata, &types, &next_id);
	r->fresh = false;
	held = feeds_hold(r);
	if (!err)
		err = held;
	if (!err)
		err = metadata_types_append(&r->metadata, types, next_id);
	else
		ktrace_types_destroy(types);
	if (!err && r->session)
		slept = sleeps_write(&r->metadata.sleeps, r->session,
				     r->metadata.writer);
	if (slept < 0)
		err = slept;
	if (!err && trace && (refresh || slept))
		err = trace_refresh(trace);
	return err;
}

/* Tells those who read while it is written how far they may read. */
static int point_write(struct ktrace_recording *r,
		       const struct ktrace_clock *clock, bool followed)
{
	int err;

	if (!r->pointed && !followed)
		return 0;
	err = metadata_calibrate(&r->metadata, clock);
	if (err)
		return err;
	if (followed)
		return r->synced ? writer_point(r->metadata.writer, r->synced)
				 : 0;
	err = r->metadata.sink->ops->sync(r->metadata.sink, r->synced);
	return err && err != -EAGAIN ? sink_explain(r->metadata.sink, err)
				     : err;
}

/*
 * All events that were in the buffers when the previous sync closed their
 * packets are committed by now, even if their writers were interrupted.  So the
 * trace is complete up to the begin of the previous sync.
 *
 * For programs there is no such limit, because nobody knows whether one is in
 * the middle of writing an event.  If such an event comes late, it is shown
 * late, with the time of the event that was shown before it.
 */
int ktrace_recording_sync(struct ktrace_recording *r, struct ktrace *trace)
{
	bool followed = ktrace_recording_is_followed(r);
	struct ktrace_clock clock;
	int err;

	if (!r->running && !trace)
		return 0;
	if (!r->running) {
		streams_grow(r, trace);
		return trace_complete(trace);
	}
	if (!trace && !followed &&
	    (!r->pointed || sink_is_stalled(r->metadata.sink)))
		return 0;
	err = metadata_clock_read(&r->metadata, &clock);
	if (err)
		return err;
	feed_each(r, feed)
		if (!err && feed->ops->sync)
			err = feed->ops->sync(feed);
	/* The stream's reader does not read.  The next sync tries again. */
	if (err == -EAGAIN)
		return 0;
	if (err)
		return sink_explain(r->metadata.sink, err);
	err = sync_types(r, trace, followed);
	if (!err && trace)
		streams_grow(r, trace);
	if (!err)
		err = point_write(r, &clock, followed);
	feeds_release(r);
	if (err == -EAGAIN)
		return 0;
	if (err)
		return err;
	if (trace)
		trace_advance(trace, r->synced);
	r->synced = clock.sync.clock;
	feed_each(r, feed)
		if (trace && feed->ops->view)
			feed->ops->view(feed, trace);
	return 0;
}

void ktrace_recording_destroy(struct ktrace_recording *r)
{
	if (!r)
		return;
	/* Tries again if it could not be switched off. */
	if (r->running || r->on)
		session_switch(r, false);
	/* A trace without any recording is removed. */
	if (r->made && r->metadata.sink->ops->remove)
		r->metadata.sink->ops->remove(r->metadata.sink);
	feed_each(r, feed)
		feed->ops->destroy(feed);
	metadata_free(&r->metadata);
	metadata_free(&r->left);
	if (r->failed >= 0)
		close(r->failed);
	/* Now that no buffer is open.  If it fails, the next recording tries again. */
	if (r->session && (r->options.cpus || r->keep))
		cpus_choose(r->session, NULL);
	misses_free(&r->start);
	misses_free(&r->before);
	misses_free(&r->misses);
	free(r);
}
