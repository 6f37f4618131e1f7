// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace stat: numbers of events, rates, sizes and losses of a trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/trace.h>

#include "base/loss.h"
#include "cmd.h"
#include "common/count.h"
#include "common/losses.h"
#include "common/misses.h"
#include "common/pager.h"
#include "common/probe_hits.h"
#include "common/query.h"
#include "common/trace.h"
#include "common/value.h"
#include "stat_diff.h"
#include "stat_spans.h"
#include "stat_tree.h"

struct stat_options {
	struct query query;
	bool json;
	bool tasks;
	bool spans;
	bool by; /* --by was given */
	enum span_key key;
	bool sort; /* --sort was given */
	enum span_column column;
	bool histogram;
	bool tree;
	bool callers;
	bool calls;	/* -f, --in, --no, --no-irq or --no-sleep was given */
	uint64_t depth; /* of the tree that is shown; 0: any */
	double min;	/* percent; negative: not given */
	const char *before; /* --diff: the other trace; NULL: none */
	const char *path;   /* the one that is being read */
	struct diff diff;
	enum diff_side side;
	uint64_t head; /* number of rows; 0: all */
};

static double seconds_of(const struct count *c)
{
	return (c->end - c->begin) / 1e9;
}

static double rate(uint64_t count, double seconds)
{
	return seconds > 0 ? count / seconds : 0;
}

/* Text */

/* @filtered: only some of the events were counted, so their payloads are all that is known of bytes. */
static void head_print(const struct ktrace_info *info, const struct count *c,
		       bool filtered)
{
	uint64_t bytes = filtered ? c->bytes : info->bytes;

	printf("%s events", count_text(c->events).s);
	if (c->events)
		printf(" in %.3f s: %s events/s", seconds_of(c),
		       rough_text(rate(c->events, seconds_of(c))).s);
	printf(", %s", bytes_text(bytes).s);
	if (c->events)
		printf(" (%.1f bytes/event)", (double)bytes / c->events);
	putchar('\n');
	if (!info->kernel)
		return;
	print_text(stdout, info->host ? info->host : "?");
	fputs(", kernel ", stdout);
	print_text(stdout, info->kernel);
	if (info->command && *info->command) {
		fputs(", command: ", stdout);
		print_text(stdout, info->command);
	}
	putchar('\n');
}

static size_t rows(size_t nr, const struct stat_options *o)
{
	return o->head && nr > o->head ? o->head : nr;
}

static void rows_left(size_t nr, const struct stat_options *o)
{
	if (nr > rows(nr, o))
		printf("%14zu more kinds: --head 0 shows all\n",
		       nr - rows(nr, o));
}

static void types_print(const struct count *c, const struct stat_options *o)
{
	double seconds = seconds_of(c);

	if (!c->nr_types)
		return;
	printf("\n%14s %6s %9s %9s  %s\n", "events", "%", "events/s", "bytes",
	       "event");
	for (size_t i = 0; i < rows(c->nr_types, o); i++) {
		const struct count_type *t = &c->types[i];

		printf("%14s %6.2f %9s %9s  ", count_text(t->events).s,
		       100.0 * t->events / c->events,
		       rough_text(rate(t->events, seconds)).s,
		       bytes_text(t->bytes).s);
		print_text(stdout, t->type->system);
		putchar(':');
		print_text(stdout, t->type->name);
		putchar('\n');
	}
	rows_left(c->nr_types, o);
}

static void tasks_print(const struct count *c, const struct stat_options *o)
{
	if (!c->nr_tasks)
		return;
	printf("\n%14s %6s %9s %9s  %s\n", "events", "%", "events/s", "bytes",
	       "task");
	for (size_t i = 0; i < rows(c->nr_tasks, o); i++) {
		const struct count_task *t = &c->tasks[i];

		printf("%14s %6.2f %9s %9s  ", count_text(t->events).s,
		       100.0 * t->events / c->events,
		       rough_text(rate(t->events, seconds_of(c))).s,
		       bytes_text(t->bytes).s);
		print_text(stdout, t->comm);
		printf("-%u\n", t->tid);
	}
	rows_left(c->nr_tasks, o);
}

