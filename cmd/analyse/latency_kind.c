// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What ktrace latency can measure, and how that is found in a time line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_file.h"
#include "latency.h"

/* ---- waits for a CPU ------------------------------------------------------ */

static bool waits(const struct ktrace_timeline_state *s)
{
	return s->state == KTRACE_STATE_RUNNABLE ||
	       s->state == KTRACE_STATE_PREEMPTED;
}

/* It was woken, but that is not in the trace. */
static bool waits_unseen(const struct ktrace_timeline_state *s)
{
	return s->runs && (s->state == KTRACE_STATE_SLEEPING ||
			   s->state == KTRACE_STATE_BLOCKED ||
			   s->state == KTRACE_STATE_STOPPED);
}

static int wait_add(struct latency *l, const struct ktrace_timeline_state *s)
{
	struct latency_case c = {
		.ns = s->end - s->begin,
		.begin = s->begin,
		.end = s->end,
		.cpu = s->next_cpu,
		.tid = s->thread->tid,
		.tgid = s->thread->tgid,
	};

	text_copy(c.comm, sizeof(c.comm), s->thread->comm);
	return latency_add(l, KTRACE_SPAN_CPU, &c);
}

/* Those that are preempted were not woken: they have a distribution of their own. */
static int wait_told(void *data, const struct ktrace_timeline_state *s)
{
	const struct ktrace_timeline_thread *thread = s->thread;
	struct latency *l = data;

	if (s->state == KTRACE_STATE_RUNNING)
		return runs_add(&l->runs, s);
	if (!(waits(s) || waits_unseen(s)) || !thread->tid ||
	    !latency_wants(l, thread->tid, thread->tgid, thread->comm,
			   s->runs ? s->next_cpu : s->cpu, s->end))
		return 0;
	if (!waits(s) || (s->runs && s->unbegun))
		l->left.unbegun++;
	else if (!s->runs)
		latency_leave(s->open ? &l->left.open : &l->left.cut, &l->left,
			      s->end - s->begin);
	else if (s->state == KTRACE_STATE_RUNNABLE)
		return wait_add(l, s);
	else
		return histogram_add(&l->preempted, s->end - s->begin);
	return 0;
}

const struct latency_kind latency_sched = {
	.name = "sched",
	.title = "how long threads that were woken waited for a CPU",
	.worst = "longest waits",
	.needs =
		{
			.list =
				{
					{"sched:sched_switch"},
					{"sched:sched_waking|sched:sched_wakeup"},
					{"sched:sched_waking",
					 "waits begin when a CPU has put the thread into its queue"},
					{"sched:sched_wakeup",
					 "a wait whose sched_waking was lost is not among those without a begin"},
					{"sched:sched_wakeup_new",
					 "the first wait of a new thread does not count"},
				},
			.record = "-e 'sched:sched_switch,sched:sched_waking,"
				  "sched:sched_wakeup,sched:sched_wakeup_new'",
			.what = "how long threads wait for a CPU",
		},
	.state = wait_told,
	.instead = true,
};

/* ---- slices --------------------------------------------------------------- */

/* @name NULL: it has that of the span. */
static int slice_add(struct latency *l, const struct ktrace_span *span,
		     const char *name, const char *file)
{
	struct latency_case c = {
		.ns = span->took,
		.begin = span->begin,
		.end = span->end,
		.cpu = span->end_cpu,
		.tid = span->tid,
		.tgid = span->tgid,
		.error = span->error,
	};

	text_copy(c.comm, sizeof(c.comm), span->comm);
	text_copy(c.name, sizeof(c.name), name ?: span->name);
	text_copy(c.file, sizeof(c.file), file ?: "");
	return latency_add(l, span->kind, &c);
}

/* What a slice was when it began.  Only kept if it matters. */
struct slice_begin {
	uint32_t tid;
	uint32_t tgid;
	char comm[COMM_ROOM];
	char *name; /* what it is made of has gone when the slice ends; NULL: that of its span */
	char *file; /* the same */
};

/* Its span is no more. */
static int slice_left(struct latency *l,
		      const struct ktrace_timeline_slice *slice)
{
	static const struct slice_begin anybody;
	const struct ktrace_timeline_track *track = slice->track;
	const struct slice_begin *owner =
		slice->data == l ? &anybody : slice->data;
	uint64_t *count = &l->left.cut;

	if (!latency_wants(l, owner->tid, owner->tgid, owner->comm,
			   track->kind == KTRACE_TRACK_CPU ? track->number
							   : CPU_ANY,
			   slice->end))
		return 0;
	if (slice->how == KTRACE_SLICE_DIED)
		count = &l->left.died;
	else if (slice->how == KTRACE_SLICE_OPEN)
		count = &l->left.open;
	latency_leave(count, &l->left, slice->end - slice->begin);
	return 0;
}

