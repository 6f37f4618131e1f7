// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace list -F: functions of the kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>

#include "cmd.h"
#include "common/function_names.h"
#include "common/patterns.h"
#include "common/value.h"
#include "list_functions.h"

struct missing {
	char *name; /* [MODULE:]NAME */
	const char *why;
};

struct list {
	bool json;
	bool ways;
	bool any;
	const char *between;
	char module[64]; /* of the last one */
	size_t nr;
	struct missing *missing;
	size_t nr_missing;
};

static void function_json(struct list *l, const struct ktrace_function *f)
{
	fputs(l->between, stdout);
	l->between = ",\n";
	fputs("{\"name\":", stdout);
	print_json(stdout, f->name);
	fputs(",\"module\":", stdout);
	print_json(stdout, f->module);
	if (f->missing) {
		fputs(",\"missing\":", stdout);
		print_json(stdout, f->missing);
	} else {
		fputs(",\"prototype\":", stdout);
		if (f->prototype)
			print_json(stdout, f->prototype);
		else
			fputs("null", stdout);
		printf(",\"trampoline\":%s",
		       f->in_registers ? "true" : "false");
	}
	putchar('}');
}

static void function_text(struct list *l, const struct ktrace_function *f)
{
	if (strcmp(l->module, f->module))
		printf("%s\n", f->module);
	snprintf(l->module, sizeof(l->module), "%s", f->module);
	printf("    %s%s%s\n", f->prototype ? f->prototype : f->name,
	       f->prototype ? "" : "  (no type information)",
	       !l->ways		 ? ""
	       : f->in_registers ? "  [trampoline]"
				 : "  [ftrace]");
}

/* They are printed behind the others, by reason. */
static int missing_keep(struct list *l, const struct ktrace_function *f)
{
	bool own = !strcmp(f->module, "vmlinux");
	struct missing *more;

	more = reallocarray(l->missing, l->nr_missing + 1, sizeof(*more));
	if (!more)
		return failed("out of memory");
	l->missing = more;
	more += l->nr_missing;
	more->why = f->missing;
	if (asprintf(&more->name, "%s%s%s", own ? "" : f->module,
		     own ? "" : ":", f->name) < 0)
		return failed("out of memory");
	l->nr_missing++;
	return EXIT_OK;
}

static int function_use(const struct ktrace_function *f, void *data)
{
	struct list *l = data;

	l->any = true;
	l->nr += !f->missing;
	if (l->json)
		function_json(l, f);
	else if (f->missing)
		return missing_keep(l, f);
	else
		function_text(l, f);
	return EXIT_OK;
}

static int missing_compare(const void *a, const void *b)
{
	const struct missing *x = a, *y = b;
	int order = strcmp(x->why, y->why);

	return order ? order : strcmp(x->name, y->name);
}

static void missing_print(struct list *l)
{
	const char *why = "";

	if (l->nr_missing)
		qsort(l->missing, l->nr_missing, sizeof(*l->missing),
		      missing_compare);
	for (size_t i = 0; i < l->nr_missing; i++) {
		if (!i)
			printf("%sCannot be recorded:\n", l->nr ? "\n" : "");
		if (strcmp(why, l->missing[i].why))
			printf("  %s\n", l->missing[i].why);
		why = l->missing[i].why;
		printf("    %s\n", l->missing[i].name);
	}
}

static void list_end(struct list *l)
{
	if (l->json) {
		puts(*l->between == '[' ? "[]" : "\n]");
		return;
	}
	missing_print(l);
	/* The list must come first if both go to a terminal. */
	fflush(stdout);
	if (l->nr_missing)
		say("%zu functions; %zu more cannot be recorded", l->nr,
		    l->nr_missing);
	else
		say("%zu function%s", l->nr, l->nr == 1 ? "" : "s");
}

int list_functions(struct ktrace_session *session,
		   const struct patterns *patterns, bool json, bool ways)
{
	struct list l = {.json = json, .ways = ways, .between = "[\n"};
	int err = ktrace_session_functions_each(session, patterns->list,
						patterns->nr, function_use, &l);

	/* What was found stands, although a pattern may mean nothing. */
	if (err >= 0 || l.any)
		list_end(&l);
	for (size_t i = 0; i < l.nr_missing; i++)
		free(l.missing[i].name);
	free(l.missing);
	if (err >= 0)
		return err;
	failed_in_library();
	if (err == -ENOENT)
		function_names_near(patterns->list, patterns->nr);
	return EXIT_FAILED;
}
