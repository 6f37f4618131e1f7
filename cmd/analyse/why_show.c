// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace why: the results, as text and as JSON. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/losses.h"
#include "common/misses.h"
#include "common/value.h"
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

static void time_print(uint64_t time)
{
	printf("%lu.%09lu", time / 1000000000, time % 1000000000);
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

static void states_print(const struct why_thread *t)
{
	print_text(stdout, t->comm);
	printf("-%u (process %u): %s, from ", t->tid, t->tgid,
	       ns_text(wall_of(t)).s);
	time_print(t->begin);
	fputs(" to ", stdout);
	time_print(t->end);
	printf("\n\n%14s %6s %9s  %s\n", "ns", "%", "times", "state");
	for (size_t i = 0; i < NR_ORDER; i++)
		if (t->counts[order[i]])
			printf("%14s %6.2f %9s  %s\n",
			       count_text(t->states[order[i]]).s,
			       percent(t->states[order[i]], wall_of(t)),
			       count_text(t->counts[order[i]]).s,
			       ktrace_timeline_state_name(order[i]));
	printf("%14s %6.2f\n", count_text(wall_of(t)).s, 100.0);
}

static void numbers_print(const struct span_row *row, uint64_t wall)
{
	printf("%14s %6.2f %9s %9s %9s  ", count_text(row->ns.total).s,
	       percent(row->ns.total, wall), count_text(row->ns.count).s,
	       ns_text(histogram_permille(&row->ns, 500)).s,
	       ns_text(row->ns.max).s);
}

static void reason_print(const struct span_row *row)
{
	printf("%-8s  ", ktrace_timeline_state_name(row->tid));
	print_text(stdout, row->name);
}

static void thread_print(const struct span_row *row)
{
	print_text(stdout, row->name);
	if (row->tid)
		printf("-%u", row->tid);
}

static int rows_print(const struct why *w, const struct why_thread *t,
		      const struct span_rows *rows, const char *what,
		      void (*name_print)(const struct span_row *row))
{
	size_t nr = w->head && w->head < rows->nr ? w->head : rows->nr;
	struct span_row **sorted;

	if (span_rows_sort(rows, row_compare, NULL, &sorted))
		return -ENOMEM;
	printf("\n%14s %6s %9s %9s %9s  %s\n", "ns", "%", "times", "median",
	       "max", what);
	for (size_t i = 0; i < nr; i++) {
		numbers_print(sorted[i], wall_of(t));
		name_print(sorted[i]);
		putchar('\n');
	}
	free(sorted);
	if (nr < rows->nr)
		printf("%14zu more rows: --head 0 shows all\n", rows->nr - nr);
	return 0;
}

/* How much of it nobody or no thread is known for. */
static void rest_print(const struct why_thread *t, uint64_t ns,
		       const char *what)
{
	if (ns)
		printf("%14s %6.2f %29s  %s\n", count_text(ns).s,
		       percent(ns, wall_of(t)), "", what);
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
			print_text(stdout, wait->waker.name);
			if (wait->waker.tid)
				printf("-%u", wait->waker.tid);
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
		err = rows_print(w, t, &t->reasons, "waited in", reason_print);
	if (!err && (t->wakers.nr || t->unwoken))
		err = rows_print(w, t, &t->wakers, "woken by", thread_print);
	if (t->unwoken)
		printf("%14s %26s  waits ended, but the trace does not have by "
		       "whom\n",
		       "", count_text(t->unwoken).s);
	if (!err && (t->instead.nr || t->idle || t->nobody))
		err = rows_print(w, t, &t->instead,
				 "ran while it waited for the CPU",
				 thread_print);
	rest_print(t, t->idle, "the CPU was idle meanwhile");
	rest_print(t, t->nobody, "not known who ran meanwhile");
	worst_print(t);
	return err;
}

int why_print(const struct why *w, const struct ktrace_info *info)
{
	int err = threads_each(w, thread_show);

	if (err)
		return err;
	if (w->missing)
		putchar('\n');
	needs_print(&w->kind->needs, w->missing);
	losses_print(&w->lost, info->misses, info->nr_misses);
	return 0;
}

/* ---- JSON ----------------------------------------------------------------- */

static void row_json(const struct span_row *row, bool is_reason)
{
	if (is_reason)
		printf("\"state\":\"%s\",\"reason\":",
		       ktrace_timeline_state_name(row->tid));
	else
		printf("\"tid\":%u,\"pid\":%u,\"comm\":", row->tid, row->tgid);
	print_json(stdout, row->name);
	printf(",\"count\":%lu,\"total\":%lu,\"min\":%lu,\"median\":%lu,"
	       "\"p99\":%lu,\"max\":%lu",
	       row->ns.count, row->ns.total, row->ns.min,
	       histogram_permille(&row->ns, 500),
	       histogram_permille(&row->ns, 990), row->ns.max);
}

static int rows_json(const struct span_rows *rows, const char *name)
{
	bool is_reason = !strcmp(name, "reasons");
	struct span_row **sorted;

	if (span_rows_sort(rows, row_compare, NULL, &sorted))
		return -ENOMEM;
	printf(",\n\"%s\":[", name);
	for (size_t i = 0; i < rows->nr; i++) {
		printf("%s\n{", i ? "," : "");
		row_json(sorted[i], is_reason);
		putchar('}');
	}
	putchar(']');
	free(sorted);
	return 0;
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
	err = rows_json(&t->reasons, "reasons");
	err = err ?: rows_json(&t->wakers, "wakers");
	printf(",\n\"unwoken\":%lu", t->unwoken);
	err = err ?: rows_json(&t->instead, "instead");
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
	needs_json(&w->kind->needs, w->missing);
	fputs(",\n", stdout);
	losses_json(w->lost.lost);
	printf(",\"losing\":%lu,\n", w->lost.losing);
	misses_json(info->misses, info->nr_misses);
	puts("}");
	return err;
}
