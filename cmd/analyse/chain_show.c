// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace why --chain: the results, as text and as JSON. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "common/value.h"
#include "why_print.h"

static int row_compare(const void *a, const void *b, void *data)
{
	const struct span_row *x = *(struct span_row *const *)a;
	const struct span_row *y = *(struct span_row *const *)b;
	int cmp = (x->ns.total < y->ns.total) - (x->ns.total > y->ns.total);

	cmp = cmp ?: (x->kind > y->kind) - (x->kind < y->kind);
	cmp = cmp ?: (x->tid > y->tid) - (x->tid < y->tid);
	return cmp ?: strcmp(x->name, y->name);
}

/* How long the pieces that are shown are together. */
static uint64_t shown_ns(const struct path *path)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < path->nr_shown; i++)
		if (!path_is_around(path->shown[i]->note))
			ns += path->shown[i]->item.ns;
	return ns;
}

static bool waker_is_known(const struct piece *piece)
{
	return piece->waker && *piece->waker->s;
}

/* ---- text ----------------------------------------------------------------- */

static void head_print(const struct path *path)
{
	if (*path->name) {
		print_text(stdout, path->name);
		fputs(" of ", stdout);
	}
	why_thread_print(path->comm, path->tid);
	printf(" (process %u): %s, from ", path->tgid,
	       ns_text(path->end - path->begin).s);
	why_time_print(path->begin);
	fputs(" to ", stdout);
	why_time_print(path->end);
	putchar('\n');
}

static void waker_print(const struct piece *piece)
{
	if (!waker_is_known(piece))
		return;
	fputs("; woken by ", stdout);
	why_thread_print(piece->waker->s, piece->waker_tid);
	if (piece->disk)
		printf(", disk %u:%u", piece->disk >> 20,
		       piece->disk & 0xfffff);
}

static void state_print(const struct piece *piece)
{
	const struct instead nobody = {.unknown = piece->item.ns};

	if (piece->note == PATH_NEW) {
		fputs("new; made by ", stdout);
		why_thread_print(piece->waker->s, piece->waker_tid);
		puts("; until then:");
		return;
	}
	fputs(ktrace_timeline_state_name(piece->state), stdout);
	switch (piece->state) {
	case KTRACE_STATE_RUNNING:
		printf(" on CPU %u", piece->cpu);
		break;
	case KTRACE_STATE_RUNNABLE:
	case KTRACE_STATE_PREEMPTED:
		fputs("; there ran ", stdout);
		instead_print(piece->instead ?: &nobody);
		break;
	default:
		if (piece->reason) {
			fputs(": ", stdout);
			print_text(stdout, piece->reason->s);
		}
		waker_print(piece);
	}
	if (piece->note == PATH_FOLLOWED)
		fputs("; until then:", stdout);
	else if (path_note_text(piece->note))
		printf(" (%s)", path_note_text(piece->note));
	putchar('\n');
}

static void piece_print(const struct path *path, const struct piece *piece)
{
	char share[16] = "";

	if (!path_is_around(piece->note))
		snprintf(share, sizeof(share), "%.2f",
			 why_percent(piece->item.ns, path->end - path->begin));
	printf("%9lu.%09lu %9s %6s  %*s", piece->begin / 1000000000,
	       piece->begin % 1000000000, ns_text(piece->item.ns).s, share,
	       2 * (int)piece->depth, "");
	why_thread_print(piece->comm->s, piece->tid);
	fputs("  ", stdout);
	state_print(piece);
}

static const char *more_text(const struct why *w, const struct path *path)
{
	if (path->pieces.max < chain_pieces(w))
		return "all paths together have too many: -p, --of, --from, --until";
	return w->head ? "--head 0 shows all"
		       : "the path has too many: --from, --until";
}

static void pieces_print(const struct why *w, const struct path *path)
{
	uint64_t wall = path->end - path->begin, rest = wall - shown_ns(path);

	printf("\n%19s %9s %6s  %s\n", "from", "for", "%",
	       "the path: what it did, or those for whom it waited");
	for (size_t i = 0; i < path->nr_shown; i++)
		piece_print(path, path->shown[i]);
	if (path->pieces.nr < path->count)
		printf("%19s %9s %6.2f  %s more that are shorter: %s\n", "",
		       ns_text(rest).s, why_percent(rest, wall),
		       count_text(path->count - path->pieces.nr).s,
		       more_text(w, path));
}

static void numbers_print(const struct span_row *row, uint64_t wall)
{
	printf("%14s %6.2f %9s  ", count_text(row->ns.total).s,
	       why_percent(row->ns.total, wall), count_text(row->ns.count).s);
}

static const struct why_sums sums = {
	.title = "            ns      %     times",
	.compare = row_compare,
	.numbers = numbers_print,
};

static void state_row_print(const struct span_row *row)
{
	why_thread_print(span_row_shown(row), row->tid);
	printf("  %s", ktrace_timeline_state_name(row->kind));
}

static void reason_row_print(const struct span_row *row)
{
	fputs(ktrace_timeline_state_name(row->tid), stdout);
	if (*row->name)
		fputs(": ", stdout);
	print_text(stdout, row->name);
}

static int path_print(const struct why *w, const struct path *path)
{
	uint64_t wall = path->end - path->begin;
	int err;

	head_print(path);
	pieces_print(w, path);
	err = why_sums_print(&sums, &path->states, w->head, wall,
			     "thread and state", state_row_print);
	if (err)
		return err;
	return why_sums_print(&sums, &path->reasons, w->head, wall,
			      "state and reason", reason_row_print);
}

