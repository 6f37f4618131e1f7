// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace why: the results, as text and as JSON. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/value.h"
#include "why_print.h"
#include "why.h"

/* The order in which they are shown. */
static const enum ktrace_timeline_states order[] = {
	KTRACE_STATE_RUNNING,  KTRACE_STATE_RUNNABLE, KTRACE_STATE_PREEMPTED,
	KTRACE_STATE_SLEEPING, KTRACE_STATE_BLOCKED,  KTRACE_STATE_STOPPED,
	KTRACE_STATE_UNKNOWN,
};

#define NR_ORDER (sizeof(order) / sizeof(*order))

static int row_compare(const void *a, const void *b, void *data)
{
	const struct span_row *x = *(struct span_row *const *)a;
	const struct span_row *y = *(struct span_row *const *)b;
	int cmp = (x->ns.total < y->ns.total) - (x->ns.total > y->ns.total);

	cmp = cmp ?: strcmp(x->name, y->name);
	return cmp ?: (x->tid > y->tid) - (x->tid < y->tid);
}

static uint64_t wall_of(const struct why_thread *t)
{
	return t->end - t->begin;
}

static int threads_each(const struct why *w,
			int (*show)(const struct why *w,
				    const struct why_thread *t, bool first))
{
	int err = 0;

	for (const struct why_thread *t = w->threads; !err && t; t = t->next)
		err = show(w, t, t == w->threads);
	return err;
}

/* ---- text ----------------------------------------------------------------- */

static void states_print(const struct why_thread *t)
{
	print_text(stdout, t->comm);
	printf("-%u (process %u): %s, from ", t->tid, t->tgid,
	       ns_text(wall_of(t)).s);
	why_time_print(t->begin);
	fputs(" to ", stdout);
	why_time_print(t->end);
	printf("\n\n%14s %6s %9s  %s\n", "ns", "%", "times", "state");
	for (size_t i = 0; i < NR_ORDER; i++)
		if (t->counts[order[i]])
			printf("%14s %6.2f %9s  %s\n",
			       count_text(t->states[order[i]]).s,
			       why_percent(t->states[order[i]], wall_of(t)),
			       count_text(t->counts[order[i]]).s,
			       ktrace_timeline_state_name(order[i]));
	printf("%14s %6.2f\n", count_text(wall_of(t)).s, 100.0);
}

static void numbers_print(const struct span_row *row, uint64_t wall)
{
	printf("%14s %6.2f %9s %9s %9s  ", count_text(row->ns.total).s,
	       why_percent(row->ns.total, wall), count_text(row->ns.count).s,
	       ns_text(histogram_permille(&row->ns, 500)).s,
	       ns_text(row->ns.max).s);
}

static const struct why_sums sums = {
	.title = "            ns      %     times    median       max",
	.compare = row_compare,
	.numbers = numbers_print,
};

static void reason_print(const struct span_row *row)
{
	printf("%-8s  ", ktrace_timeline_state_name(row->tid));
	print_text(stdout, row->name);
}

static void thread_row_print(const struct span_row *row)
{
	why_thread_print(row->name, row->tid);
}

/* How much of it nobody or no thread is known for. */
static void rest_print(const struct why_thread *t, uint64_t ns,
		       const char *what)
{
	if (ns)
		printf("%14s %6.2f %29s  %s\n", count_text(ns).s,
		       why_percent(ns, wall_of(t)), "", what);
}

static void worst_print(const struct why_thread *t)
{
	if (!t->worst.nr)
		return;
	printf("\n%19s %12s  %-8s  %s\n", "from", "for", "state",
	       "the longest waits");
	for (size_t i = 0; i < t->worst.nr; i++) {
		const struct wait *wait = longest_get(&t->worst, i);

		printf("%9lu.%09lu %s%9s  %-8s  ", wait->begin / 1000000000,
		       wait->begin % 1000000000, wait->least ? ">= " : "   ",
		       ns_text(wait->item.ns).s,
		       ktrace_timeline_state_name(wait->state));
		print_text(stdout, wait->reason);
		if (*wait->waker.name) {
			fputs("; woken by ", stdout);
			why_thread_print(wait->waker.name, wait->waker.tid);
		}
		putchar('\n');
	}
}

