// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace list: what can be recorded, and what cannot and why. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/session.h>

#include "cmd.h"
#include "common/armed.h"
#include "common/field.h"
#include "common/pager.h"
#include "common/patterns.h"
#include "list_functions.h"
#include "list_probes.h"
#include "list_program.h"
#include "markers.h"
#include "common/select.h"
#include "common/value.h"

struct list {
	struct ktrace_session_options options;
	struct selection selection;
	struct patterns functions; /* show these; none: events */
	pid_t pid;		   /* show its markers; 0: none */
	const char *program;	   /* show its functions; NULL: none */
	struct ktrace_session *session;
	const struct ktrace_type **types; /* the selected ones, sorted */
	size_t nr_types;
	const struct ktrace_missing **missing;
	size_t nr_missing;
	struct list_probes probes; /* for fields, and JSON */
	bool json;
	bool fields;
};

static int type_compare(const void *a, const void *b)
{
	const struct ktrace_type *x = *(const struct ktrace_type *const *)a;
	const struct ktrace_type *y = *(const struct ktrace_type *const *)b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->name, y->name);
}

static int missing_compare(const void *a, const void *b)
{
	const struct ktrace_missing *x =
		*(const struct ktrace_missing *const *)a;
	const struct ktrace_missing *y =
		*(const struct ktrace_missing *const *)b;
	int order = strcmp(x->reason, y->reason);

	if (!order)
		order = strcmp(x->system, y->system);
	return order ? order : strcmp(x->name, y->name);
}

static int list_collect(struct list *l, const struct ktrace_types *types)
{
	size_t nr = ktrace_types_count(types), nr_missing;
	const struct ktrace_missing *missing;

	nr_missing = ktrace_session_missing(l->session, &missing);
	l->types = calloc(nr + 1, sizeof(*l->types));
	l->missing = calloc(nr_missing + 1, sizeof(*l->missing));
	if (!l->types || !l->missing)
		return failed("out of memory");
	for (size_t i = 0; i < nr; i++) {
		const struct ktrace_type *t = ktrace_types_get(types, i);

		if (selection_match(&l->selection, t->system, t->name))
			l->types[l->nr_types++] = t;
	}
	for (size_t i = 0; i < nr_missing; i++)
		if (selection_match(&l->selection, missing[i].system,
				    missing[i].name))
			l->missing[l->nr_missing++] = &missing[i];
	qsort(l->types, l->nr_types, sizeof(*l->types), type_compare);
	qsort(l->missing, l->nr_missing, sizeof(*l->missing), missing_compare);
	return EXIT_OK;
}

/* Text */

static void field_print(const struct ktrace_field *f)
{
	printf("        %s", field_text(f).s);
	if (f->names && f->names->count) {
		printf("  %s", f->names->flags ? "flags:" : "one of:");
		for (uint32_t i = 0; i < f->names->count; i++) {
			/* A few names show what the field means. */
			if (i == 8 && f->names->count > 9) {
				printf(" ... %u more", f->names->count - i);
				break;
			}
			printf(" %s", f->names->names[i].name);
		}
	}
	putchar('\n');
}

static size_t system_end(const struct list *l, size_t i)
{
	const char *system = l->types[i]->system;

	while (i < l->nr_types && !strcmp(l->types[i]->system, system))
		i++;
	return i;
}

/* Where it is, and how it is armed. */
static void probe_print(const struct list *l, const struct ktrace_type *t)
{
	const struct ktrace_probe *probe =
		list_probes_find(&l->probes, t->system, t->name);

	if (!probe)
		return;
	fputs("  at ", stdout);
	print_text(stdout, probe->place);
	armed_print(probe);
}

static void list_text(const struct list *l)
{
	const char *reason = "";

	for (size_t i = 0; i < l->nr_types;) {
		size_t end = system_end(l, i);

		printf("%s\n", l->types[i]->system);
		for (; i < end; i++) {
			const struct ktrace_type *t = l->types[i];

			printf("    %s", t->name);
			if (t->module && strcmp(t->module, "vmlinux"))
				printf("  (module %s)", t->module);
			if (t->enabled)
				printf("  [on]");
			probe_print(l, t);
			putchar('\n');
			for (uint32_t j = 0; l->fields && j < t->nr_fields; j++)
				field_print(&t->fields[j]);
		}
	}
	if (!l->nr_missing)
		return;
	printf("%sCannot be recorded:\n", l->nr_types ? "\n" : "");
	for (size_t i = 0; i < l->nr_missing; i++) {
		const struct ktrace_missing *m = l->missing[i];

		if (strcmp(reason, m->reason))
			printf("  %s\n", m->reason);
		reason = m->reason;
		printf("    %s:%s\n", m->system, m->name);
	}
}