static void cpus_print(const struct count *c)
{
	if (!c->nr_cpus)
		return;
	printf("\n%14s %6s %9s %9s  %-8s lost\n", "events", "%", "events/s",
	       "bytes", "CPU");
	for (size_t i = 0; i < c->nr_cpus; i++) {
		const struct count_cpu *cpu = &c->cpus[i];

		printf("%14s %6.2f %9s %9s  %-8u %s\n",
		       count_text(cpu->events).s,
		       c->events ? 100.0 * cpu->events / c->events : 0,
		       rough_text(rate(cpu->events, seconds_of(c))).s,
		       bytes_text(cpu->bytes).s, cpu->cpu,
		       count_text(loss_total(cpu->lost)).s);
	}
}

/* JSON */

static void stat_json(const struct ktrace_info *info, const struct count *c,
		      bool filtered)
{
	printf("{\"events\":%lu,\"begin\":%lu,\"end\":%lu,\"bytes\":%lu,",
	       c->events, c->begin, c->end, filtered ? c->bytes : info->bytes);
	losses_json(c->lost);
	fputs(",\n\"types\":[", stdout);
	for (size_t i = 0; i < c->nr_types; i++) {
		printf("%s\n{\"system\":", i ? "," : "");
		print_json(stdout, c->types[i].type->system);
		fputs(",\"name\":", stdout);
		print_json(stdout, c->types[i].type->name);
		printf(",\"events\":%lu,\"bytes\":%lu}", c->types[i].events,
		       c->types[i].bytes);
	}
	fputs("],\n\"cpus\":[", stdout);
	for (size_t i = 0; i < c->nr_cpus; i++) {
		printf("%s\n{\"cpu\":%u,\"events\":%lu,\"bytes\":%lu,",
		       i ? "," : "", c->cpus[i].cpu, c->cpus[i].events,
		       c->cpus[i].bytes);
		losses_json(c->cpus[i].lost);
		putchar('}');
	}
	fputs("],\n\"tasks\":[", stdout);
	for (size_t i = 0; i < c->nr_tasks; i++) {
		printf("%s\n{\"tid\":%u,\"pid\":%u,\"comm\":", i ? "," : "",
		       c->tasks[i].tid, c->tasks[i].tgid);
		print_json(stdout, c->tasks[i].comm);
		printf(",\"events\":%lu,\"bytes\":%lu}", c->tasks[i].events,
		       c->tasks[i].bytes);
	}
	fputs("],\n", stdout);
	misses_json(info->misses, info->nr_misses);
	fputs(",\n", stdout);
	probe_hits_json(info->probe_hits, info->nr_probe_hits);
	puts("}");
}

/* ---- spans ---------------------------------------------------------------- */

static int spans_show(struct ktrace *trace, struct stat_options *o,
		      const struct ktrace_cursor_options *options)
{
	const struct ktrace_info *info = ktrace_get_info(trace);
	struct count lost = {0};
	struct span_table *table;
	int err;

	err = span_table_create(trace, &o->query, options, o->key, o->column,
				&lost, &table);
	if (err) {
		count_free(&lost);
		return err == -ENOMEM ? failed("out of memory")
				      : failed_in_library();
	}
	losses_complete(&lost, info, options);
	if (o->json) {
		putchar('{');
		span_table_json(table, o->histogram);
		fputs(",\n", stdout);
		losses_json(lost.lost);
		fputs(",\n", stdout);
		misses_json(info->misses, info->nr_misses);
		puts("}");
	} else {
		span_table_print(table, o->head, o->histogram);
		losses_print(&lost, info->misses, info->nr_misses);
	}
	span_table_destroy(table);
	count_free(&lost);
	return EXIT_OK;
}

static enum call_column tree_column(const struct stat_options *o)
{
	if (!o->sort)
		return o->callers ? CALL_SELF : CALL_TOTAL;
	/* The first columns are the same. */
	return (enum call_column)o->column;
}

