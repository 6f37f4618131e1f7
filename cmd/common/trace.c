// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/output.h>

#include "cmd.h"
#include "half_file.h"
#include "trace.h"

/* What has no room is left out. */
static void name_add(struct format_names *t, const char *before,
		     const char *name)
{
	size_t used = strlen(t->s);

	snprintf(t->s + used, sizeof(t->s) - used, "%s%s", before, name);
}

struct format_names formats_names(bool all)
{
	struct format_names t = {""};
	const struct ktrace_output_kind *kind, *last = NULL;

	for (size_t i = 0; (kind = ktrace_output_kind(i)); i++) {
		if ((kind->directory || kind->file) && !all)
			continue;
		if (last)
			name_add(&t, *t.s ? ", " : "", last->name);
		last = kind;
	}
	name_add(&t, " or ", last->name);
	return t;
}

bool is_stream(const char *path)
{
	return path && !strcmp(path, "-");
}

/* A command that writes a file removes it then. */
static void interrupted(int number)
{
	half_file_watch_signal(number);
}

/*
 * Ctrl-C is for the recorder before the pipe, whose last events are still to
 * come.  The second one ends this process, too.
 */
static void interrupt_leave(void)
{
	struct sigaction action = {
		.sa_handler = interrupted,
		.sa_flags = SA_RESTART,
	};
	struct stat st;

	if (!fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode))
		sigaction(SIGINT, &action, NULL);
}

static int stream_open(struct ktrace **trace)
{
	if (isatty(STDIN_FILENO))
		return failed("-: standard input is a terminal: `ktrace record "
			      "-o -' in front of a pipe makes what is read "
			      "here");
	interrupt_leave();
	return ktrace_open_stream(STDIN_FILENO, trace) ? failed_in_library()
						       : EXIT_OK;
}

static int open_explain(const char *path, int err)
{
	const char *where = path ?: TRACE_DEFAULT;

	if (!err)
		return EXIT_OK;
	if (err == -ENOENT && !path && access(where, F_OK))
		return failed(
			"there is no trace here (" TRACE_DEFAULT
			"): make one with `sudo ktrace record', or name one");
	if (err == -EACCES)
		return failed("%s: use sudo, or have the trace given to you: "
			      "sudo chown -R $USER %s",
			      ktrace_last_error(), where);
	if (!strstr(ktrace_last_error(), where))
		return failed("%s: %s", where, ktrace_last_error());
	return failed_in_library();
}

int trace_open(const char *path, struct ktrace **trace)
{
	if (is_stream(path))
		return stream_open(trace);
	return open_explain(path, ktrace_open(path ?: TRACE_DEFAULT, trace));
}

int trace_open_follow(int directory, const char *path, struct ktrace **trace)
{
	return open_explain(path,
			    ktrace_open_follow(directory, path ?: TRACE_DEFAULT,
					       trace));
}

void trace_complain(struct ktrace *trace)
{
	const char *warning;

	for (size_t i = 0; (warning = ktrace_warning(trace, i)); i++)
		say("%s", warning);
}

bool trace_has_stacks(const struct ktrace *trace)
{
	const struct ktrace_types *types = ktrace_get_types(trace);

	for (size_t i = 0; i < ktrace_types_count(types); i++)
		if (ktrace_type_stacks(ktrace_types_get(types, i)))
			return true;
	return false;
}
