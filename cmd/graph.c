// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ktrace graph: calls of the kernel's functions, each below its caller, for a command, for
 * processes or for the machine; or those of a trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/output.h>

#include "cmd.h"
#include "common/columns.h"
#include "common/misses.h"
#include "common/pager.h"
#include "common/patterns.h"
#include "common/query.h"
#include "common/trace.h"
#include "common/value.h"
#include "common/who.h"
#include "run/events.h"
#include "run/functions.h"
#include "run/live.h"

/* What spans of interrupts are made of. */
#define INTERRUPTS \
	"irq:irq_handler_*,irq:softirq_entry,irq:softirq_exit,irq_vectors:*_entry,irq_vectors:*_exit"

/* As deep as the reader follows calls; deeper ones would be shown less deep. */
#define DEPTH_MAX 256

struct graph {
	struct live live;
	struct query query; /* -e, which calls, and which part of a trace */
	struct who who;	    /* of a trace */
	struct patterns pids;
	bool alone;
	uint64_t depth;	     /* 0: any */
	uint64_t longer;     /* ns; 0: any duration */
	const char *returns; /* NULL: whatever they return */
	const char *entered; /* NULL: whatever their arguments are */
	struct patterns
		reads; /* what is read when a function of -f is called */
	bool plain;    /* does not read what arguments point to */
	bool callers;  /* who called the functions of -f */
	struct columns columns;
	struct ktrace_output_graph view;
	const char *input; /* -i: a trace; NULL: what happens now */
	int recording;	   /* an option that is for what happens now; 0: none */
	int part;	   /* one that is for traces */
	struct ktrace_output *shown; /* of a trace, while it is used */
};

/* ---- what happens now ----------------------------------------------------- */

/* The condition that a call meets when it returns; NULL: out of memory. */
static char *condition_make(const struct graph *g)
{
	const char *returns = g->returns ?: "";
	char *text;

	if (asprintf(&text, "%s%s%sduration >= %llu", *returns ? "(" : "",
		     returns, *returns ? ") && " : "",
		     (unsigned long long)g->longer) < 0)
		return NULL;
	return text;
}

/* Is only recorded what meets a condition when it returns? */
static bool has_condition(const struct graph *g)
{
	return g->longer || g->returns;
}

static int functions_choose(struct graph *g)
{
	static const char *const all[] = {"*"};
	const struct patterns *patterns = g->query.calls.patterns;
	bool alone = g->alone || g->depth == 1 || has_condition(g);
	struct ktrace_functions functions = {
		.size = sizeof(functions),
		.roots = patterns[SCOPE_ROOT].list,
		.nr_roots = patterns[SCOPE_ROOT].nr,
		.inside = all,
		.nr_inside = !alone,
		.cut = patterns[SCOPE_CUT].list,
		.nr_cut = patterns[SCOPE_CUT].nr,
		.around = patterns[SCOPE_AROUND].list,
		.nr_around = patterns[SCOPE_AROUND].nr,
		.depth = g->depth,
		.plain = g->plain,
		.reads = g->reads.list,
		.nr_reads = g->reads.nr,
		.no_interrupts = g->query.calls.scope.no_interrupts,
	};
	char *condition = has_condition(g) ? condition_make(g) : NULL;
	int status;

	if (has_condition(g) && !condition)
		return failed("out of memory");
	functions.call_filter = condition;
	functions.entry_filter = g->entered;
	functions.stacks = g->callers ? KTRACE_STACKS_KERNEL : 0;
	status = functions_enable(g->live.session, &functions);
	free(condition);
	return status;
}

/* What says which calls are an interrupt's; calls are shown without it, too. */
static void interrupts_enable(struct graph *g)
{
	struct selection selection = SELECTION_EMPTY;
	size_t nr = 0;

	if (selection_add(&selection, INTERRUPTS) ||
	    events_enable(g->live.session, &selection, NULL, NULL, &nr))
		say("%s", g->query.calls.scope.no_interrupts
				  ? "the time of interrupts will count"
				  : "calls of interrupts will not be marked");
	selection_free(&selection);
}

