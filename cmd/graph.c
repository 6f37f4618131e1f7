// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ktrace graph: calls of the kernel's functions, each below its caller, for a command, for
 * processes or for the machine; or those of a trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/output.h>

#include "cmd.h"
#include "common/patterns.h"
#include "common/query.h"
#include "run/events.h"
#include "run/functions.h"
#include "run/live.h"

struct graph {
	struct live live;
	struct query query; /* -e, and which part of a trace */
	struct patterns functions;
	const char *input;     /* -i: a trace; NULL: what happens now */
	const char *recording; /* an option that is for recordings only */
	const char *part;      /* one that is for traces only */
};

/* ---- what happens now ----------------------------------------------------- */

static int events_choose(void *data)
{
	struct graph *g = data;
	size_t nr = 0;
	int status = EXIT_OK;

	if (!selection_is_all(&g->query.selection))
		status = events_enable(g->live.session, &g->query.selection,
				       &nr);
	return status ?: functions_enable(g->live.session, &g->functions);
}

static void view_options(void *data, struct ktrace_output_options *options)
{
}

static void misses_say(void *data)
{
	struct graph *g = data;

	functions_missed(g->live.session);
}

/* ---- of a trace ----------------------------------------------------------- */

static bool type_is_shown(const struct ktrace_type *type, void *data)
{
	struct graph *g = data;

	return type->variant_of ||
	       selection_match(&g->query.selection, type->system, type->name);
}

static int trace_run(struct graph *g, struct ktrace *trace,
		     struct ktrace_cursor *cursor, int fd)
{
	struct ktrace_output_options options = {
		.size = sizeof(options),
		.fd = fd,
		.cursor = cursor,
	};
	struct ktrace_output *output;
	int err;

	view_options(g, &options);
	if (ktrace_output_create(trace, "graph", &options, &output))
		return failed_in_library();
	err = ktrace_output_run(output, cursor, NULL, NULL);
	ktrace_output_destroy(output);
	/* On EPIPE the reader needs no more. */
	return err && err != -EPIPE ? failed_in_library() : EXIT_OK;
}

static int trace_show(void *data, struct ktrace *trace,
		      struct ktrace_cursor_options *options)
{
	struct graph *g = data;
	struct ktrace_cursor *cursor;
	int fd = STDOUT_FILENO, status;

	if (options->want) {
		options->want = type_is_shown;
		options->data = g;
	}
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
	return status;
}

/* ---- options -------------------------------------------------------------- */

enum {
	TRACE = OPTION_OWN,
};

static int option_handle(void *data, int option)
{
	struct graph *g = data;

	switch (option) {
	case 'd':
		g->recording = "-d";
		return option_duration(&command_graph, optarg,
				       &g->live.duration);
	case 'f':
		g->recording = "-f";
		return patterns_option(&g->functions, &command_graph, "-f",
				       "function", optarg);
	case 'i':
		g->input = optarg;
		return EXIT_OK;
	case 'o':
		g->live.output = optarg;
		return EXIT_OK;
	case 'p':
		g->recording = "-p";
		return processes_add(&g->live.processes, optarg,
				     &command_graph);
	case TRACE:
		g->recording = "--trace";
		g->live.trace = optarg;
		return EXIT_OK;
	case 'e':
		break;
	default:
		g->part = option == 'c'		 ? "--cpu"
			  : option == QUERY_FROM ? "--from"
						 : "--until";
	}
	return query_option(&g->query, &command_graph, option, optarg);
}

/* Do the options fit together? */
static int options_check(const struct graph *g)
{
	if (g->input && g->live.argv)
		return misused(&command_graph,
			       "-i shows a trace; it runs no command");
	if (g->input && g->recording)
		return misused(&command_graph,
			       "-i shows a trace, and %s is for what happens "
			       "now",
			       g->recording);
	if (!g->input && g->part)
		return misused(&command_graph,
			       "%s is for traces: name one with -i", g->part);
	if (!g->input && !g->functions.nr)
		return misused(&command_graph,
			       "which functions?  Name them with -f, like "
			       "-f 'vfs_*'");
	return EXIT_OK;
}

static int graph_main(int argc, char **argv)
{
	struct graph g = {
		.live =
			{
				.name = "graph",
				.kind = "graph",
				.fd = STDOUT_FILENO,
				.enable = events_choose,
				.options = view_options,
				.ended = misses_say,
				.data = &g,
			},
	};
	int status;

	status = options_parse(&command_graph, argc, argv, option_handle, &g);
	if (status != OPTIONS_TAKEN)
		return status;
	if (optind < argc)
		g.live.argv = argv + optind;
	status = options_check(&g);
	if (!status && g.input)
		status = query_run(&g.query, g.input, trace_show, &g);
	else if (!status)
		status = live_run(&g.live);
	query_free(&g.query);
	patterns_free(&g.functions);
	live_free(&g.live);
	return status;
}

static const struct command_option options[] = {
	OPTION('f', "function", "PATTERN,...",
	       "which functions: NAME or MODULE:NAME, with wildcards",
	       .kind = ARGUMENT_FUNCTION),
	OPTION('e', "event", "PATTERN,...",
	       "these events, too, between the calls; with a `!' in front: not those",
	       .kind = ARGUMENT_EVENT),
	OPTION('p', "pid", "PID,...",
	       "only what these processes and their children call",
	       .kind = ARGUMENT_PID),
	OPTION('d', "duration", "TIME", "end after that, like 10s"),
	OPTION('o', "output", "FILE", "show it there, not on standard output",
	       .kind = ARGUMENT_FILE),
	OPTION(0, "trace", "DIRECTORY", "keep the trace",
	       .kind = ARGUMENT_DIRECTORY, .id = TRACE),
	OPTION('i', "input", "DIRECTORY",
	       "show a trace instead of what happens now; -: standard input",
	       .kind = ARGUMENT_DIRECTORY),
	OPTION('c', "cpu", "CPUS", "of a trace: only these CPUs, like 0,2-3"),
	OPTION(0, "from", "TIME",
	       "of a trace: not before; in seconds, or with a `+' in front: after the "
	       "first event",
	       .id = QUERY_FROM),
	OPTION(0, "until", "TIME", "of a trace: not after", .id = QUERY_TO),
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
	.examples = "    ktrace graph -f vfs_read -- cat /etc/hostname\n"
		    "    ktrace graph -f 'tcp_*' -p 812 -d 5s\n"
		    "    ktrace graph -i ktrace.data\n",
	.main = graph_main,
};
