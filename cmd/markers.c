// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ktrace markers: lists and switches markers of running programs and kernel
 * modules.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/markers.h>

#include "cmd.h"
#include "markers.h"
#include "common/value.h"

enum action {
	SHOW,
	ON = OPTION_OWN,
	OFF,
	PRINT,
	NO_PRINT,
};

struct markers {
	enum action action;
	bool json;
	pid_t pid; /* 0: all programs, and kernel modules */
};

struct show {
	bool json;
	size_t count;
	char system[256]; /* of the last marker */
};

static void marker_text(struct show *s, const struct ktrace_marker_info *m)
{
	/* All of these come from programs of other users. */
	if (strncmp(s->system, m->system, sizeof(s->system) - 1)) {
		print_text(stdout, m->system);
		puts(m->kernel ? " (module)" : "");
	}
	snprintf(s->system, sizeof(s->system), "%s", m->system);
	fputs("    ", stdout);
	print_text(stdout, m->name);
	printf("%s%s  ", m->enabled ? "  [on]" : "",
	       m->printed ? "  [print]" : "");
	print_text(stdout, m->file);
	printf(":%u ", m->line);
	print_text(stdout, m->function);
	fputs("() \"", stdout);
	print_text(stdout, m->format);
	puts("\"");
}

static void marker_json(const struct show *s,
			const struct ktrace_marker_info *m)
{
	fputs(s->count ? ",\n{\"system\":" : "[\n{\"system\":", stdout);
	print_json(stdout, m->system);
	fputs(",\"name\":", stdout);
	print_json(stdout, m->name);
	fputs(",\"format\":", stdout);
	print_json(stdout, m->format);
	fputs(",\"file\":", stdout);
	print_json(stdout, m->file);
	printf(",\"line\":%u,\"function\":", m->line);
	print_json(stdout, m->function);
	printf(",\"order\":%u,\"enabled\":%s,\"kernel\":%s,\"printed\":%s}",
	       m->order, m->enabled ? "true" : "false",
	       m->kernel ? "true" : "false", m->printed ? "true" : "false");
}

static int marker_show(void *data, const struct ktrace_marker_info *marker)
{
	struct show *s = data;

	if (s->json)
		marker_json(s, marker);
	else
		marker_text(s, marker);
	s->count++;
	return 0;
}

/* NULL: the module ktrace is not loaded, or needs other rights. */
struct ktrace_session *markers_session(void)
{
	struct ktrace_session_options options = {
		.size = sizeof(options),
		.no_load = true,
	};
	struct ktrace_session *session;

	return ktrace_session_open(&options, &session) ? NULL : session;
}

static int modules_show(struct show *s, const char *const *patterns, int nr)
{
	struct ktrace_session *session = markers_session();
	int err;

	if (!session)
		return 0;
	err = ktrace_session_markers(session, patterns, nr, marker_show, s);
	ktrace_session_close(session);
	return err;
}