static int events_choose(void *data)
{
	struct graph *g = data;
	size_t nr = 0;
	int status = EXIT_OK;

	if (!selection_is_all(&g->query.selection))
		status = events_enable(g->live.session, &g->query.selection,
				       NULL, NULL, &nr);
	status = status ?: functions_choose(g);
	if (!status)
		interrupts_enable(g);
	return status;
}

static bool event_is_shown(const struct ktrace_type *type, void *data)
{
	const struct graph *g = data;

	return !selection_is_all(&g->query.selection) &&
	       selection_match(&g->query.selection, type->system, type->name);
}

static void view_options(void *data, struct ktrace_output_options *options)
{
	struct graph *g = data;

	g->view = (struct ktrace_output_graph){
		.columns = g->columns.set,
		.want = event_is_shown,
		.data = g,
		.scope = g->query.calls.scope.part ? &g->query.calls.scope
						   : NULL,
		.pauses = g->query.calls.pauses,
	};
	options->graph = &g->view;
	options->stacks = g->callers;
}

/* ---- of a trace ----------------------------------------------------------- */

/* Spans of calls and interrupts need events that are not shown. */
static bool type_is_read(const struct ktrace_type *type, void *data)
{
	return ktrace_span_type(type) || event_is_shown(type, data);
}

/* As ktrace_output_run(), but only what those do who are wanted. */
static int events_show(struct graph *g, struct ktrace_output *output,
		       struct ktrace_cursor *cursor)
{
	const struct ktrace_event *event = ktrace_cursor_event(cursor);
	int err = 0, item;

	while (!err && (item = ktrace_cursor_next(cursor)) > 0) {
		if (item == KTRACE_LOSS)
			err = ktrace_output_loss(output,
						 ktrace_cursor_loss(cursor));
		else if (who_match(&g->who, event) &&
			 query_wants(&g->query, event->type, event->cpu,
				     event->time))
			err = ktrace_output_event(output, event, NULL);
		else
			err = ktrace_output_hidden(output, event);
	}
	if (err)
		return err;
	/* What was read until then is shown. */
	err = ktrace_output_finish(output);
	return item < 0 ? item : err;
}

/* Before waiting for more of a stream, shows what has come. */
static void stream_show(void *data)
{
	struct graph *g = data;

	if (g->shown)
		ktrace_output_pause(g->shown);
}

static int trace_run(struct graph *g, struct ktrace *trace,
		     struct ktrace_cursor *cursor, int fd)
{
	struct ktrace_output_options options = {
		.size = sizeof(options),
		.fd = fd,
		.cursor = cursor,
	};
	int err;

	view_options(g, &options);
	if (ktrace_output_create(trace, "graph", &options, &g->shown))
		return failed_in_library();
	err = events_show(g, g->shown, cursor);
	ktrace_output_destroy(g->shown);
	g->shown = NULL;
	/* On EPIPE the reader needs no more. */
	return err && err != -EPIPE ? failed_in_library() : EXIT_OK;
}

static int trace_show(void *data, struct ktrace *trace,
		      struct ktrace_cursor_options *options)
{
	struct graph *g = data;
	struct ktrace_cursor *cursor;
	int fd = STDOUT_FILENO, status;