static void tree_print(const struct stat_options *o, struct call_tree *tree,
		       const struct ktrace_info *info, const struct count *lost,
		       const struct ktrace_span_counts *counts)
{
	const struct call_view view = {
		.column = tree_column(o),
		.depth = o->depth,
		.min = o->min < 0 ? !o->json : o->min,
	};

	call_tree_sort(tree, view.column);
	if (o->json) {
		putchar('{');
		call_tree_json(tree, &view);
		fputs(",\n", stdout);
		span_counts_json(counts);
		fputs(",\n", stdout);
		losses_json(lost->lost);
		fputs(",\n", stdout);
		misses_json(info->misses, info->nr_misses);
		puts("}");
	} else {
		call_tree_print(tree, &view);
		span_counts_print(counts);
		losses_print(lost, info->misses, info->nr_misses);
	}
}

static int tree_show(struct ktrace *trace, struct stat_options *o,
		     const struct ktrace_cursor_options *options)
{
	struct ktrace_span_counts counts[KTRACE_SPAN_NR];
	struct call_tree tree = {.by_thread = o->key == SPANS_BY_THREAD};
	struct call_tree callers = {0};
	struct count lost = {0};
	int err;

	err = stat_tree_read(&tree, trace, &o->query, options, &lost, counts);
	if (!err && o->callers)
		err = call_tree_invert(&callers, &tree, o->depth);
	if (!err) {
		losses_complete(&lost, ktrace_get_info(trace), options);
		tree_print(o, o->callers ? &callers : &tree,
			   ktrace_get_info(trace), &lost, counts);
	}
	call_tree_free(&callers);
	call_tree_free(&tree);
	count_free(&lost);
	if (!err)
		return EXIT_OK;
	return err == -ENOMEM ? failed("out of memory") : failed_in_library();
}

static bool event_meets(const struct ktrace_event *event, void *data)
{
	return query_meets(data, event);
}

static int stat_show(void *data, struct ktrace *trace,
		     struct ktrace_cursor_options *options)
{
	const struct ktrace_info *info = ktrace_get_info(trace);
	struct stat_options *o = data;
	struct count count;

	if (o->tree || o->callers)
		return tree_show(trace, o, options);
	if (o->spans)
		return spans_show(trace, o, options);
	if (count_trace(&count, trace, options,
			query_has_filter(&o->query) ? event_meets : NULL,
			&o->query, o->tasks || o->json))
		return failed_in_library();
	losses_complete(&count, info, options);
	if (o->json) {
		stat_json(info, &count, query_has_filter(&o->query));
	} else {
		head_print(info, &count, query_has_filter(&o->query));
		types_print(&count, o);
		if (o->tasks)
			tasks_print(&count, o);
		cpus_print(&count);
		probe_hits_print(info->probe_hits, info->nr_probe_hits,
				 o->head);
		losses_print(&count, info->misses, info->nr_misses);
	}
	count_free(&count);
	return EXIT_OK;
}

/* In the order of enum span_key. */
#define BY_WORDS "name thread function"

/* Long options without a letter. */
enum {
	STAT_SPANS = OPTION_OWN,
	STAT_BY,
	STAT_SORT,
	STAT_HISTOGRAM,
	STAT_TREE,
	STAT_CALLERS,
	STAT_DEPTH,
	STAT_MIN,
	STAT_DIFF,
};

/* The place of a word among @words, which are separated by spaces; -1: none. */
static int word_find(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (int i = 0; *words; i++) {
		size_t n = strcspn(words, " ");

		if (n == len && !memcmp(words, word, n))
			return i;
		words += n;
		words += *words == ' ';
	}
	return -1;
}

static int by_parse(struct stat_options *o, const char *text)
{
	int key = word_find(BY_WORDS, text);

	o->by = true;
	if (key < 0)
		return misused(&command_stat,
			       "--by `%s': it is name, thread or function",
			       text);
	o->key = key;
	return EXIT_OK;
}

static int sort_parse(struct stat_options *o, const char *text)
{
	int column = word_find(SPANS_COLUMN_WORDS, text);

	o->sort = true;
	if (column < 0)
		return misused(&command_stat, "--sort `%s': it is one of %s",
			       text, SPANS_COLUMN_WORDS);
	o->column = column;
	return EXIT_OK;
}