static void list_summary(const struct list *l)
{
	size_t systems = 0;

	for (size_t i = 0; i < l->nr_types; i = system_end(l, i))
		systems++;
	if (l->nr_missing)
		say("%zu events in %zu systems; %zu more cannot be recorded",
		    l->nr_types, systems, l->nr_missing);
	else
		say("%zu event%s in %zu system%s", l->nr_types,
		    l->nr_types == 1 ? "" : "s", systems,
		    systems == 1 ? "" : "s");
}

/* JSON: an array with one object per event. */

static void probe_json(const struct ktrace_probe *probe)
{
	fputs(",\"probe\":{\"place\":", stdout);
	print_json(stdout, probe->place);
	putchar(',');
	armed_json(probe);
	putchar('}');
}

static void type_json(const struct list *l, const struct ktrace_type *t)
{
	const struct ktrace_probe *probe =
		list_probes_find(&l->probes, t->system, t->name);

	fputs("{\"system\":", stdout);
	print_json(stdout, t->system);
	fputs(",\"name\":", stdout);
	print_json(stdout, t->name);
	fputs(",\"module\":", stdout);
	print_json(stdout, t->module ? t->module : "vmlinux");
	printf(",\"enabled\":%s,\"size\":%u,\"dynamic\":%s,\"fields\":[",
	       t->enabled ? "true" : "false", t->size,
	       t->dynamic ? "true" : "false");
	for (uint32_t i = 0; i < t->nr_fields; i++) {
		const struct ktrace_field *f = &t->fields[i];

		fputs(i ? ",{\"name\":" : "{\"name\":", stdout);
		print_json(stdout, f->name);
		fputs(",\"type\":", stdout);
		print_json(stdout, f->ctype);
		printf(",\"offset\":%u,\"size\":%u,\"signed\":%s}", f->offset,
		       f->size, f->is_signed ? "true" : "false");
	}
	fputs("],\"print\":", stdout);
	print_json(stdout, t->print);
	if (probe)
		probe_json(probe);
	putchar('}');
}

static void list_json(const struct list *l)
{
	const char *between = "[\n";

	for (size_t i = 0; i < l->nr_types; i++) {
		fputs(between, stdout);
		type_json(l, l->types[i]);
		between = ",\n";
	}
	for (size_t i = 0; i < l->nr_missing; i++) {
		fputs(between, stdout);
		fputs("{\"system\":", stdout);
		print_json(stdout, l->missing[i]->system);
		fputs(",\"name\":", stdout);
		print_json(stdout, l->missing[i]->name);
		fputs(",\"missing\":", stdout);
		print_json(stdout, l->missing[i]->reason);
		putchar('}');
		between = ",\n";
	}
	puts(*between == '[' ? "[]" : "\n]");
}

static bool known_wanted(const struct ktrace_known *known, void *data)
{
	const struct list *l = data;

	return selection_match(&l->selection, known->system, known->name);
}

static int list_print(struct list *l, const struct ktrace_types *types)
{
	int status = list_collect(l, types);

	if (!status && (l->fields || l->json))
		status = list_probes_read(&l->probes, l->session);
	if (status)
		return status;
	if (l->json) {
		list_json(l);
		return EXIT_OK;
	}
	list_text(l);
	/* The list must come first if both go to a terminal. */
	fflush(stdout);
	if (l->nr_types || l->nr_missing)
		list_summary(l);
	return EXIT_OK;
}

static int list_show(struct list *l)
{
	struct ktrace_known *known;
	struct ktrace_types *types;
	const char *const *patterns;
	size_t nr;
	int status;

	patterns = selection_patterns(&l->selection, &nr);
	if (ktrace_session_prepare(l->session, patterns, nr))
		return failed_in_library();
	if (ktrace_session_types(l->session, known_wanted, l, &types))
		return failed_in_library();
	status = list_print(l, types);
	ktrace_types_destroy(types);
	if (status || l->nr_missing)
		return status;
	if (ktrace_session_known(l->session, &known, &nr))
		return failed_in_library();
	status = selection_check_known(&l->selection, known, nr, l->session);
	free(known);
	return status;
}

