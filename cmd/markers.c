// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace markers: those of programs that run; on and off in recorders that run. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>

#include "cmd.h"
#include "markers.h"
#include "value.h"

enum action { SHOW, ON, OFF, PRINT, NO_PRINT };
static const char *const switched[] = {
	[ON] = "on",
	[OFF] = "off",
	[PRINT] = "printed",
	[NO_PRINT] = "not printed",
};

struct show {
	bool json;
	size_t count;
	char system[256]; /* of the last one */
};

static void marker_text(struct show *s, const struct ktrace_marker_info *m)
{
	if (strncmp(s->system, m->system, sizeof(s->system) - 1))
		printf("%s\n", m->system);
	snprintf(s->system, sizeof(s->system), "%s", m->system);
	printf("    %s%s%s  %s:%u %s() \"%s\"\n", m->name,
	       m->enabled ? "  [on]" : "", m->printed ? "  [print]" : "",
	       m->file, m->line, m->function, m->format);
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
	printf(",\"order\":%u,\"enabled\":%s,\"printed\":%s}", m->order,
	       m->enabled ? "true" : "false", m->printed ? "true" : "false");
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

int markers_show(pid_t pid, char *const *patterns, int nr, bool json)
{
	struct show s = {.json = json};

	if (ktrace_markers_list(pid, (const char *const *)patterns, nr,
				marker_show, &s))
		return output_finish(failed_why());
	if (json)
		puts(s.count ? "\n]" : "[]");
	else if (!s.count && nr)
		return failed("no program that runs has such a marker: `ktrace "
			      "markers' shows all");
	fflush(stdout);
	if (!json)
		say("%zu marker%s", s.count, s.count == 1 ? "" : "s");
	return output_finish(EXIT_OK);
}

pid_t markers_pid(const char *text)
{
	char *end;
	long pid = strtol(text, &end, 10);

	return *end || pid > INT_MAX || pid < 0 ? 0 : pid;
}

static int markers_switch(char *const *patterns, int nr, enum action action)
{
	const char *const *names = (const char *const *)patterns;
	bool print = action == PRINT || action == NO_PRINT;
	size_t count;
	int err;

	if (!nr)
		return misused(&command_markers,
			       "which markers? Name a PATTERN, or '*'");
	err = print ? ktrace_markers_print(names, nr, action == PRINT, &count)
		    : ktrace_markers_switch(names, nr, action == ON, &count);
	if (err)
		return failed_why();
	say("%zu marker%s of programs that run %s now %s", count,
	    count == 1 ? "" : "s", count == 1 ? "is" : "are", switched[action]);
	return EXIT_OK;
}

static int markers_main(int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},
		{"on", no_argument, NULL, ON},
		{"off", no_argument, NULL, OFF},
		{"print", no_argument, NULL, PRINT},
		{"no-print", no_argument, NULL, NO_PRINT},
		{"pid", required_argument, NULL, 'p'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	enum action action = SHOW;
	bool json = false;
	pid_t pid = 0;
	int option;

	while ((option = getopt_long(argc, argv, "jp:qh", options, NULL)) >=
	       0) {
		switch (option) {
		case 'j':
			json = true;
			break;
		case ON:
		case OFF:
		case PRINT:
		case NO_PRINT:
			if (action && (int)action != option)
				return misused(
					&command_markers,
					"one of --on, --off, --print and "
					"--no-print, please");
			action = option;
			break;
		case 'p':
			pid = markers_pid(optarg);
			if (!pid)
				return misused(&command_markers,
					       "-p `%s' is no process", optarg);
			break;
		case 'q':
			verbosity = -1;
			break;
		default:
			return option_other(&command_markers, option);
		}
	}
	if (action && (pid || json))
		return misused(
			&command_markers,
			"--on, --off, --print and --no-print are for all "
			"programs, and show nothing");
	if (action)
		return markers_switch(argv + optind, argc - optind, action);
	return markers_show(pid, argv + optind, argc - optind, json);
}

const struct command command_markers = {
	.name = "markers",
	.what = "show and switch the markers of programs that run",
	.usage = "[OPTION...] [PATTERN...]",
	.help = "PATTERN is NAME, PROGRAM:NAME, FILE, FILE:FUNCTION or "
		"FILE:FUNCTION:N, with wildcards;\n"
		"with a `!' in front it excludes. Without any, all markers are "
		"shown. Programs are\n"
		"those of this user that include <ktrace/marker.h>.\n"
		"\n"
		"        --on       record these as well, in recordings that "
		"run (ktrace record -M)\n"
		"        --off      record these no longer\n"
		"        --print    have programs print these to their standard error\n"
		"        --no-print have them print these no longer\n"
		"    -p, --pid PID  only those of this process\n"
		"    -j, --json     as JSON\n"
		"    -q, --quiet    no summary\n"
		"    -h, --help     this help\n"
		"\n"
		"    ktrace markers 'myprogram:*'\n"
		"    ktrace markers --on '*/queue.c:queue_*'\n",
	.main = markers_main,
};