static int depth_parse(struct stat_options *o, const char *text)
{
	if (!number_parse(text, &o->depth) && o->depth <= CALL_DEPTH_MAX)
		return EXIT_OK;
	return misused(&command_stat,
		       "--depth `%s': a number up to %d is expected; 0: any",
		       text, CALL_DEPTH_MAX);
}

static int min_parse(struct stat_options *o, const char *text)
{
	char *end;

	o->min = strtod(text, &end);
	if (end != text && !*end && o->min >= 0 && o->min <= 100)
		return EXIT_OK;
	return misused(&command_stat,
		       "--min `%s': percent are expected, like 0.5", text);
}

static int option_handle(void *data, int option)
{
	struct stat_options *o = data;

	switch (option) {
	case 'f':
	case CALLS_IN:
	case CALLS_NO:
	case CALLS_NO_IRQ:
	case CALLS_NO_SLEEP:
		o->calls = true;
		return call_scope_option(&o->query.calls, &command_stat, option,
					 optarg);
	case 'n':
		if (number_parse(optarg, &o->head))
			return misused(&command_stat,
				       "--head `%s' is no number", optarg);
		return EXIT_OK;
	case 'j':
		o->json = true;
		return EXIT_OK;
	case 't':
		o->tasks = true;
		return EXIT_OK;
	case STAT_SPANS:
		o->spans = true;
		return EXIT_OK;
	case STAT_BY:
		return by_parse(o, optarg);
	case STAT_SORT:
		return sort_parse(o, optarg);
	case STAT_HISTOGRAM:
		o->histogram = true;
		return EXIT_OK;
	case STAT_TREE:
		o->tree = true;
		return EXIT_OK;
	case STAT_CALLERS:
		o->callers = true;
		return EXIT_OK;
	case STAT_DEPTH:
		return depth_parse(o, optarg);
	case STAT_DIFF:
		o->before = optarg;
		return EXIT_OK;
	case STAT_MIN:
		return min_parse(o, optarg);
	default:
		return query_option(&o->query, &command_stat, option, optarg);
	}
}

static int options_check(const struct stat_options *o, int nr_traces)
{
	bool tree = o->tree || o->callers;

	if (nr_traces > 1)
		return misused(&command_stat, "one trace at a time");
	if (o->spans + o->tree + o->callers + !!o->before > 1)
		return misused(&command_stat,
			       "one of --spans, --tree, --callers and --diff");
	if (o->before && is_stream(o->before) && is_stream(o->path))
		return misused(&command_stat,
			       "--diff: one of the traces is a directory");
	if ((o->by || o->sort) && !o->spans && !tree)
		return misused(&command_stat,
			       "--by and --sort are for --spans, --tree and "
			       "--callers");
	if (o->calls && !o->spans && !tree && !o->before)
		return misused(
			&command_stat,
			"-f, --in, --no, --no-irq and --no-sleep are for "
			"--spans, --tree, --callers and --diff");
	if (query_has_filter(&o->query) && (o->spans || tree || o->before))
		return misused(&command_stat,
			       "--filter is about events: not with --spans, "
			       "--tree, --callers and --diff");
	if (o->histogram && !o->spans)
		return misused(&command_stat, "--histogram is for --spans");
	if ((o->depth || o->min >= 0) && !tree)
		return misused(
			&command_stat,
			"--depth and --min are for --tree and --callers");
	if (tree && o->key == SPANS_BY_FUNCTION)
		return misused(&command_stat,
			       "a tree is by function anyway: --by thread has "
			       "one for each thread");
	if (tree && (int)o->column >= CALL_COLUMNS)
		return misused(&command_stat,
			       "a tree is sorted by total, self, calls or "
			       "errors");
	if (o->tasks && o->before)
		return misused(&command_stat, "--diff compares no tasks");
	if (o->tasks && (o->spans || tree))
		return misused(&command_stat,
			       "--tasks counts events: --spans --by thread");
	return EXIT_OK;
}

