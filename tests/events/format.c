// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * format - compares the formats of all events with tracefs
 *
 *   format EXPECTED [KTRACE [TRACEFS]]
 *
 * Each event in the control tree must have the same fields with the same types, offsets
 * (less ftrace's header), sizes and signs, and the same print format as in tracefs.  Events
 * that tracefs does not have, because nothing in this kernel has the tracepoint, are only
 * counted.
 *
 * EXPECTED lists events that are known to differ, one per line: SYSTEM:EVENT, then the
 * reason.  The test fails if a difference is not expected, or if an expected one does not
 * occur in an event that exists.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FTRACE_HEADER 8
#define FIELDS_MAX    128

struct format {
	char *text;
	char *fields[FIELDS_MAX]; /* normalised */
	int nr_fields;
	const char *print;
};

struct expected {
	char name[600];
	bool met;
	struct expected *next;
};

static struct expected *expected;
static int nr_same, nr_expected, nr_different, nr_absent;

static void die(const char *what)
{
	fprintf(stderr, "format: %s: %s\n", what, strerror(errno));
	exit(2);
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0)
		text = strdup("");
	fclose(file);
	return text;
}

/* Adds "\tfield:TYPE NAME;\toffset:N;\tsize:N;\tsigned:N;", unless it is ftrace's own field. */
static void add_field(struct format *format, char *line, int header)
{
	char declaration[256];
	int offset, size, is_signed;
	char *out;

	if (sscanf(line, "\tfield:%255[^;];\toffset:%d;\tsize:%d;\tsigned:%d;",
		   declaration, &offset, &size, &is_signed) != 4)
		return;
	if (offset < header || format->nr_fields == FIELDS_MAX)
		return;
	if (asprintf(&out, "%s offset %d size %d signed %d", declaration,
		     offset - header, size, is_signed) < 0)
		die("no memory");
	format->fields[format->nr_fields++] = out;
}

static bool format_read(struct format *format, const char *tree,
			const char *system, const char *event, int header)
{
	char path[512], *line, *rest;

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", tree, system,
		 event);
	*format = (struct format){.text = read_file(path), .print = ""};
	if (!format->text)
		return false;
	rest = format->text;
	while ((line = strsep(&rest, "\n"))) {
		if (!strncmp(line, "\tfield:", 7))
			add_field(format, line, header);
		else if (!strncmp(line, "print fmt: ", 11)) {
			format->print = line + 11;
			/* It may have several lines. */
			if (rest)
				rest[-1] = '\n';
			break;
		}
	}
	return true;
}

static void format_free(struct format *format)
{
	for (int i = 0; i < format->nr_fields; i++)
		free(format->fields[i]);
	free(format->text);
}

/* The compiler numbers such names (__UNIQUE_ID_x_12), differently each time: skips one. */
static const char *skip_unique(const char *at)
{
	static const char prefix[] = "__UNIQUE_ID_";
	const char *end;

	if (strncmp(at, prefix, strlen(prefix)))
		return at;
	end = at + strlen(prefix);
	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	return end;
}

/* Compares without white space outside of strings. */
static bool same_print(const char *a, const char *b)
{
	bool quoted = false;

	for (;; a++, b++) {
		while (!quoted && isspace((unsigned char)*a))
			a++;
		while (!quoted && isspace((unsigned char)*b))
			b++;
		if (!quoted) {
			a = skip_unique(a);
			b = skip_unique(b);
		}
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		if (*a == '\\' && a[1] && a[1] == b[1])
			a++, b++;
		else if (*a == '"')
			quoted = !quoted;
	}
}

static void differ(int *nr, const char *format, ...)
{
	va_list args;

	(*nr)++;
	printf("    ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static int compare(const struct format *ours, const struct format *theirs)
{
	int nr = 0;

	if (ours->nr_fields != theirs->nr_fields)
		differ(&nr, "%d fields, tracefs has %d", ours->nr_fields,
		       theirs->nr_fields);
	for (int i = 0; i < ours->nr_fields && i < theirs->nr_fields; i++)
		if (strcmp(ours->fields[i], theirs->fields[i]))
			differ(&nr, "field %s\n    is in tracefs %s",
			       ours->fields[i], theirs->fields[i]);
	if (!same_print(ours->print, theirs->print))
		differ(&nr, "print %s    is in tracefs %s", ours->print,
		       theirs->print);
	return nr;
}

static struct expected *expected_find(const char *name)
{
	for (struct expected *e = expected; e; e = e->next)
		if (!strcmp(e->name, name))
			return e;
	return NULL;
}

static void check_event(const char *ktrace, const char *tracefs,
			const char *system, const char *event)
{
	struct format ours, theirs;
	struct expected *known;
	char name[600];
	int nr;

	snprintf(name, sizeof(name), "%s:%s", system, event);
	if (!format_read(&ours, ktrace, system, event, 0))
		return;
	if (!format_read(&theirs, tracefs, system, event, FTRACE_HEADER)) {
		nr_absent++;
		format_free(&ours);
		return;
	}
	known = expected_find(name);
	nr = compare(&ours, &theirs);
	if (known)
		known->met = true;
	if (nr && known) {
		printf("  %s differs, as expected\n", name);
		nr_expected++;
	} else if (nr || known) {
		printf("not ok %s %s\n", name,
		       nr ? "differs" : "was expected to differ");
		nr_different++;
	} else {
		nr_same++;
	}
	format_free(&ours);
	format_free(&theirs);
}

/* Files are tried too, but contain no such directory. */
static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void read_expected(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[512];

	if (!file)
		die(path);
	while (fgets(line, sizeof(line), file)) {
		struct expected *e = calloc(1, sizeof(*e));

		if (!e)
			die("no memory");
		if (line[0] == '#' || sscanf(line, "%599s", e->name) != 1) {
			free(e);
			continue;
		}
		e->next = expected;
		expected = e;
	}
	fclose(file);
}

int main(int argc, char **argv)
{
	const char *ktrace = argc > 2 ? argv[2] : "/sys/kernel/ktrace";
	const char *tracefs = argc > 3 ? argv[3] : "/sys/kernel/tracing";
	struct dirent **systems, **events;
	char path[512];
	int nr_systems;

	if (argc < 2 || argc > 4) {
		fprintf(stderr, "usage: format EXPECTED [KTRACE [TRACEFS]]\n");
		return 2;
	}
	read_expected(argv[1]);
	snprintf(path, sizeof(path), "%s/events", ktrace);
	nr_systems = scandir(path, &systems, visible, alphasort);
	if (nr_systems < 0)
		die(path);
	for (int i = 0; i < nr_systems; i++) {
		int nr_events;

		snprintf(path, sizeof(path), "%s/events/%s", ktrace,
			 systems[i]->d_name);
		nr_events = scandir(path, &events, visible, alphasort);
		for (int k = 0; k < nr_events; k++)
			check_event(ktrace, tracefs, systems[i]->d_name,
				    events[k]->d_name);
	}
	printf("%d events: %d the same as in tracefs, %d not but expected so, %d not; %d not in tracefs\n",
	       nr_same + nr_expected + nr_different + nr_absent, nr_same,
	       nr_expected, nr_different, nr_absent);
	return nr_different != 0;
}
