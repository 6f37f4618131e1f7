// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <string.h>

#include "fields.h"

#define THREAD	(1u << BY_THREAD)
#define PROCESS (1u << BY_PROCESS)
#define THREADS (THREAD | PROCESS | 1u << BY_CGROUP)
#define CALL	(1u << BY_CALL)
#define SPANS	(CALL | 1u << BY_FUNCTION)
#define EVENT	(1u << BY_EVENT)

static uint64_t tid_of(const struct row *r)
{
	return r->tid;
}

static uint64_t pid_of(const struct row *r)
{
	return r->tgid;
}

static uint64_t threads_of(const struct row *r)
{
	return r->threads;
}

static uint64_t running_of(const struct row *r)
{
	return r->sums.states[KTRACE_STATE_RUNNING];
}

/* It waits for a CPU. */
static uint64_t ready_of(const struct row *r)
{
	return r->sums.states[KTRACE_STATE_RUNNABLE] +
	       r->sums.states[KTRACE_STATE_PREEMPTED];
}

static uint64_t sleeping_of(const struct row *r)
{
	return r->sums.states[KTRACE_STATE_SLEEPING] +
	       r->sums.states[KTRACE_STATE_STOPPED];
}

static uint64_t blocked_of(const struct row *r)
{
	return r->sums.states[KTRACE_STATE_BLOCKED];
}

static uint64_t unknown_of(const struct row *r)
{
	return r->sums.states[KTRACE_STATE_UNKNOWN];
}

static uint64_t switches_of(const struct row *r)
{
	return r->sums.switches;
}

static uint64_t preemptions_of(const struct row *r)
{
	return r->sums.preemptions;
}

static uint64_t calls_of(const struct row *r)
{
	return r->sums.calls;
}

static uint64_t errors_of(const struct row *r)
{
	return r->sums.errors;
}

static uint64_t events_of(const struct row *r)
{
	return r->sums.events;
}

static uint64_t mean_of(const struct row *r)
{
	return r->sums.calls ? r->total / r->sums.calls : 0;
}

static uint64_t max_of(const struct row *r)
{
	return r->max;
}

static uint64_t total_of(const struct row *r)
{
	return r->total;
}

const struct field fields[] = {
	{"tid", "TID", FIELD_NUMBER, 8, THREAD, tid_of},
	{"pid", "PID", FIELD_NUMBER, 8, THREAD | PROCESS, pid_of},
	{"threads", "THREADS", FIELD_NUMBER, 8, THREADS & ~THREAD, threads_of},
	{"cpu", "%CPU", FIELD_PERCENT, 7, THREADS, running_of},
	{"ready", "%READY", FIELD_PERCENT, 7, THREADS, ready_of},
	{"sleep", "%SLEEP", FIELD_PERCENT, 8, THREADS, sleeping_of},
	{"block", "%BLOCK", FIELD_PERCENT, 8, THREADS, blocked_of},
	{"unknown", "%UNKN", FIELD_PERCENT, 8, THREADS, unknown_of},
	{"switches", "SWITCH/s", FIELD_RATE, 9, THREADS, switches_of},
	{"preempted", "PREEMPT/s", FIELD_RATE, 10, THREADS, preemptions_of},
	{"calls", "CALLS/s", FIELD_RATE, 9, THREADS | SPANS, calls_of},
	{"errors", "ERRORS/s", FIELD_RATE, 9, THREADS | SPANS, errors_of},
	{"mean", "MEAN", FIELD_TIME, 10, SPANS, mean_of},
	{"max", "MAX", FIELD_TIME, 10, SPANS, max_of},
	{"total", "TOTAL", FIELD_TIME, 10, SPANS, total_of},
	{"events", "EVENTS/s", FIELD_RATE, 10, THREADS | EVENT, events_of},
	{"name", "NAME", FIELD_NAME, 0, THREADS | SPANS | EVENT, NULL},
	{"waits", "WAITS", FIELD_WAITS, 0, THREADS, NULL},
	{NULL},
};

bool field_is_shown(const struct field *field, const struct rows *rows)
{
	bool calls =
		!strcmp(field->word, "calls") || !strcmp(field->word, "errors");

	if (!(field->by & 1u << rows->by))
		return false;
	/* Without events of calls there would be zeros only, which are not true. */
	return rows->has_waits || !by_is_of_threads(rows->by) ||
	       (!calls && field->kind != FIELD_WAITS);
}

unsigned int field_default(enum rows_by by)
{
	const char *word = by_is_of_threads(by) ? "cpu"
			   : by == BY_EVENT	? "events"
						: "total";
	unsigned int i = 0;

	while (strcmp(fields[i].word, word) != 0)
		i++;
	return i;
}

static uint64_t wait_of(const struct row *r)
{
	return r->nr_waits ? r->waits[0].ns : 0;
}

int field_compare(unsigned int field, const struct row *a, const struct row *b)
{
	const struct field *f = &fields[field];
	uint64_t x, y;

	if (f->kind == FIELD_NAME)
		return strcmp(a->name, b->name);
	x = f->value ? f->value(a) : wait_of(a);
	y = f->value ? f->value(b) : wait_of(b);
	/* Numbers of threads grow, all else falls. */
	if (f->kind == FIELD_NUMBER && strcmp(f->word, "threads") != 0)
		return (x > y) - (x < y);
	return (x < y) - (x > y);
}
