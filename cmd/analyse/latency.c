// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace latency: how long threads wait for a CPU, and how long calls and interrupts take. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call_file.h"
#include "cmd.h"
#include "common/losses.h"
#include "common/misses.h"
#include "common/pager.h"
#include "common/trace.h"
#include "common/value.h"
#include "latency.h"

#define WORST_MAX 10000

static const struct latency_kind *const kinds[] = {
	&latency_sched, &latency_syscall, &latency_irq,
	&latency_block, &latency_lock,
};

#define KIND_WORDS "sched syscall irq block lock"

/* ---- what is measured ----------------------------------------------------- */

bool latency_wants(struct latency *l, uint32_t tid, uint32_t tgid,
		   const char *comm, uint32_t cpu, uint64_t end)
{
	const struct ktrace_cursor_options *wanted = &l->query.wanted;

	if (!who_is_all(&l->who) && !who_match_thread(&l->who, tid, tgid, comm))
		return false;
	if (cpu == CPU_ANY)
		return !wanted->nr_cpus && end >= wanted->from;
	return query_wants(&l->query, NULL, cpu, end);
}

void latency_leave(uint64_t *count, struct latency_left *left, uint64_t ns)
{
	++*count;
	if (ns > left->longest)
		left->longest = ns;
}

/* ---- the longest ---------------------------------------------------------- */

static int case_keep(struct latency *l, const struct latency_case *given)
{
	struct latency_case c = *given;

	if (!longest_takes(&l->cases, c.ns))
		return 0;
	if (l->kind->instead &&
	    instead_find(&c.instead, &l->runs, c.cpu, c.begin, c.end))
		return -ENOMEM;
	return longest_add(&l->cases, &c);
}

/* "openat: ENOENT"; errors that have no name in the C library have their number. */
static void outcome_name(char *text, size_t size, const struct latency_case *c)
{
	const char *error = c->error ? strerrorname_np(c->error) : "ok";

	if (error)
		snprintf(text, size, "%s: %s", c->name, error);
	else
		snprintf(text, size, "%s: error %d", c->name, c->error);
}

static const char *row_name(const struct latency *l,
			    const struct latency_case *c, char *room,
			    size_t size)
{
	if (l->by_thread)
		return "";
	if (l->by_file)
		return *c->file ? c->file : "[no file is known]";
	if (!l->by_outcome)
		return *c->name ? c->name : c->comm;
	outcome_name(room, size, c);
	return room;
}

int latency_add(struct latency *l, enum ktrace_span_kind kind,
		const struct latency_case *c)
{
	char room[128];
	const struct span_row key = {
		.kind = l->by_thread ? 0 : kind,
		.tid = l->by_thread ? c->tid : 0,
		.tgid = l->by_thread ? c->tgid : 0,
		.name = (char *)row_name(l, c, room, sizeof(room)),
	};
	struct span_row *row = span_rows_get(&l->rows, &key);

	if (!row || (l->by_thread && span_row_title(row, c->comm)))
		return -ENOMEM;
	row->errors += c->error != 0;
	l->errors += c->error != 0;
	return histogram_add(&row->ns, c->ns)
		       ?: histogram_add(&l->all, c->ns) ?: case_keep(l, c);
}

static int row_compare(const void *a, const void *b, void *data)
{
	const struct span_row *x = *(struct span_row *const *)a;
	const struct span_row *y = *(struct span_row *const *)b;
	int order = (x->ns.max < y->ns.max) - (x->ns.max > y->ns.max);

	order = order ?: (x->kind > y->kind) - (x->kind < y->kind);
	return order ?: strcmp(span_row_shown(x), span_row_shown(y))
		       ?: (x->tid > y->tid) - (x->tid < y->tid);
}

/* ---- reading -------------------------------------------------------------- */

static int event_take(struct latency *l, struct ktrace_timeline *timeline,
		      const struct ktrace_event *event)
{
	if (event->time >= l->query.wanted.from) {
		l->begin = l->begin ?: event->time;
		l->end = event->time;
	}
	return ktrace_timeline_event(timeline, event, true);
}

static int loss_take(struct latency *l, struct ktrace_timeline *timeline,
		     const struct ktrace_loss *loss)
{
	int err = 0;

	if (query_wants(&l->query, NULL, loss->cpu, loss->time))
		err = count_loss(&l->lost, loss);
	return err ?: ktrace_timeline_loss(timeline, loss, true);
}

/*
 * Ends behind the part that is wanted.  The cursor still knows then which gaps have begun in it,
 * so nothing that they may concern is told as known.
 */
static int events_read(struct latency *l, struct ktrace_cursor *cursor,
		       struct ktrace_timeline *timeline)
{
	const struct ktrace_event *event = ktrace_cursor_event(cursor);
	const struct ktrace_loss *loss = ktrace_cursor_loss(cursor);
	uint64_t until = l->query.wanted.to ?: UINT64_MAX;
	int err = 0, item;

