// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A trace for Perfetto (https://ui.perfetto.dev): protocol buffers.
 *
 *	CPUs		who ran: from the states of threads
 *	threads		their states, and a track with system calls and other events
 *	  functions, markers ...	tracks below their thread
 *	  state unknown	where events were lost in which it may have done something
 *	Interrupts	a track for each CPU
 *	Block requests	a track for each that is under way at once
 *	Lost events	a track for each CPU, and how many
 *	Counters	numbers that events tell the new value of, such as frequencies
 *
 * Perfetto has no state for "not known".  A thread of its own, called "unknown", has the
 * CPU where it is not known who ran, and the track "state unknown" says of which threads the state
 * that is drawn is the last one that was known.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loss.h"
#include "perfetto/counter.h"
#include "perfetto/packet.h"

/* Tracks that are not of the time line: above all that it gives (lib/read/timeline_thread.c). */
#define ID_PROCESS  (8ull << 60)
#define ID_GROUP    (9ull << 60)
#define ID_LOSS	    (10ull << 60)
#define ID_LOSS_SUM (11ull << 60)
#define ID_UNKNOWN  (12ull << 60)
#define ID_COUNTER  (13ull << 60) /* and a hash of its name */

/* No thread has such numbers (PID_MAX_LIMIT is 4194304). */
#define TID_LOST 8388608

/* A CPU. */
struct lost {
	uint32_t cpu;
	bool runs; /* "unknown" has the CPU */
	/* The thread that ran there, of those that have been told. */
	uint64_t last;
	uint64_t sum;	/* of lost events */
	uint64_t ended; /* when the last loss did */
};

struct perfetto {
	struct viewer viewer;
	struct packets packets;
	struct table declared; /* tracks; the value says nothing */
	struct table named;    /* processes; the same */
	struct table lost;     /* by CPU */
};

/* ---- tracks --------------------------------------------------------------- */

/* True: it was declared before. */
static bool is_declared(struct perfetto *p, struct table *table, uint64_t id,
			int *err)
{
	if (table_find(table, id))
		return true;
	if (table_add(table, id, p))
		*err = error_set(-ENOMEM, "out of memory");
	return false;
}

static uint64_t id_of_process(uint32_t tgid)
{
	return ID_PROCESS | tgid;
}

/* If the process is not known, the thread is one of its own. */
static uint32_t tgid_of(const struct ktrace_timeline_thread *thread)
{
	return thread->tgid ?: thread->tid;
}

static uint64_t id_of_thread(const struct ktrace_timeline_thread *thread)
{
	return thread->id << 28 | (uint64_t)KTRACE_TRACK_CALLS << 24;
}

static int process_declare(struct perfetto *p,
			   const struct ktrace_timeline_thread *thread)
{
	uint32_t tgid = tgid_of(thread);
	/* It has the name of its first thread, which may come later. */
	bool first = tgid == thread->tid;
	int err = 0;

	if (!first && table_find(&p->named, id_of_process(tgid)))
		return 0;
	if (is_declared(p, first ? &p->named : &p->declared,
			id_of_process(tgid), &err) ||
	    err)
		return err;
	return packet_process(&p->packets, id_of_process(tgid), tgid,
			      first ? thread->comm : NULL);
}

static int thread_declare(struct perfetto *p,
			  struct ktrace_timeline_thread *thread)
{
	int err;

	if (thread->data)
		return 0;
	err = process_declare(p, thread);
	/* It is enough to know that it was. */
	thread->data = p;
	return err
		       ?: packet_thread(&p->packets, id_of_thread(thread),
					id_of_process(tgid_of(thread)),
					tgid_of(thread), thread->tid,
					thread->comm);
}

/* A track of a CPU and the like, in a group of them. */
static int number_declare(struct perfetto *p, uint64_t id, uint64_t group,
			  const char *group_name, const char *format,
			  uint32_t number, bool counter)
{
	char name[64];
	int err = 0;

	if (is_declared(p, &p->declared, id, &err) || err)
		return err;
	if (!is_declared(p, &p->declared, group, &err))
		err = err
			      ?: packet_track(&p->packets, group, 0, group_name,
					      false);
	snprintf(name, sizeof(name), format, number);
	return err ?: packet_track(&p->packets, id, group, name, counter);
}