static int side_read(void *data, struct ktrace *trace,
		     struct ktrace_cursor_options *options)
{
	struct stat_options *o = data;

	return diff_read(&o->diff, o->side, trace, &o->query, options,
			 is_stream(o->path));
}

static int diff_run(struct stat_options *o)
{
	const char *const paths[DIFF_SIDES] = {
		[DIFF_BEFORE] = o->before,
		[DIFF_AFTER] = o->path,
	};
	int status = EXIT_OK;

	for (int side = 0; !status && side < DIFF_SIDES; side++) {
		o->side = side;
		o->path = paths[side];
		status = query_run(&o->query, o->path, side_read, o);
	}
	if (!status)
		status = diff_show(&o->diff, o->head, o->json);
	diff_free(&o->diff);
	return status;
}

static int stat_main(int argc, char **argv)
{
	struct stat_options o = {.head = 30, .min = -1};
	int status;

	status = options_parse(&command_stat, argc, argv, option_handle, &o);
	if (status != OPTIONS_TAKEN)
		return status;
	o.path = optind < argc ? argv[optind] : NULL;
	status = options_check(&o, argc - optind)
			 ?: call_scope_init(&o.query.calls, &command_stat);
	if (status)
		return status;
	pager_open();
	if (o.before)
		status = diff_run(&o);
	else
		status = query_run(&o.query, o.path, stat_show, &o);
	status = status ?: call_scope_check(&o.query.calls);
	query_free(&o.query);
	return output_finish(status);
}

static const struct command_option options[] = {
	QUERY_ROWS,
	OPTION(0, "filter", "FILTER", QUERY_FILTER_TEXT, .id = QUERY_FILTER),
	OPTION('t', "tasks", NULL, "by task, too"),
	OPTION(0, "spans", NULL,
	       "how long calls, interrupts, times on a CPU, block requests and "
	       "NAME_begin to NAME_end took",
	       .id = STAT_SPANS),
	OPTION(0, "by", "KEY",
	       "what a row of --spans is of, name (the default), thread, or "
	       "function; for --tree: thread",
	       .words = BY_WORDS, .id = STAT_BY),
	OPTION(0, "sort", "COLUMN",
	       "which rows of --spans come first, those with the most total "
	       "(the default), self, calls, errors, min, median, p99 or max",
	       .words = SPANS_COLUMN_WORDS, .id = STAT_SORT),
	OPTION(0, "histogram", NULL,
	       "with --spans: below each row, how many took how long",
	       .id = STAT_HISTOGRAM),
	OPTION(0, "tree", NULL,
	       "calls of functions and syscalls below their callers, those on "
	       "the same path as one",
	       .id = STAT_TREE),
	OPTION(0, "callers", NULL,
	       "the other way round: below each function its callers",
	       .id = STAT_CALLERS),
	OPTION('f', "function", "PATTERN,...",
	       "of --spans and the like: only calls of these functions, and what they call",
	       .kind = ARGUMENT_FUNCTION),
	CALL_SCOPE_ROWS,
	OPTION(0, "depth", "COUNT",
	       "with --tree and --callers: calls of a path; 0: all",
	       .id = STAT_DEPTH),
	OPTION(0, "min", "PERCENT",
	       "with --tree and --callers: only rows with so much of all (1)",
	       .id = STAT_MIN),
	OPTION(0, "diff", "TRACE",
	       "what has changed since that trace, by function, or else by event",
	       .kind = ARGUMENT_DIRECTORY, .id = STAT_DIFF),
	OPTION('n', "head", "COUNT", "rows of a table (30); 0: all"),
	OPTION('j', "json", NULL, "as JSON"),
	PAGER_ROW,
	OPTION_QUIET_ROW("no warnings"),
	{0},
};

const struct command command_stat = {
	.name = "stat",
	.what = "count a trace's events, by event and by CPU",
	.usage = "[OPTION...] [DIR]",
	.about = "DIR is a trace (" TRACE_DEFAULT
		 "); -: standard input, from `ktrace\n"
		 "record -o -'.\n",
	.options = options,
	.operand = ARGUMENT_DIRECTORY,
	.main = stat_main,
};