	options->want = type_is_read;
	options->data = g;
	options->wait = stream_show;
	options->wait_data = g;
	/* Which calls are open depends on those of all CPUs and tasks. */
	query_widen(&g->query, options, false);
	options->want =
		type_is_read; /* whatever the query wants is among these */
	if (g->live.output)
		fd = open(g->live.output,
			  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return failed("%s: %s", g->live.output, strerror(errno));
	if (ktrace_cursor_create(trace, options, &cursor)) {
		status = failed_in_library();
	} else {
		status = trace_run(g, trace, cursor, fd);
		ktrace_cursor_destroy(cursor);
	}
	if (g->live.output)
		close(fd);
	if (!status && g->callers && !trace_has_stacks(trace))
		say("%s", TRACE_STACKLESS);
	if (!status)
		misses_say(ktrace_get_info(trace)->misses,
			   ktrace_get_info(trace)->nr_misses);
	if (!status)
		status = call_scope_check(&g->query.calls);
	return status;
}

/* ---- options -------------------------------------------------------------- */

enum {
	ALONE = OPTION_OWN,
	COLUMNS,
	DEPTH,
	ENTERED,
	LONGER,
	PLAIN,
	READ,
	RETURNS,
	TRACE,
};

static const struct column_name column_names[] = {
	{"task", KTRACE_COLUMN_TASK},
	{"cpu", KTRACE_COLUMN_CPU},
	{"time", KTRACE_COLUMN_TIME},
	{"duration", KTRACE_COLUMN_DURATION},
	{"self", KTRACE_COLUMN_SELF},
	{"none", 0},
	{NULL},
};

static int depth_parse(struct graph *g, const char *text)
{
	if (!number_parse(text, &g->depth) && g->depth && g->depth <= DEPTH_MAX)
		return EXIT_OK;
	return misused(&command_graph,
		       "--depth `%s': 1 to %d is expected; 1 is the functions "
		       "of -f alone",
		       text, DEPTH_MAX);
}

static int longer_parse(struct graph *g, const char *text)
{
	if (!duration_parse(text, &g->longer) && g->longer)
		return EXIT_OK;
	return misused(&command_graph,
		       "--longer `%s': a number and s, ms or us is expected, "
		       "like 100us",
		       text);
}

/* Options for what happens now. */
static int recording_handle(struct graph *g, int option)
{
	switch (option) {
	case 'd':
		return option_duration(&command_graph, optarg,
				       &g->live.duration);
	case ENTERED:
		g->entered = optarg;
		return *optarg ? EXIT_OK
			       : misused(&command_graph,
					 "--entered needs a condition, like "
					 "'count > 65536'");
	case LONGER:
		return longer_parse(g, optarg);
	case PLAIN:
		g->plain = true;
		return EXIT_OK;
	case READ:
		return patterns_option(&g->reads, &command_graph, "--read",
				       "member", optarg);
	case RETURNS:
		g->returns = optarg;
		return *optarg ? EXIT_OK
			       : misused(&command_graph,
					 "--returns needs a condition, like "
					 "'ret < 0'");
	case TRACE:
		g->live.trace = optarg;
		return EXIT_OK;
	default:
		return option_forgotten(&command_graph, option);
	}
}

static int option_handle(void *data, int option)
{
	struct graph *g = data;

	switch (option) {
	case ALONE:
		g->alone = true;
		return EXIT_OK;
	case DEPTH:
		return depth_parse(g, optarg);
	case 'f':
	case CALLS_IN:
	case CALLS_NO:
	case CALLS_NO_IRQ:
	case CALLS_NO_SLEEP:
		return call_scope_option(&g->query.calls, &command_graph,
					 option, optarg);
	case COLUMNS:
		return columns_option(&g->columns, &command_graph, column_names,
				      false, optarg);
	case 'g':
		g->callers = true;
		return EXIT_OK;
	case 'i':
		g->input = optarg;
		return EXIT_OK;
	case 'o':
		g->live.output = optarg;
		return EXIT_OK;
	case 'u':
		return user_option(&g->live.child.user, optarg);
	case 'p':
		return patterns_option(&g->pids, &command_graph, "-p",
				       "process", optarg);
	case 'C':
		g->part = option;
		g->who.comm = optarg;
		return EXIT_OK;
	case 'c':
	case QUERY_FROM:
	case QUERY_TO:
	case QUERY_AROUND:
		g->part = option;
		return query_option(&g->query, &command_graph, option, optarg);
	case 'e':
		return query_option(&g->query, &command_graph, option, optarg);
	default:
		g->recording = option;
		return recording_handle(g, option);
	}
}

/* Do the options fit together? */
static int options_check(const struct graph *g)
{
	size_t roots = g->query.calls.patterns[SCOPE_ROOT].nr;

	if (g->input && g->live.argv)
		return misused(&command_graph,
			       "-i shows a trace; it runs no command");
	if (g->input && g->recording)
		return misused(&command_graph,
			       "-i shows a trace, and --%s is for what happens "
			       "now",
			       option_name(&command_graph, g->recording));
	if (!g->input && g->part)
		return misused(&command_graph,
			       "--%s is for traces: name one with -i",
			       option_name(&command_graph, g->part));
	if (!g->input && !roots)
		return misused(&command_graph,
			       "which functions?  Name them with -f, like "
			       "-f 'vfs_*'");
	if (g->alone && !roots)
		return misused(&command_graph,
			       "--alone: which functions?  Name them with -f");
	if (g->callers && !g->input && !g->alone && g->depth != 1 &&
	    !has_condition(g))
		return misused(
			&command_graph,
			"--callers is about the functions of -f alone: "
			"who has called what they call is in the graph.  "
			"Give --alone as well");
	if (g->depth && g->alone)
		return misused(&command_graph,
			       "--alone and --depth: one of them");
	if (g->query.calls.pauses & KTRACE_PAUSE_SLEEP && has_condition(g))
		return misused(&command_graph,
			       "--longer and --returns record a call when it "
			       "returns, with all of its time: leave out "
			       "--no-sleep");
	if (g->depth && has_condition(g))
		return misused(&command_graph,
			       "--longer and --returns record the functions of "
			       "-f alone: leave out --depth");
	return EXIT_OK;
}

/* Of a trace: which calls are shown? */
static int scope_take(struct graph *g)
{
	if (!g->input)
		return EXIT_OK;
	g->query.calls.scope.depth = g->alone ? 1 : g->depth;
	return call_scope_init(&g->query.calls, &command_graph);
}

/* -p is about processes that run, or were recorded. */
static int pids_take(struct graph *g)
{
	int status = EXIT_OK;

	for (size_t i = 0; !status && i < g->pids.nr; i++)
		status = g->input ? who_pids(&g->who, &command_graph,
					     g->pids.list[i])
				  : processes_add(&g->live.processes,
						  g->pids.list[i],
						  &command_graph);
	return status;
}

static int graph_main(int argc, char **argv)
{
	struct graph g = {
		.columns.set = KTRACE_COLUMN_ALL,
		.live =
			{
				.name = "graph",
				.kind = "graph",
				.fd = STDOUT_FILENO,
				.enable = events_choose,
				.options = view_options,
				.data = &g,
			},
	};
	int status;

	status = options_parse(&command_graph, argc, argv, option_handle, &g);
	if (status != OPTIONS_TAKEN)
		return status;
	if (optind < argc)
		g.live.argv = argv + optind;
	status = user_check(&g.live.child.user, &command_graph, g.live.argv);
	status = status ?: options_check(&g);
	status = status ?: pids_take(&g) ?: scope_take(&g);
	if (!status && g.input && !g.live.output && !is_stream(g.input))
		pager_open();
	if (!status && g.input)
		status = query_run(&g.query, g.input, trace_show, &g);
	else if (!status)
		status = live_run(&g.live);
	query_free(&g.query);
	patterns_free(&g.pids);
	patterns_free(&g.reads);
	who_free(&g.who);
	live_free(&g.live);
	return status;
}

static const struct command_option options[] = {
	OPTION('f', "function", "PATTERN,...",
	       "these functions, NAME or MODULE:NAME with wildcards, and all that they call",
	       .kind = ARGUMENT_FUNCTION),
	OPTION(0, "depth", "NUMBER",
	       "only so deep: 2 is the functions of -f and what they call themselves",
	       .id = DEPTH),
	OPTION(0, "alone", NULL, "only the functions of -f, not what they call",
	       .id = ALONE),
	CALL_SCOPE_ROWS,
	OPTION(0, "entered", "CONDITION",
	       "only calls of -f with such arguments, like 'count > 65536', and what they "
	       "call",
	       .id = ENTERED),
	OPTION(0, "longer", "TIME",
	       "only calls of -f that take so long, like 100us; implies --alone",
	       .id = LONGER),
	OPTION(0, "returns", "CONDITION",
	       "only calls of -f that return such a value, like 'ret < 0'; implies --alone",
	       .id = RETURNS),
	OPTION('g', "callers", NULL,
	       "who has called the functions of -f, in the kernel; with --alone, --longer or "
	       "--returns; of a trace: if it has that"),
	OPTION(0, "read", "EXPRESSION",
	       "reads this, too, of functions with such an argument: file->f_mode, "
	       "dentry->d_parent->d_name.name",
	       .id = READ),
	OPTION(0, "plain", NULL,
	       "arguments as they are: does not read what they point to",
	       .id = PLAIN),
	OPTION('e', "event", "PATTERN,...",
	       "these events, too, between the calls; with a `!' in front: all but those",
	       .kind = ARGUMENT_EVENT),
	OPTION('p', "pid", "PID,...",
	       "only what these processes and their children call; of a trace: these "
	       "processes or threads",
	       .kind = ARGUMENT_PID),
	OPTION_USER_ROW,
	OPTION('d', "duration", "TIME", "end after that, like 10s"),
	OPTION(0, "columns", "COLUMN,...",
	       "what lines begin with: task, cpu, time, duration (all of these), self, or "
	       "none",
	       .words = "task cpu time duration self none", .id = COLUMNS),
	OPTION('o', "output", "FILE", "show it there, not on standard output",
	       .kind = ARGUMENT_FILE),
	OPTION(0, "trace", "DIRECTORY", "keep the trace",
	       .kind = ARGUMENT_DIRECTORY, .id = TRACE),
	OPTION('i', "input", "DIRECTORY",
	       "show a trace instead of what happens now; -: standard input",
	       .kind = ARGUMENT_DIRECTORY),
	OPTION('c', "cpu", "CPUS", "of a trace: only these CPUs, like 0,2-3"),
	OPTION('C', "comm", "COMM",
	       "of a trace: only tasks with such a name; wildcards are allowed"),
	OPTION(0, "from", "TIME",
	       "of a trace: not before; in seconds, with a `+' in front: after the "
	       "first event, or by the clock, like 02:15:00.5",
	       .id = QUERY_FROM),
	OPTION(0, "until", "TIME", "of a trace: not after", .id = QUERY_TO),
	QUERY_AROUND_ROW,
	PAGER_ROW,
	OPTION_QUIET_ROW("only errors"),
	OPTION_VERBOSE_ROW("say what is done"),
	{0},
};

const struct command command_graph = {
	.name = "graph",
	.what = "show calls of the kernel's functions, each below its caller",
	.usage = "[OPTION...] [-- COMMAND [ARG...]]",
	.about = "Of COMMAND and its children, of processes, or of the whole "
		 "machine until Ctrl-C;\n"
		 "shown some tenths of a second after they happen.\n",
	.options = options,
	.operand = ARGUMENT_PROGRAM,
	.examples =
		"    ktrace graph -f vfs_read --depth 3 -- cat /etc/hostname\n"
		"    ktrace graph -f 'tcp_*' --alone -p 812 -d 5s\n"
		"    ktrace graph -f vfs_open --returns 'ret < 0'\n"
		"    ktrace graph -f 'kmalloc*' --alone --in syscalls:openat -- ls\n"
		"    ktrace graph -i ktrace.data\n",
	.main = graph_main,
};