static int lane_declare(struct perfetto *p, struct ktrace_timeline_track *track)
{
	char name[64];
	int err;

	/* Each CPU has one, and all have the number 0. */
	if (!track->thread->tid) {
		snprintf(name, sizeof(name), "idle CPU %%u, %s",
			 viewer_track_name(track));
		return number_declare(p, track->id,
				      ID_GROUP | (KTRACE_TRACK_NR + 1),
				      "Idle threads", name, track->thread->cpu,
				      false);
	}
	err = thread_declare(p, track->thread);
	if (track->kind == KTRACE_TRACK_CALLS)
		return err;
	snprintf(name, sizeof(name), "%s", viewer_track_name(track));
	if (track->number)
		snprintf(name, sizeof(name), "markers of programs %u",
			 track->number);
	return err
		       ?: packet_track(&p->packets, track->id,
				       id_of_thread(track->thread), name,
				       false);
}

/* The track's id; it was declared. */
static int track_declare(struct perfetto *p,
			 struct ktrace_timeline_track *track, uint64_t *id)
{
	int err;

	*id = track->id;
	if (track->data)
		return 0;
	track->data = p;
	if (track->thread)
		err = lane_declare(p, track);
	else if (track->kind == KTRACE_TRACK_CPU)
		err = number_declare(p, track->id, ID_GROUP | track->kind,
				     "Interrupts", "interrupts of CPU %u",
				     track->number, false);
	else
		err = number_declare(p, track->id, ID_GROUP | track->kind,
				     "Block requests", "request %u",
				     track->number, false);
	return err;
}

/* ---- events --------------------------------------------------------------- */

static void arguments_put(struct perfetto *p)
{
	const struct arguments *arguments = &p->viewer.arguments;

	for (uint32_t i = 0; i < arguments->nr; i++) {
		const struct argument *a = &arguments->list[i];

		if (a->is_number)
			event_number(&p->packets, a->name, a->number);
		else
			event_text(&p->packets, a->name, a->text, a->size);
	}
}

static int begin_tell(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	struct perfetto *p = data;
	struct call_view *call;
	uint64_t track;
	int err = track_declare(p, slice->track, &track);

	if (err)
		return err;
	event_begin(&p->packets, EVENT_BEGIN, track,
		    viewer_category(slice->span), slice->span->name);
	if (arguments_begin(&p->viewer.arguments, event, &call))
		return error_set(-ENOMEM, "out of memory");
	slice->data = call;
	arguments_put(p);
	return event_write(&p->packets, slice->begin);
}

static int end_tell(void *data, struct ktrace_timeline_slice *slice,
		    const struct ktrace_event *event)
{
	const char *why = viewer_end_text(slice->how);
	struct perfetto *p = data;
	uint64_t track;
	int err = track_declare(p, slice->track, &track);

	event_begin(&p->packets, EVENT_END, track, NULL, NULL);
	if (event && !err)
		err = arguments_end(&p->viewer.arguments, event, slice->data)
			      ? error_set(-ENOMEM, "out of memory")
			      : 0;
	if (err)
		return err;
	if (event)
		arguments_put(p);
	if (why)
		event_text(&p->packets, "end", why, strlen(why));
	return event_write(&p->packets, slice->end);
}

static int whole_tell(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	struct perfetto *p = data;
	uint64_t track;
	int err = track_declare(p, slice->track, &track);

	if (err)
		return err;
	event_begin(&p->packets, EVENT_BEGIN, track,
		    viewer_category(slice->span), slice->span->name);
	if (arguments_event(&p->viewer.arguments, event))
		return error_set(-ENOMEM, "out of memory");
	arguments_put(p);
	err = event_write(&p->packets, slice->begin);
	event_begin(&p->packets, EVENT_END, track, NULL, NULL);
	return err ?: event_write(&p->packets, slice->end);
}

static int instant_tell(struct perfetto *p, struct ktrace_timeline_track *track,
			const struct ktrace_event *event, const char *name,
			uint64_t flow)
{
	uint64_t id;
	int err = track_declare(p, track, &id);

	if (err)
		return err;
	event_begin(&p->packets, EVENT_INSTANT, id, event->type->system, name);
	if (flow)
		event_flow(&p->packets, flow, false);
	if (arguments_event(&p->viewer.arguments, event))
		return error_set(-ENOMEM, "out of memory");
	arguments_put(p);
	return event_write(&p->packets, event->time);
}

static int counter_tell(struct perfetto *p, const struct counter *counter,
			uint64_t time)
{
	uint64_t hash = table_hash(counter->name, strlen(counter->name));
	uint64_t id = ID_COUNTER | hash >> 4;
	uint64_t group = ID_GROUP | (KTRACE_TRACK_NR + 2);
	int err = 0;

	if (!is_declared(p, &p->declared, group, &err) && !err)
		err = packet_track(&p->packets, group, 0, "Counters", false);
	if (!err && !is_declared(p, &p->declared, id, &err) && !err)
		err = packet_track(&p->packets, id, group, counter->name, true);
	event_begin(&p->packets, EVENT_COUNTER, id, NULL, NULL);
	event_count(&p->packets, (uint64_t)counter->value);
	return err ?: event_write(&p->packets, time);
}