enum {
	FIELDS = OPTION_OWN,
};

static int option_handle(void *data, int option)
{
	struct list *l = data;

	switch (option) {
	case 'e':
		return selection_option(&l->selection, &command_list, optarg);
	case 'F':
		return patterns_option(&l->functions, &command_list, "-F",
				       "function", optarg);
	case 'j':
		l->json = true;
		return EXIT_OK;
	case 'l':
		l->options.no_load = true;
		return EXIT_OK;
	case 'p':
		return option_pid(&command_list, optarg, &l->pid);
	case 'x':
		l->program = optarg;
		return EXIT_OK;
	case 'S':
		l->options.name = optarg;
		return EXIT_OK;
	case FIELDS:
		/* Given twice, it also prints notes. */
		verbosity += l->fields;
		l->fields = true;
		return EXIT_OK;
	default:
		return option_forgotten(&command_list, option);
	}
}

static int list_main(int argc, char **argv)
{
	struct list l = {
		.options = {.size = sizeof(l.options), .note = note},
	};
	int status;

	status = options_parse(&command_list, argc, argv, option_handle, &l);
	if (status != OPTIONS_TAKEN)
		return status;
	pager_open();
	if (l.program)
		return output_finish(list_program(l.program, l.pid,
						  argv + optind, argc - optind,
						  l.json, l.fields));
	if (l.pid)
		return markers_show(l.pid, argv + optind, argc - optind,
				    l.json);
	for (; optind < argc; optind++)
		if (selection_add(&l.selection, argv[optind]))
			return misused(&command_list, "`%s' names no event",
				       argv[optind]);
	if (l.functions.nr && !selection_is_all(&l.selection))
		return misused(
			&command_list,
			"events and functions (-F) are shown one by one");
	if (ktrace_session_open(&l.options, &l.session))
		return failed_in_library();
	status = l.functions.nr ? list_functions(l.session, &l.functions,
						 l.json, l.fields)
				: list_show(&l);
	ktrace_session_close(l.session);
	selection_free(&l.selection);
	patterns_free(&l.functions);
	free(l.types);
	free(l.missing);
	list_probes_free(&l.probes);
	return output_finish(status);
}

static const struct command_option options[] = {
	OPTION('v', "verbose", NULL,
	       "show fields, and of probes where they are and how often they were hit and "
	       "missed; twice: say what is loaded, too",
	       .id = FIELDS),
	OPTION('j', "json", NULL, "as JSON"),
	OPTION('l', "loaded", NULL,
	       "only what is in the kernel already, load nothing"),
	OPTION('e', "event", "PATTERN,...", "the same as an argument",
	       .kind = ARGUMENT_EVENT),
	OPTION('F', "function", "PATTERN,...",
	       "functions of the kernel and its modules instead of events: NAME or "
	       "MODULE:NAME, with wildcards; -v: how they are hooked",
	       .kind = ARGUMENT_FUNCTION),
	OPTION('p', "pid", "PID",
	       "the markers of this program: see `ktrace help markers'",
	       .kind = ARGUMENT_PID),
	OPTION('x', "exec", "FILE",
	       "where probes can be in this program or library: its functions and USDT probes; "
	       "PATTERN is one of names, or FUNCTION:* or FILE:* for lines; -v: also addresses "
	       "and arguments; -p: of this process's root",
	       .kind = ARGUMENT_PROGRAM),
	OPTION_SESSION_ROW,
	PAGER_ROW,
	OPTION_QUIET_ROW("no summary"),
	{0},
};

const struct command command_list = {
	.name = "list",
	.what = "show what can be recorded",
	.usage = "[OPTION...] [PATTERN...]",
	.about = "PATTERN is SYSTEM:EVENT with wildcards, or one word for a "
		 "system or an event;\n"
		 "with a `!' in front it excludes. Without any, all events are "
		 "shown.\n",
	.options = options,
	.operand = ARGUMENT_EVENT,
	.examples = "    ktrace list 'sched:*' -v\n"
		    "    ktrace list -F 'vfs_*'\n"
		    "    ktrace list -x python3 'usdt:*'\n",
	.main = list_main,
};
