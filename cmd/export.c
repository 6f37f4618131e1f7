// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace export: converts a trace for other programs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/output.h>

#include "cmd.h"
#include "common/half_file.h"
#include "common/misses.h"
#include "common/query.h"
#include "common/trace.h"
#include "common/value.h"
#include "common/who.h"

/* Events between two looks at the progress. */
#define PROGRESS_EVERY 65536

struct export
{
	struct query query;
	struct who who;
	struct ktrace_output_stacks merged;
	const struct ktrace_output_kind *kind;
	const char *output; /* "-": standard output */
	char *name;	    /* the default, if @output is not given */
	bool made;	    /* the file @output */

	/* Progress. */
	struct ktrace_cursor *cursor;
	uint64_t bytes;
	unsigned int percent;
};

static void progress_show(struct export *x)
{
	unsigned int percent = 0;

	if (x->bytes)
		percent = ktrace_cursor_position(x->cursor) * 100 / x->bytes;
	if (percent == x->percent)
		return;
	x->percent = percent;
	fprintf(stderr, "\r\033[K%u %%", percent);
}

static int file_open(struct export *x, int *fd)
{
	int status = EXIT_OK;

	half_file_watch();
	half_file_begin();
	*fd = open(x->output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (*fd < 0)
		status = failed(
			"%s: %s%s", x->output, strerror(errno),
			errno == EEXIST
				? ": remove it, or choose another with -o"
				: "");
	x->made = !status;
	half_file_made(status ? NULL : x->output);
	return status;
}

/* Opens the output's file; an output to a directory needs none. */
static int output_open(struct export *x, int *fd)
{
	*fd = -1;
	if (x->kind->directory) {
		if (!strcmp(x->output, "-"))
			return failed("%s is a directory: name it with -o",
				      x->kind->name);
		return EXIT_OK;
	}
	if (!strcmp(x->output, "-")) {
		if (x->kind->file && isatty(STDOUT_FILENO))
			return failed("%s is for programs, and the standard "
				      "output is a terminal: name a file with "
				      "-o",
				      x->kind->name);
		*fd = STDOUT_FILENO;
		return EXIT_OK;
	}
	return file_open(x, fd);
}

static void exported_say(const struct export *x,
			 const struct ktrace_output *output)
{
	uint64_t losses = ktrace_output_losses(output);

	say("exported %s events%s%s to %s",
	    count_text(ktrace_output_events(output)).s,
	    losses ? ", lost: " : "", losses ? count_text(losses).s : "",
	    strcmp(x->output, "-") ? x->output : "standard output");
}

/* Also with -q: what was asked for is not all there. */
static void left_out_say(const struct export *x,
			 const struct ktrace_output *output)
{
	uint64_t left = ktrace_output_left_out(output);

	if (left)
		failed("left out: %s events, the last ones, because %s takes "
		       "%s: take a part with --from, --until, -e or -p",
		       count_text(left).s, x->kind->name,
		       count_text(ktrace_output_events(output) - left).s);
}

static int event_export(struct export *x, struct ktrace_output *output,
			const struct ktrace_event *event)
{
	if (!who_match(&x->who, event) ||
	    !query_wants(&x->query, event->type, event->cpu, event->time) ||
	    !query_meets(&x->query, event))
		return ktrace_output_hidden(output, event);
	return ktrace_output_event(output, event, NULL);
}

static int loss_export(struct export *x, struct ktrace_output *output,
		       const struct ktrace_loss *loss)
{
	if (!query_wants(&x->query, NULL, loss->cpu, loss->time))
		return ktrace_output_hidden_loss(output, loss);
	return ktrace_output_loss(output, loss);
}

/*
 * *@whole: what was read is in the output.  It may be so although the trace could not be read to
 * its end, which is an error.
 */
static int all_export(struct export *x, struct ktrace_output *output,
		      bool progress, bool *whole)
{
	const struct ktrace_event *event = ktrace_cursor_event(x->cursor);
	const struct ktrace_loss *loss = ktrace_cursor_loss(x->cursor);
	uint32_t left = PROGRESS_EVERY;
	int err = 0, item;

	half_file_progress(progress);
	while (!err && (item = ktrace_cursor_next(x->cursor)) > 0) {
		err = item == KTRACE_EVENT ? event_export(x, output, event)
					   : loss_export(x, output, loss);
		if (!--left && progress)
			progress_show(x);
		left = left ?: PROGRESS_EVERY;
	}
	if (progress)
		fputs("\r\033[K", stderr);
	half_file_progress(false);
	if (!err && item < 0)
		failed_in_library();
	err = err ?: ktrace_output_finish(output);
	*whole = !err;
	return err ?: item;
}

static int output_make(struct export *x, struct ktrace *trace,
		       struct ktrace_output_options *options)
{
	const struct ktrace_info *info = ktrace_get_info(trace);
	/* The size of a stream is not known. */
	bool progress = isatty(STDERR_FILENO) && verbosity >= 0 && !info->live;
	struct ktrace_output *output;
	bool whole = false;
	int err, status = EXIT_OK;

	err = ktrace_output_create(trace, x->kind->name, options, &output);
	if (err)
		return failed_in_library();
	err = all_export(x, output, progress, &whole);
	x->query.ended_early = err == -EPIPE;
	if (err && err != -EPIPE)
		status = whole ? EXIT_FAILED : failed_in_library();
	if (!err) {
		exported_say(x, output);
		left_out_say(x, output);
		misses_say(info->misses, info->nr_misses);
	}
	ktrace_output_destroy(output);
	x->made &= !whole;
	return status;
}

/* Which calls are open, and what was in front of the part that is wanted. */
static void cursor_widen(struct export *x,
			 struct ktrace_cursor_options *options)
{
	if (x->kind->hidden)
		query_widen(&x->query, options, false);
}

static int trace_export(void *data, struct ktrace *trace,
			struct ktrace_cursor_options *options)
{
	struct export *x = data;
	struct ktrace_output_options output_options = {
		.size = sizeof(output_options),
		.path = x->output,
		.merged = &x->merged,
	};
	int status;

	status = output_open(x, &output_options.fd);
	if (status)
		return status;
	cursor_widen(x, options);
	if (ktrace_cursor_create(trace, options, &x->cursor)) {
		status = failed_in_library();
		goto out;
	}
	output_options.cursor = x->cursor;
	x->bytes = ktrace_get_info(trace)->bytes;
	status = output_make(x, trace, &output_options);
	ktrace_cursor_destroy(x->cursor);
out:
	if (output_options.fd > STDERR_FILENO && close(output_options.fd) &&
	    !status) {
		status = failed("%s: %s", x->output, strerror(errno));
		x->made = true;
	}
	/* Half a file is of no use, and would be in the way of the next attempt. */
	if (x->made && status)
		unlink(x->output);
	half_file_end();
	return status;
}

/* Default name: TRACE.ctf, beside the trace. */
static int output_name(struct export *x, const char *path)
{
	int len = strlen(path);

	if (!x->output && is_stream(path))
		x->output = "-";
	if (x->output)
		return EXIT_OK;
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (asprintf(&x->name, "%.*s.%s", len, path, x->kind->name) < 0)
		return failed("out of memory");
	x->output = x->name;
	return EXIT_OK;
}

static int export_run(struct export *x, const char *path)
{
	int status;

	/* It begins with data that a stream has only at its end. */
	if (x->kind->directory && is_stream(path))
		return failed("%s cannot be made of a stream: record into a "
			      "directory, and export that",
			      x->kind->name);
	status = output_name(x, path ? path : TRACE_DEFAULT);
	return status ?: query_run(&x->query, path, trace_export, x);
}

static int format_find(struct export *x, const char *name)
{
	x->kind = ktrace_output_find(name);
	return x->kind ? EXIT_OK
		       : misused(&command_export, "--to `%s': it is %s", name,
				 formats_names(true).s);
}

/* Long options without a letter. */
enum {
	EXPORT_WEIGHT = OPTION_OWN,
};

static int option_handle(void *data, int option)
{
	struct export *x = data;

	switch (option) {
	case 't':
		return format_find(x, optarg);
	case 'o':
		x->output = optarg;
		return EXIT_OK;
	case EXPORT_WEIGHT:
		x->merged.field = optarg;
		x->merged.weight = strcmp(optarg, "time")
					   ? KTRACE_WEIGHT_FIELD
					   : KTRACE_WEIGHT_OFF_CPU;
		return EXIT_OK;
	case 'p':
		return who_pids(&x->who, &command_export, optarg);
	default:
		return query_option(&x->query, &command_export, option, optarg);
	}
}

static bool merges_stacks(const struct ktrace_output_kind *kind)
{
	static const char *const names[] = {"stacks", "folded", "flame",
					    "speedscope", "pprof"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(kind->name, names[i]))
			return true;
	return false;
}

static int export_main(int argc, char **argv)
{
	struct export x = {0};
	int status;

	status = options_parse(&command_export, argc, argv, option_handle, &x);
	if (status != OPTIONS_TAKEN)
		return status;
	if (!x.kind)
		return misused(&command_export,
			       "to what? --to ctf, for instance");
	if (x.merged.weight && !merges_stacks(x.kind))
		return misused(&command_export,
			       "--weight goes with --to folded, speedscope, "
			       "pprof, stacks or flame");
	if (query_filter_check(&x.query, &command_export, x.kind))
		return EXIT_USAGE;
	if (optind + 1 < argc)
		return misused(&command_export, "one trace at a time");
	status = export_run(&x, optind < argc ? argv[optind] : NULL);
	query_free(&x.query);
	who_free(&x.who);
	free(x.name);
	return status;
}

static const struct command_option options[] = {
	OPTION('t', "to", "FORMAT", "what is made of the trace, see below",
	       .kind = ARGUMENT_OUTPUT),
	OPTION('o', "output", "NAME",
	       "where to (DIR.FORMAT); - is standard output",
	       .kind = ARGUMENT_FILE),
	QUERY_ROWS,
	OPTION('f', "filter", "FILTER", QUERY_FILTER_TEXT, .id = QUERY_FILTER),
	OPTION('p', "pid", "PID,...", "only of these processes or threads",
	       .kind = ARGUMENT_PID),
	OPTION(0, "weight", "FIELD",
	       "of stacks: the sum of this field, instead of the number of events; "
	       "`time': how long threads were off the CPU after "
	       "sched:sched_switch, in ns",
	       .id = EXPORT_WEIGHT),
	OPTION_QUIET_ROW("only errors"),
	{0},
};

const struct command command_export = {
	.name = "export",
	.what = "write a trace in another format",
	.usage = "--to FORMAT [OPTION...] [DIR]",
	.about = "DIR is a trace (" TRACE_DEFAULT
		 "); -: standard input, from `ktrace\n"
		 "record -o -'.\n",
	.options = options,
	.operand = ARGUMENT_DIRECTORY,
	.examples = "    ktrace export --to ctf && babeltrace2 " TRACE_DEFAULT
		    ".ctf\n"
		    "    ktrace export --to html -o slow.html --from +1.5\n",
	.main = export_main,
};