	while (!err && (item = ktrace_cursor_next(cursor)) > 0) {
		if ((item == KTRACE_EVENT ? event->time : loss->time) > until)
			break;
		err = item == KTRACE_EVENT ? event_take(l, timeline, event)
					   : loss_take(l, timeline, loss);
	}
	if (err || item < 0)
		return err ?: item;
	losses_cut(&l->lost, cursor, item, until);
	return ktrace_timeline_finish(timeline);
}

static bool type_wanted(const struct ktrace_type *type, void *data)
{
	return ktrace_timeline_type(type);
}

static int trace_read(struct latency *l, struct ktrace *trace,
		      const struct ktrace_cursor_options *options)
{
	const struct ktrace_timeline_calls calls = {
		.size = sizeof(calls),
		.data = l,
		.state = l->kind->state,
		.begin = l->kind->begin,
		.end = l->kind->end,
		.gone = l->kind->gone,
	};
	struct ktrace_cursor_options all = *options;
	struct ktrace_timeline *timeline = NULL;
	struct ktrace_cursor *cursor;
	int err;

	query_widen(&l->query, &all, false);
	all.to = 0;
	all.want = type_wanted;
	err = ktrace_cursor_create(trace, &all, &cursor);
	if (err)
		return err;
	err = ktrace_timeline_create(cursor, &calls, &timeline);
	err = err ?: events_read(l, cursor, timeline);
	ktrace_timeline_destroy(timeline);
	ktrace_cursor_destroy(cursor);
	if (err)
		return err;
	longest_sort(&l->cases);
	return span_rows_sort(&l->rows, row_compare, NULL, &l->sorted);
}

static int files_fail(void)
{
	return failed("of which files calls are cannot be told, because the "
		      "trace has no decoded calls: ktrace record -a -e "
		      "'syscalls:*' --decode -y");
}

/* Reads the results: nothing of the trace is needed after that. */
static int latency_take(void *data, struct ktrace *trace,
			struct ktrace_cursor_options *options)
{
	const struct ktrace_info *info = ktrace_get_info(trace);
	struct latency *l = data;
	bool fails = false;
	int err;

	/* Of a stream, they are known at its end. */
	l->missing =
		needs_missing(&l->kind->needs, ktrace_get_types(trace), &fails);
	if (fails && !info->live)
		return needs_fail(&l->kind->needs, l->missing);
	if (l->by_file && !info->live &&
	    !call_files_are_known(ktrace_get_types(trace)))
		return files_fail();
	err = trace_read(l, trace, options);
	if (err == -ENOMEM)
		return failed("out of memory");
	if (err)
		return failed_in_library();
	l->missing =
		needs_missing(&l->kind->needs, ktrace_get_types(trace), &fails);
	if (fails)
		return needs_fail(&l->kind->needs, l->missing);
	if (l->by_file && !call_files_are_known(ktrace_get_types(trace)))
		return files_fail();
	losses_complete(&l->lost, info, &l->query.wanted);
	l->misses = misses_copy(info->misses, info->nr_misses);
	if (!l->misses && info->nr_misses)
		return failed("out of memory");
	l->nr_misses = info->nr_misses;
	return EXIT_OK;
}

static void results_free(struct latency *l)
{
	span_rows_free(&l->rows);
	free(l->sorted);
	histogram_free(&l->all);
	histogram_free(&l->preempted);
	longest_free(&l->cases);
	runs_free(&l->runs);
	count_free(&l->lost);
	free(l->misses);
}

static int one_run(struct latency *l, const char *path)
{
	int status = query_run(&l->query, path, latency_take, l);

	if (!status && l->json)
		latency_json(l);
	else if (!status)
		latency_print(l);
	results_free(l);
	return status;
}

static int diff_run(struct latency *l, const char *path)
{
	/* What is asked for is the same, and stays with @l. */
	struct latency before = *l;
	int status;

	status = query_run(&before.query, l->before, latency_take, &before);
	l->query = before.query;
	if (!status)
		status = query_run(&l->query, path, latency_take, l);
	if (!status && latency_diff(&before, l))
		status = failed("out of memory");
	results_free(&before);
	results_free(l);
	return status;
}

/* ---- the command line ----------------------------------------------------- */

/* Long options without a letter. */
enum {
	LATENCY_BY = OPTION_OWN,
	LATENCY_DIFF,
	LATENCY_HISTOGRAM,
	LATENCY_WORST,
};

static int by_parse(struct latency *l, const char *text)
{
	l->by_thread = !strcmp(text, "thread");
	l->by_file = !strcmp(text, "file");
	l->by_outcome = !strcmp(text, "outcome");
	if (l->by_thread || l->by_file || l->by_outcome ||
	    !strcmp(text, "name"))
		return EXIT_OK;
	return misused(&command_latency,
		       "--by `%s': it is name, thread, file or outcome", text);
}

static int worst_parse(struct latency *l, const char *text)
{
	uint64_t max;

	if (!number_parse(text, &max) && max <= WORST_MAX) {
		l->cases.max = max;
		return EXIT_OK;
	}
	return misused(&command_latency,
		       "--worst `%s': a number up to %d is expected; 0: none",
		       text, WORST_MAX);
}