static int thread_show(const struct why *w, const struct why_thread *t,
		       bool first)
{
	int err = 0;

	if (!first)
		putchar('\n');
	states_print(t);
	if (t->reasons.nr)
		err = why_sums_print(&sums, &t->reasons, w->head, wall_of(t),
				     "waited in", reason_print);
	if (!err && (t->wakers.nr || t->unwoken))
		err = why_sums_print(&sums, &t->wakers, w->head, wall_of(t),
				     "woken by", thread_row_print);
	if (t->unwoken)
		printf("%14s %26s  waits ended, but the trace does not have by "
		       "whom\n",
		       "", count_text(t->unwoken).s);
	if (!err && (t->instead.nr || t->idle || t->nobody))
		err = why_sums_print(&sums, &t->instead, w->head, wall_of(t),
				     "ran while it waited for the CPU",
				     thread_row_print);
	rest_print(t, t->idle, "the CPU was idle meanwhile");
	rest_print(t, t->nobody, "not known who ran meanwhile");
	worst_print(t);
	return err;
}

int why_print(const struct why *w, const struct ktrace_info *info)
{
	int err = threads_each(w, thread_show);

	if (!err)
		why_end_print(w, info);
	return err;
}

/* ---- JSON ----------------------------------------------------------------- */

static void numbers_json(const struct span_row *row)
{
	printf(",\"count\":%lu,\"total\":%lu,\"min\":%lu,\"median\":%lu,"
	       "\"p99\":%lu,\"max\":%lu",
	       row->ns.count, row->ns.total, row->ns.min,
	       histogram_permille(&row->ns, 500),
	       histogram_permille(&row->ns, 990), row->ns.max);
}

static void reason_row_json(const struct span_row *row)
{
	printf("\"state\":\"%s\",\"reason\":",
	       ktrace_timeline_state_name(row->tid));
	print_json(stdout, row->name);
	numbers_json(row);
}

static void thread_row_json(const struct span_row *row)
{
	printf("\"tid\":%u,\"pid\":%u,\"comm\":", row->tid, row->tgid);
	print_json(stdout, row->name);
	numbers_json(row);
}

static void worst_json(const struct why_thread *t)
{
	fputs(",\n\"worst\":[", stdout);
	for (size_t i = 0; i < t->worst.nr; i++) {
		const struct wait *wait = longest_get(&t->worst, i);

		printf("%s\n{\"begin\":%lu,\"end\":%lu,\"ns\":%lu,\"least\":%s,"
		       "\"state\":\"%s\",\"reason\":",
		       i ? "," : "", wait->begin, wait->end, wait->item.ns,
		       wait->least ? "true" : "false",
		       ktrace_timeline_state_name(wait->state));
		print_json(stdout, wait->reason);
		fputs(",\"waker\":", stdout);
		print_json(stdout, *wait->waker.name ? wait->waker.name : NULL);
		printf(",\"waker_tid\":%u}", wait->waker.tid);
	}
	putchar(']');
}

static int thread_json(const struct why *w, const struct why_thread *t,
		       bool first)
{
	int err;

	printf("%s\n{\"tid\":%u,\"pid\":%u,\"comm\":", first ? "" : ",", t->tid,
	       t->tgid);
	print_json(stdout, t->comm);
	printf(",\"begin\":%lu,\"end\":%lu,\"wall\":%lu,\n\"states\":{",
	       t->begin, t->end, wall_of(t));
	for (size_t i = 0; i < NR_ORDER; i++)
		printf("%s\"%s\":{\"count\":%lu,\"total\":%lu}", i ? "," : "",
		       ktrace_timeline_state_name(order[i]),
		       t->counts[order[i]], t->states[order[i]]);
	putchar('}');
	err = why_sums_json(&sums, &t->reasons, "reasons", reason_row_json);
	err = err
		      ?: why_sums_json(&sums, &t->wakers, "wakers",
				       thread_row_json);
	printf(",\n\"unwoken\":%lu", t->unwoken);
	err = err
		      ?: why_sums_json(&sums, &t->instead, "instead",
				       thread_row_json);
	printf(",\n\"idle\":%lu,\"nobody\":%lu", t->idle, t->nobody);
	worst_json(t);
	putchar('}');
	return err;
}

int why_json(const struct why *w, const struct ktrace_info *info)
{
	int err;

	printf("{\"begin\":%lu,\"end\":%lu,\n\"threads\":[", w->begin, w->end);
	err = threads_each(w, thread_json);
	fputs("],\n", stdout);
	why_end_json(w, info);
	return err;
}
