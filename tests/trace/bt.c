// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bt TRACE - prints what babeltrace2 must print of the trace's CTF export
 *
 *	babeltrace2 --clock-cycles --no-delta CTF
 *
 * Written from the rules of babeltrace2's output and the library's view of the trace,
 * independently of the export's code.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ktrace/trace.h>

static void string(const uint8_t *s, size_t n)
{
	putchar('"');
	for (; n && *s; s++, n--) {
		if (*s == '\n')
			printf("\\n");
		else if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else
			putchar(*s);
	}
	putchar('"');
}

static bool is_hex(const struct ktrace_field *f)
{
	return f->base == KTRACE_HEX || f->base == KTRACE_SYMBOL ||
	       f->base == KTRACE_MAC || f->kind == KTRACE_POINTER ||
	       f->kind == KTRACE_BITMASK || f->kind == KTRACE_BYTES ||
	       (f->names && f->names->flags);
}

static void number(const struct ktrace_field *f, int64_t v, bool is_signed)
{
	if (is_hex(f))
		printf("0x%" PRIX64, (uint64_t)v);
	else if (is_signed)
		printf("%" PRId64, v);
	else
		printf("%" PRIu64, (uint64_t)v);
}

static void field_name(const struct ktrace_event *e,
		       const struct ktrace_field *f)
{
	size_t n = strlen(f->name);

	/* babeltrace2 calls thread numbers of the scheduler "tid". */
	if (!strcmp(e->type->system, "sched") && n >= 3 &&
	    !strcmp(f->name + n - 3, "pid"))
		printf("%.*stid", (int)n - 3, f->name);
	else
		printf("%s", f->name);
}

static void integer(const struct ktrace_event *e, const struct ktrace_field *f)
{
	int64_t v = ktrace_field_int(e, f);
	uint32_t i;

	if (!f->names || f->names->flags) {
		number(f, v, f->kind == KTRACE_INT);
		return;
	}
	for (i = 0; i < f->names->count; i++)
		if ((int64_t)f->names->names[i].value == v)
			break;
	if (i < f->names->count)
		printf("( \"%s\"", f->names->names[i].name);
	else
		printf("( <unknown>");
	printf(" : container = %" PRId64 " )", v);
}

static void elements(const struct ktrace_event *e, const struct ktrace_field *f)
{
	size_t size = f->kind == KTRACE_BYTES ? 1 : f->elem, n, i;
	const uint8_t *p = ktrace_field_bytes(e, f, &n);

	printf("[");
	for (i = 0; i < n / size; i++) {
		uint64_t v = 0;

		memcpy(&v, p + i * size, size);
		if (f->is_signed)
			v = (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
		printf("%s [%zu] = ", i ? "," : "", i);
		number(f, v, f->is_signed);
	}
	printf(" ]");
}

static void field(const struct ktrace_event *e, const struct ktrace_field *f)
{
	const uint8_t *p;
	size_t n;

	if (f->kind > KTRACE_STRING && f->place != KTRACE_FIXED) {
		printf("_");
		field_name(e, f);
		ktrace_field_bytes(e, f, &n);
		printf("_length = %zu, ",
		       n / (f->kind == KTRACE_BYTES ? 1 : f->elem));
	}
	field_name(e, f);
	printf(" = ");
	if (f->kind <= KTRACE_POINTER) {
		integer(e, f);
	} else if (f->kind == KTRACE_STRING) {
		p = ktrace_field_bytes(e, f, &n);
		string(p, n);
	} else {
		elements(e, f);
	}
}

/* LTTng calls some events of the kernel otherwise; these are those that trace-make makes. */
static void event_name(const struct ktrace_event *e)
{
	static const char *const systems[] = {"kmem", "timer", "power"};
	static const char *const names[] = {"kmalloc", "hrtimer_start",
					    "cpu_idle"};

	for (int i = 0; i < 3; i++)
		if (!strcmp(e->type->system, systems[i]) &&
		    !strcmp(e->type->name, names[i]))
			printf("%s_", systems[i]);
	printf("%s", e->type->name);
}

int main(int argc, char **argv)
{
	struct ktrace_cursor *cursor;
	const struct ktrace_event *e;
	struct ktrace *trace;
	uint32_t i;
	int item;

	if (argc != 2 || ktrace_open(argv[1], &trace) ||
	    ktrace_cursor_create(trace, NULL, &cursor)) {
		fprintf(stderr, "bt: %s\n", ktrace_last_error());
		return 1;
	}
	e = ktrace_cursor_event(cursor);
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		if (item != KTRACE_EVENT)
			continue;
		printf("[%020" PRIu64 "] %s ", e->time,
		       ktrace_get_info(trace)->host);
		event_name(e);
		printf(": { cpu_id = %u }, { tid = %d, pid = %d, procname = ",
		       e->cpu, e->tid, e->tgid);
		string((const uint8_t *)e->comm, strnlen(e->comm, 16));
		printf(" }, { ");
		for (i = 0; i < e->type->nr_fields; i++) {
			if (i)
				printf(", ");
			field(e, &e->type->fields[i]);
		}
		printf(" }\n");
	}
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	return item ? 1 : 0;
}
