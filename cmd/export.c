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
#include "common/misses.h"
#include "common/query.h"
#include "common/trace.h"
#include "common/value.h"

struct export
{
	struct query query;
	const struct ktrace_output_kind *kind;
	const char *output; /* "-": standard output */
	char *name;	    /* the default, if @output is not given */

	/* Progress. */
	struct ktrace_cursor *cursor;
	uint64_t bytes;
	unsigned int percent;
};

static bool progress_show(void *data)
{
	struct export *x = data;
	unsigned int percent = 0;

	if (x->bytes)
		percent = ktrace_cursor_position(x->cursor) * 100 / x->bytes;
	if (percent == x->percent)
		return false;
	x->percent = percent;
	fprintf(stderr, "\r\033[K%u %%", percent);
	return false;
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
		*fd = STDOUT_FILENO;
		return EXIT_OK;
	}
	*fd = open(x->output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (*fd >= 0)
		return EXIT_OK;
	return failed("%s: %s%s", x->output, strerror(errno),
		      errno == EEXIST ? ": remove it, or choose another with -o"
				      : "");
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

static int trace_export(void *data, struct ktrace *trace,
			struct ktrace_cursor_options *options)
{
	struct export *x = data;
	/* The size of a stream is not known. */
	bool progress = isatty(STDERR_FILENO) && verbosity >= 0 &&
			!ktrace_get_info(trace)->live;
	struct ktrace_output_options output_options = {
		.size = sizeof(output_options),
		.path = x->output,
	};
	const struct ktrace_info *info = ktrace_get_info(trace);
	struct ktrace_output *output;
	int err, status;

	status = output_open(x, &output_options.fd);
	if (status)
		return status;
	if (ktrace_cursor_create(trace, options, &x->cursor)) {
		status = failed_in_library();
		goto out;
	}
	x->bytes = ktrace_get_info(trace)->bytes;
	err = ktrace_output_create(trace, x->kind->name, &output_options,
				   &output);
	if (!err) {
		err = ktrace_output_run(output, x->cursor,
					progress ? progress_show : NULL, x);
		if (progress)
			fputs("\r\033[K", stderr);
		if (!err) {
			exported_say(x, output);
			misses_say(info->misses, info->nr_misses);
		}
		ktrace_output_destroy(output);
	}
	if (err && err != -EPIPE)
		status = failed_in_library();
	ktrace_cursor_destroy(x->cursor);
out:
	if (output_options.fd > STDERR_FILENO && close(output_options.fd) &&
	    !status)
		status = failed("%s: %s", x->output, strerror(errno));
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

static int option_handle(void *data, int option)
{
	struct export *x = data;

	switch (option) {
	case 't':
		return format_find(x, optarg);
	case 'o':
		x->output = optarg;
		return EXIT_OK;
	default:
		return query_option(&x->query, &command_export, option, optarg);
	}
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
	if (optind + 1 < argc)
		return misused(&command_export, "one trace at a time");
	status = export_run(&x, optind < argc ? argv[optind] : NULL);
	query_free(&x.query);
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
		    ".ctf\n",
	.main = export_main,
};