static int slice_begun(void *data, struct ktrace_timeline_slice *slice,
		       const struct ktrace_event *event)
{
	const struct ktrace_span *span = slice->span;
	struct latency *l = data;
	struct slice_begin *seen;

	if (!l->kind->is_one(span))
		return 0;
	slice->data = l;
	if (who_is_all(&l->who) && !l->kind->name_make && !l->by_file)
		return 0;
	seen = calloc(1, sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	slice->data = seen;
	seen->tid = span->tid;
	seen->tgid = span->tgid;
	text_copy(seen->comm, sizeof(seen->comm), span->comm);
	if (l->kind->name_make)
		seen->name = l->kind->name_make(event);
	if (l->by_file)
		seen->file = call_file(event);
	return (l->kind->name_make && !seen->name) ||
			       (l->by_file && !seen->file)
		       ? -ENOMEM
		       : 0;
}

static void slice_gone(void *data, void *theirs)
{
	struct slice_begin *seen = theirs;

	if (theirs == data)
		return;
	if (seen) {
		free(seen->name);
		free(seen->file);
	}
	free(seen);
}

/* A twin is the same call once more. */
static int slice_ended(void *data, struct ktrace_timeline_slice *slice,
		       const struct ktrace_event *event)
{
	const struct ktrace_span *span = slice->span;
	const struct slice_begin *seen = slice->data;
	struct latency *l = data;

	if (!slice->data || slice->twin)
		return 0;
	if (!span)
		return slice_left(l, slice);
	if (!latency_wants(l, span->tid, span->tgid, span->comm, span->end_cpu,
			   span->end))
		return 0;
	return slice->data == l ? slice_add(l, span, NULL, NULL)
				: slice_add(l, span, seen->name, seen->file);
}

static bool is_call(const struct ktrace_span *span)
{
	return span->kind == KTRACE_SPAN_SYSCALL;
}

const struct latency_kind latency_syscall = {
	.name = "syscall",
	.title = "how long system calls took",
	.worst = "longest calls",
	.needs =
		{
			.list =
				{
					{"syscalls:sys_enter_*|compat_syscalls:sys_enter_*|"
					 "raw_syscalls:sys_enter"},
					{"syscalls:sys_exit_*|compat_syscalls:sys_exit_*|"
					 "raw_syscalls:sys_exit"},
				},
			.record = "-e 'syscalls:*'",
			.what = "how long system calls take",
		},
	.begin = slice_begun,
	.end = slice_ended,
	.gone = slice_gone,
	.is_one = is_call,
	.errors = true,
};

static bool is_interrupt(const struct ktrace_span *span)
{
	return span->kind == KTRACE_SPAN_IRQ ||
	       span->kind == KTRACE_SPAN_SOFTIRQ;
}

const struct latency_kind latency_irq = {
	.name = "irq",
	.title =
		"how long handlers of interrupts ran, with what interrupted them",
	.worst = "longest runs",
	.needs =
		{
			.list =
				{
					{"irq:irq_handler_entry",
					 "interrupts of devices do not count",
					 1},
					{"irq:softirq_entry",
					 "softirqs do not count", 1},
					{"irq_vectors:*_entry",
					 "interrupts of the CPU itself, as of its timer, do not count",
					 1},
				},
			.record = "-e 'irq:*,irq_vectors:*'",
			.what = "how long interrupts take",
		},
	.begin = slice_begun,
	.end = slice_ended,
	.gone = slice_gone,
	.is_one = is_interrupt,
	.kinds = true,
};

/* ---- disks and locks ------------------------------------------------------ */

static uint64_t value_of(const struct ktrace_event *event, const char *name)
{
	const struct ktrace_field *field = ktrace_field_find(event->type, name);

	return field ? ktrace_field_int(event, field) : 0;
}

/* "8:16 WS": the disk, and what is done with it.  The kernel's numbers of devices. */
static char *request_name(const struct ktrace_event *event)
{
	const struct ktrace_field *rwbs =
		ktrace_field_find(event->type, "rwbs");
	uint32_t dev = value_of(event, "dev");
	const uint8_t *text = (const uint8_t *)"";
	size_t size = 0;
	char *name;

	if (rwbs && rwbs->kind == KTRACE_STRING)
		text = ktrace_field_bytes(event, rwbs, &size);
	return asprintf(&name, "%u:%u %.*s", dev >> 20, dev & 0xfffff,
			(int)size, (const char *)text) < 0
		       ? NULL
		       : name;
}

static bool is_request(const struct ktrace_span *span)
{
	return span->kind == KTRACE_SPAN_BLOCK;
}

const struct latency_kind latency_block = {
	.name = "block",
	.title = "how long disks took for requests",
	.worst = "longest requests",
	.needs =
		{
			.list =
				{
					{"block:block_rq_issue"},
					{"block:block_rq_complete"},
				},
			.record =
				"-e 'block:block_rq_issue,block:block_rq_complete,"
				"block:block_rq_requeue'",
			.what = "how long disks take",
		},
	.begin = slice_begun,
	.end = slice_ended,
	.gone = slice_gone,
	.name_make = request_name,
	.is_one = is_request,
};

/* The names of its flags: "MUTEX" or "SPIN|READ", say.  Semaphores have none. */
static char *lock_name(const struct ktrace_event *event)
{
	const struct ktrace_field *field =
		ktrace_field_find(event->type, "flags");
	const struct ktrace_names *names = field ? field->names : NULL;
	uint64_t flags = value_of(event, "flags");
	char name[64] = "";
	size_t size = 0;

	for (uint32_t i = 0; names && i < names->count; i++) {
		const struct ktrace_name *flag = &names->names[i];

		if (!(flags & flag->value) || size >= sizeof(name) - 1)
			continue;
		size += snprintf(name + size, sizeof(name) - size, "%s%s",
				 size ? "|" : "", flag->name);
	}
	if (!size && flags)
		snprintf(name, sizeof(name), "%#lx", flags);
	return strdup(*name ? name : "semaphore");
}

static bool is_lock(const struct ktrace_span *span)
{
	return span->kind == KTRACE_SPAN_MARKER && !span->type->marker &&
	       !strcmp(span->type->system, "lock");
}

const struct latency_kind latency_lock = {
	.name = "lock",
	.title = "how long threads waited for locks of the kernel",
	.worst = "longest waits",
	.needs =
		{
			.list =
				{
					{"lock:contention_begin"},
					{"lock:contention_end"},
				},
			.record = "-e 'lock:contention_*'",
			.what = "how long threads wait for locks",
		},
	.begin = slice_begun,
	.end = slice_ended,
	.gone = slice_gone,
	.name_make = lock_name,
	.is_one = is_lock,
};