static int point_tell(void *data, struct ktrace_timeline_track *track,
		      const struct ktrace_event *event)
{
	struct perfetto *p = data;
	struct counter counter;
	int err = instant_tell(p, track, event, event->type->name, 0);

	if (err || !counter_find(event->type, &p->viewer.arguments, &counter))
		return err;
	return counter_tell(p, &counter, event->time);
}

static int wake_tell(void *data, const struct ktrace_timeline_wake *wake,
		     const struct ktrace_event *event)
{
	char name[64];

	snprintf(name, sizeof(name), "wakes %s", wake->thread->comm);
	return instant_tell(data, wake->track, event, name, wake->id);
}

/* That of slices is their call; others have only been declared. */
static void data_free(void *data, void *theirs)
{
	if (theirs != data)
		arguments_call_free(theirs);
}

/* ---- states --------------------------------------------------------------- */

static const enum task_state task_states[KTRACE_STATE_NR] = {
	[KTRACE_STATE_RUNNING] = TASK_RUNNING,
	[KTRACE_STATE_RUNNABLE] = TASK_RUNNABLE,
	[KTRACE_STATE_PREEMPTED] = TASK_RUNNABLE,
	[KTRACE_STATE_SLEEPING] = TASK_SLEEP,
	[KTRACE_STATE_BLOCKED] = TASK_BLOCKED,
	[KTRACE_STATE_STOPPED] = TASK_STOPPED,
	[KTRACE_STATE_DEAD] = TASK_DEAD,
};

static struct lost *lost_of(struct perfetto *p, uint32_t cpu)
{
	struct lost *lost = table_find(&p->lost, cpu);

	if (lost)
		return lost;
	lost = calloc(1, sizeof(*lost));
	if (lost && table_add(&p->lost, cpu, lost)) {
		free(lost);
		return NULL;
	}
	if (lost)
		lost->cpu = cpu;
	return lost;
}

/* Whoever has the CPU next is not known; or, not @runs, it is again. */
static int lost_runs(struct perfetto *p, uint32_t cpu, uint64_t time, bool runs)
{
	struct lost *lost = lost_of(p, cpu);

	if (!lost)
		return error_set(-ENOMEM, "out of memory");
	if (lost->runs == runs)
		return 0;
	lost->runs = runs;
	if (runs)
		lost->last = 0;
	return packet_state(&p->packets,
			    &(struct packet_state){
				    .time = time,
				    .cpu = cpu,
				    .tid = TID_LOST + cpu,
				    .comm = "unknown",
				    .state = runs ? TASK_RUNNING : TASK_SLEEP,
			    });
}

static int unknown_tell(struct perfetto *p,
			const struct ktrace_timeline_state *state)
{
	struct ktrace_timeline_thread *thread = state->thread;
	const struct lost *lost = table_find(&p->lost, state->cpu);
	uint64_t id = ID_UNKNOWN | thread->id;
	int err = thread_declare(p, thread);

	/* That it has left the CPU is not told. */
	if (!err && lost && lost->last == thread->id)
		err = lost_runs(p, state->cpu, state->begin, true);

	if (err)
		return err;
	if (!is_declared(p, &p->declared, id, &err))
		err = err
			      ?: packet_track(&p->packets, id,
					      id_of_thread(thread),
					      "state unknown", false);
	event_begin(&p->packets, EVENT_BEGIN, id, "state", "state unknown");
	err = err ?: event_write(&p->packets, state->begin);
	event_begin(&p->packets, EVENT_END, id, NULL, NULL);
	return err ?: event_write(&p->packets, state->end);
}

/* Where the arrow ends. */
static int woken_tell(struct perfetto *p,
		      const struct ktrace_timeline_state *state)
{
	event_begin(&p->packets, EVENT_INSTANT, id_of_thread(state->thread),
		    "wake", "runs");
	event_flow(&p->packets, state->wake, true);
	return event_write(&p->packets, state->begin);
}

static int cpu_unknown_tell(void *data, uint32_t cpu, uint64_t time)
{
	return lost_runs(data, cpu, time, true);
}

/* Where the idle thread runs, no thread does. */
static int cpu_take(struct perfetto *p,
		    const struct ktrace_timeline_state *state)
{
	struct lost *lost = lost_of(p, state->cpu);

	if (!lost)
		return error_set(-ENOMEM, "out of memory");
	lost->last = state->thread->id;
	return lost_runs(p, state->cpu, state->begin, false);
}