static int option_handle(void *data, int option)
{
	struct latency *l = data;

	switch (option) {
	case 'p':
		return who_pids(&l->who, &command_latency, optarg);
	case 'C':
		l->who.comm = optarg;
		return EXIT_OK;
	case 'j':
		l->json = true;
		return EXIT_OK;
	case 'n':
		l->is_text = "-n";
		if (number_parse(optarg, &l->head))
			return misused(&command_latency,
				       "--head `%s' is no number", optarg);
		return EXIT_OK;
	case LATENCY_BY:
		return by_parse(l, optarg);
	case LATENCY_DIFF:
		l->before = optarg;
		return EXIT_OK;
	case LATENCY_HISTOGRAM:
		l->histogram = true;
		l->is_text = l->is_alone = "--histogram";
		return EXIT_OK;
	case LATENCY_WORST:
		l->is_alone = "--worst";
		return worst_parse(l, optarg);
	default:
		return query_option(&l->query, &command_latency, option,
				    optarg);
	}
}

static int kind_find(struct latency *l, const char *name)
{
	for (size_t i = 0; name && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i]->name, name))
			l->kind = kinds[i];
	if (l->kind)
		return EXIT_OK;
	return name ? misused(&command_latency,
			      "latency of `%s'? It is one of " KIND_WORDS, name)
		    : misused(&command_latency,
			      "of what? It is one of " KIND_WORDS);
}

static int diff_check(struct latency *l, const char *path)
{
	if (l->is_alone)
		return misused(&command_latency, "%s is not of --diff",
			       l->is_alone);
	if (l->by_thread)
		return misused(&command_latency,
			       "--diff: threads of one trace are not in the "
			       "other: --by name");
	if (is_stream(l->before) && is_stream(path))
		return misused(&command_latency,
			       "--diff: one of the traces is a directory");
	l->cases.max = 0;
	return EXIT_OK;
}

static int latency_main(int argc, char **argv)
{
	struct latency l = {.head = 30,
			    .cases = {sizeof(struct latency_case), 10}};
	const char *path = NULL;
	int status;

	status = options_parse(&command_latency, argc, argv, option_handle, &l);
	if (status != OPTIONS_TAKEN)
		return status;
	status = kind_find(&l, optind < argc ? argv[optind++] : NULL);
	if (!status && optind + 1 < argc)
		status = misused(&command_latency, "one trace at a time");
	if (!status)
		path = argv[optind];
	if (!status && l.json && l.is_text)
		status = misused(&command_latency,
				 "%s is for text: the JSON has all rows and "
				 "histograms",
				 l.is_text);
	if (!status && (l.by_file || l.by_outcome) && !l.kind->errors)
		status = misused(&command_latency,
				 "--by file and outcome are of calls: ktrace "
				 "latency syscall");
	if (!status && l.before)
		status = diff_check(&l, path);
	if (!status)
		pager_open();
	if (!status)
		status = l.before ? diff_run(&l, path) : one_run(&l, path);
	query_free(&l.query);
	who_free(&l.who);
	return output_finish(status);
}

static const struct command_option options[] = {
	OPTION('p', "pid", "PID,...", "only of these processes or threads",
	       .kind = ARGUMENT_PID),
	OPTION('C', "comm", "COMM",
	       "only of tasks with such a name; wildcards are allowed"),
	QUERY_PART_ROWS,
	OPTION(0, "by", "KEY",
	       "what a row is of: name (the default) or thread; of syscall also "
	       "file, if calls were recorded decoded, or outcome",
	       .words = "name thread file outcome", .id = LATENCY_BY),
	OPTION(0, "diff", "TRACE", "what has changed since that trace",
	       .kind = ARGUMENT_DIRECTORY, .id = LATENCY_DIFF),
	OPTION(0, "worst", "COUNT", "so many of the longest (10)",
	       .id = LATENCY_WORST),
	OPTION(0, "histogram", NULL, "below each row, how many took how long",
	       .id = LATENCY_HISTOGRAM),
	OPTION('n', "head", "COUNT", "rows of the table (30); 0: all"),
	OPTION('j', "json", NULL, "as JSON"),
	PAGER_ROW,
	OPTION_QUIET_ROW("no warnings"),
	{0},
};

const struct command command_latency = {
	.name = "latency",
	.what = "how long threads wait, and how long calls, interrupts and disks take",
	.usage = "sched|syscall|irq|block|lock [OPTION...] [DIR]",
	.about = "sched is the time from waking a thread until it runs.\n"
		 "DIR is a trace (" TRACE_DEFAULT
		 "); -: standard input, from `ktrace\n"
		 "record -o -'.\n",
	.options = options,
	.operand = ARGUMENT_DIRECTORY,
	.operand_words = KIND_WORDS,
	.examples = "    ktrace latency sched --worst 3\n"
		    "    ktrace latency syscall -p 812 --from +1 --until +2\n"
		    "    ktrace latency block --diff before\n",
	.main = latency_main,
};