static void count_print(uint64_t count, const char *what)
{
	if (count)
		printf("%14s  %s\n", count_text(count).s, what);
}

/* What has no path, or none that is shown. */
static void rest_print(const struct chain *c)
{
	uint64_t more = c->matched - c->paths.nr;

	if (more + c->cut + c->died + c->unclosed && c->paths.nr)
		putchar('\n');
	count_print(more, "more were not longer: --worst");
	count_print(c->cut,
		    "have no path: events are missing, maybe their ends");
	count_print(c->died, "have no path: their thread ended in them");
	count_print(c->unclosed, "have no path: they were open at the end");
}

int chain_print(const struct why *w, const struct ktrace_info *info)
{
	const struct chain *c = w->chain;
	int err = 0;

	for (size_t i = 0; !err && i < c->paths.nr; i++) {
		const struct chain_path *p = longest_get(&c->paths, i);

		if (i)
			putchar('\n');
		err = path_print(w, p->path);
	}
	if (err)
		return err;
	rest_print(c);
	why_end_print(w, info);
	return 0;
}

/* ---- JSON ----------------------------------------------------------------- */

static void thread_json(uint32_t tid, uint32_t tgid, const char *comm)
{
	printf("\"tid\":%u,\"pid\":%u,\"comm\":", tid, tgid);
	print_json(stdout, comm);
}

static void wait_json(const struct piece *piece)
{
	fputs(",\"reason\":", stdout);
	print_json(stdout, piece->reason ? piece->reason->s : NULL);
	fputs(",\"waker\":", stdout);
	print_json(stdout, waker_is_known(piece) ? piece->waker->s : NULL);
	printf(",\"waker_tid\":%u,\"disk\":", piece->waker_tid);
	if (piece->disk)
		printf("\"%u:%u\"", piece->disk >> 20, piece->disk & 0xfffff);
	else
		fputs("null", stdout);
}

static void piece_json(const struct piece *piece)
{
	const struct instead nobody = {.unknown = piece->item.ns};

	printf("{\"begin\":%lu,\"end\":%lu,\"ns\":%lu,\"depth\":%u,"
	       "\"followed\":%s,",
	       piece->begin, piece_end(piece), piece->item.ns, piece->depth,
	       path_is_around(piece->note) ? "true" : "false");
	thread_json(piece->tid, piece->tgid, piece->comm->s);
	printf(",\"state\":\"%s\",\"note\":",
	       ktrace_timeline_state_name(piece->state));
	print_json(stdout, path_note_text(piece->note));
	if (piece->state == KTRACE_STATE_RUNNING)
		printf(",\"cpu\":%u", piece->cpu);
	else if (piece->state == KTRACE_STATE_RUNNABLE ||
		 piece->state == KTRACE_STATE_PREEMPTED)
		instead_json(piece->instead ?: &nobody);
	else
		wait_json(piece);
	putchar('}');
}

static void pieces_json(const struct path *path)
{
	uint64_t wall = path->end - path->begin, rest = wall - shown_ns(path);

	fputs(",\n\"path\":[", stdout);
	for (size_t i = 0; i < path->nr_shown; i++) {
		fputs(i ? ",\n" : "\n", stdout);
		piece_json(path->shown[i]);
	}
	printf("],\n\"pieces_max\":%zu,"
	       "\"shorter\":{\"count\":%lu,\"total\":%lu}",
	       path->pieces.max, path->count - path->pieces.nr, rest);
}

static void numbers_json(const struct span_row *row, uint32_t state)
{
	printf(",\"state\":\"%s\",\"count\":%lu,\"total\":%lu",
	       ktrace_timeline_state_name(state), row->ns.count, row->ns.total);
}

static void state_row_json(const struct span_row *row)
{
	thread_json(row->tid, row->tgid, span_row_shown(row));
	numbers_json(row, row->kind);
}

static void reason_row_json(const struct span_row *row)
{
	fputs("\"reason\":", stdout);
	print_json(stdout, *row->name ? row->name : NULL);
	numbers_json(row, row->tid);
}

static int path_json(const struct path *path)
{
	int err;

	putchar('{');
	thread_json(path->tid, path->tgid, path->comm);
	fputs(",\"name\":", stdout);
	print_json(stdout, *path->name ? path->name : NULL);
	printf(",\"begin\":%lu,\"end\":%lu,\"wall\":%lu", path->begin,
	       path->end, path->end - path->begin);
	pieces_json(path);
	err = why_sums_json(&sums, &path->states, "threads", state_row_json);
	err = err
		      ?: why_sums_json(&sums, &path->reasons, "reasons",
				       reason_row_json);
	printf(",\n\"forgotten\":%lu,\"deep\":%lu}",
	       path->notes[PATH_FORGOTTEN], path->notes[PATH_DEEP]);
	return err;
}

int chain_json(const struct why *w, const struct ktrace_info *info)
{
	const struct chain *c = w->chain;
	int err = 0;

	printf("{\"begin\":%lu,\"end\":%lu,\"matched\":%lu,\n\"paths\":[",
	       w->begin, w->end, c->matched);
	for (size_t i = 0; !err && i < c->paths.nr; i++) {
		const struct chain_path *p = longest_get(&c->paths, i);

		fputs(i ? ",\n" : "\n", stdout);
		err = path_json(p->path);
	}
	printf("],\n\"left\":{\"cut\":%lu,\"died\":%lu,\"open\":%lu},\n",
	       c->cut, c->died, c->unclosed);
	why_end_json(w, info);
	return err;
}