static int state_tell(void *data, const struct ktrace_timeline_state *state)
{
	struct ktrace_timeline_thread *thread = state->thread;
	struct perfetto *p = data;
	int err = 0;

	if (state->state == KTRACE_STATE_UNKNOWN)
		return thread->tid ? unknown_tell(p, state) : 0;
	if (state->state == KTRACE_STATE_RUNNING)
		err = cpu_take(p, state);
	if (err || !thread->tid)
		return err;
	err = thread_declare(p, thread);
	err = err
		      ?: packet_state(&p->packets,
				      &(struct packet_state){
					      .time = state->begin,
					      .cpu = state->cpu,
					      .tid = thread->tid,
					      .comm = thread->comm,
					      .state =
						      task_states[state->state],
					      .priority = state->priority,
				      });
	if (!err && state->wake && state->state == KTRACE_STATE_RUNNING)
		err = woken_tell(p, state);
	return err;
}

/* ---- losses --------------------------------------------------------------- */

static int loss_slice(struct perfetto *p, const struct ktrace_loss *loss,
		      struct lost *lost, uint64_t id)
{
	const char *cause = loss_cause(loss->cause);
	uint64_t begin = loss->from < lost->ended ? lost->ended : loss->from;
	int err;

	lost->ended = loss->time < begin ? begin : loss->time;
	event_begin(&p->packets, EVENT_BEGIN, id, "lost",
		    loss_is_event(loss->cause) ? "events lost"
					       : "task records lost");
	event_number(&p->packets, "count", loss->count);
	event_text(&p->packets, "cause", cause, strlen(cause));
	err = event_write(&p->packets, begin);
	event_begin(&p->packets, EVENT_END, id, NULL, NULL);
	return err ?: event_write(&p->packets, lost->ended);
}

static int loss_tell(void *data, const struct ktrace_loss *loss)
{
	struct perfetto *p = data;
	struct lost *lost = lost_of(p, loss->cpu);
	uint64_t id = ID_LOSS | loss->cpu, sum = ID_LOSS_SUM | loss->cpu;
	int err;

	if (!lost)
		return error_set(-ENOMEM, "out of memory");
	err = number_declare(p, id, ID_GROUP | KTRACE_TRACK_NR, "Lost events",
			     "lost on CPU %u", loss->cpu, false);
	err = err ?: loss_slice(p, loss, lost, id);
	if (err || !loss_is_event(loss->cause))
		return err;
	err = number_declare(p, sum, ID_GROUP | KTRACE_TRACK_NR, "Lost events",
			     "events lost on CPU %u, sum", loss->cpu, true);
	lost->sum += loss->count;
	event_begin(&p->packets, EVENT_COUNTER, sum, NULL, NULL);
	event_count(&p->packets, lost->sum);
	return err ?: event_write(&p->packets, lost->ended);
}

/* ---- the output ----------------------------------------------------------- */

static int perfetto_begin(struct viewer *viewer)
{
	struct perfetto *p = (struct perfetto *)viewer;

	p->packets.output = &viewer->output;
	return packets_begin(&p->packets, ktrace_get_info(viewer->show.trace),
			     viewer->begin);
}

static const struct viewer_ops perfetto_ops = {
	.calls.state = state_tell,
	.calls.unknown = cpu_unknown_tell,
	.calls.begin = begin_tell,
	.calls.end = end_tell,
	.calls.whole = whole_tell,
	.calls.wake = wake_tell,
	.calls.point = point_tell,
	.calls.loss = loss_tell,
	.calls.gone = data_free,
	.begin = perfetto_begin,
};

static int perfetto_open(struct ktrace_output *show)
{
	return viewer_open(show, &perfetto_ops);
}

static void perfetto_release(struct ktrace_output *show)
{
	struct perfetto *p = (struct perfetto *)show;
	struct lost *lost;
	size_t at = 0;

	viewer_close(&p->viewer);
	packets_free(&p->packets);
	while ((lost = table_each(&p->lost, &at)))
		free(lost);
	table_free(&p->lost);
	table_free(&p->declared);
	table_free(&p->named);
}

const struct show_ops show_perfetto = {
	.kind.name = "perfetto",
	.kind.what = "a time line for https://ui.perfetto.dev",
	.kind.file = true,
	.kind.hidden = true,
	.size = sizeof(struct perfetto),
	.open = perfetto_open,
	.event = viewer_event,
	.hidden = viewer_hidden,
	.hidden_loss = viewer_hidden_loss,
	.loss = viewer_loss,
	.finish = viewer_finish,
	.pause = viewer_pause,
	.release = perfetto_release,
};