int markers_show(pid_t pid, char *const *patterns, int nr, bool json)
{
	struct show s = {.json = json};

	if (ktrace_markers_list(pid, (const char *const *)patterns, nr,
				marker_show, &s) ||
	    (!pid && modules_show(&s, (const char *const *)patterns, nr)))
		return output_finish(failed_in_library());
	if (json)
		puts(s.count ? "\n]" : "[]");
	else if (!s.count && nr)
		return failed("no program that runs has such a marker, nor "
			      "has a module: `ktrace markers' shows all");
	fflush(stdout);
	if (!json)
		say("%zu marker%s", s.count, s.count == 1 ? "" : "s");
	return output_finish(EXIT_OK);
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* Markers of programs and of modules: one recorder of either is enough. */
static int markers_switch(const char *const *patterns, int nr, bool on)
{
	struct ktrace_session *session = markers_session();
	size_t count = 0, modules = 0;
	bool programs;
	int err;

	err = ktrace_markers_switch(patterns, nr, on, &count);
	programs = !err;
	if (session && (!err || err == -ESRCH)) {
		int other = ktrace_session_mark_running(session, patterns, nr,
							on, &modules);

		if (other != -ESRCH || !programs)
			err = other;
	}
	ktrace_session_close(session);
	if (err)
		return failed_in_library();
	if (programs)
		say("%zu marker%s of programs that run %s now %s", count,
		    plural(count), count == 1 ? "is" : "are",
		    on ? "on" : "off");
	if (modules)
		say("%zu marker%s of kernel modules %s now %s", modules,
		    plural(modules), modules == 1 ? "is" : "are",
		    on ? "on" : "off");
	return EXIT_OK;
}

/* In programs, and for modules if the module ktrace is loaded. */
static int markers_print(const char *const *patterns, int nr, bool on)
{
	struct ktrace_session *session = markers_session();
	size_t count = 0, modules = 0;
	int err;

	err = ktrace_markers_print(patterns, nr, on, &count);
	if (!err && session)
		err = ktrace_session_print(session, patterns, nr, on, &modules);
	ktrace_session_close(session);
	if (err)
		return failed_in_library();
	say("%zu marker%s of programs that run %s now%s printed", count,
	    plural(count), count == 1 ? "is" : "are", on ? "" : " not");
	if (modules)
		say("%zu marker%s of kernel modules %s now%s printed to the "
		    "kernel's log",
		    modules, plural(modules), modules == 1 ? "is" : "are",
		    on ? "" : " not");
	return EXIT_OK;
}

static int markers_act(enum action action, char **arguments, int nr)
{
	const char *const *patterns = (const char *const *)arguments;

	if (!nr)
		return misused(&command_markers,
			       "which markers? Name a PATTERN, or '*'");
	if (action == PRINT || action == NO_PRINT)
		return markers_print(patterns, nr, action == PRINT);
	return markers_switch(patterns, nr, action == ON);
}

static int option_handle(void *data, int option)
{
	struct markers *m = data;

	switch (option) {
	case 'j':
		m->json = true;
		return EXIT_OK;
	case 'p':
		return option_pid(&command_markers, optarg, &m->pid);
	case ON:
	case OFF:
	case PRINT:
	case NO_PRINT:
		if (m->action != SHOW && m->action != (enum action)option)
			return misused(&command_markers,
				       "--on, --off, --print or --no-print: "
				       "one of them");
		m->action = option;
		return EXIT_OK;
	default:
		return option_forgotten(&command_markers, option);
	}
}

static int markers_main(int argc, char **argv)
{
	struct markers m = {.action = SHOW};
	int status;

	status = options_parse(&command_markers, argc, argv, option_handle, &m);
	if (status != OPTIONS_TAKEN)
		return status;
	if (m.action != SHOW && (m.pid || m.json))
		return misused(&command_markers,
			       "-p and -j are for showing markers");
	if (m.action != SHOW)
		return markers_act(m.action, argv + optind, argc - optind);
	return markers_show(m.pid, argv + optind, argc - optind, m.json);
}

static const struct command_option options[] = {
	OPTION(0, "on", NULL,
	       "record these as well, in recordings that run (ktrace record -M)",
	       .id = ON),
	OPTION(0, "off", NULL, "record these no longer", .id = OFF),
	OPTION(0, "print", NULL,
	       "print each hit: programs to their standard error, kernel modules to the "
	       "kernel's log",
	       .id = PRINT),
	OPTION(0, "no-print", NULL, "print these no longer", .id = NO_PRINT),
	OPTION('p', "pid", "PID", "only those of this process",
	       .kind = ARGUMENT_PID),
	OPTION('j', "json", NULL, "as JSON"),
	OPTION_QUIET_ROW("no summary"),
	{0},
};

const struct command command_markers = {
	.name = "markers",
	.what = "show, switch and print markers",
	.usage = "[OPTION...] [PATTERN...]",
	.about =
		"PATTERN is NAME, PROGRAM:NAME, MODULE:NAME, FILE, "
		"FILE:FUNCTION or FILE:FUNCTION:N,\n"
		"with wildcards; with a `!' in front it excludes. Without any, "
		"all markers are shown:\n"
		"those of this user's programs that run, and those of kernel "
		"modules if ktrace is\n"
		"loaded.\n",
	.options = options,
	.examples = "    ktrace markers 'myprogram:*'\n"
		    "    ktrace markers --on '*/queue.c:queue_*'\n",
	.main = markers_main,
};
