// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The metadata of a CTF 1.8 trace.
 *
 * All is aligned to bytes, so that most of a payload is copied at once.  Names
 * are those of LTTng (names.c): events of the kernel are without their system unless
 * those of two systems would have the same name, markers of programs have it; each field has an
 * underscore in front, which readers remove; and threads of the scheduler's events
 * are called tid.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#include "ctf.h"
#include "stack.h"

/* Limits: number of names, and length of each. */
#define NAMES_MAX 4096

struct ctf_field ctf_field(const struct ktrace_type *type,
			   const struct ktrace_field *field)
{
	struct ctf_field ctf = {.elem = 1};

	if (field->kind <= KTRACE_POINTER) {
		ctf.elem = field->size;
		ctf.kind = field->names && !field->names->flags &&
					   !ctf_is_integer(type, field)
				   ? CTF_ENUM
				   : CTF_INTEGER;
		return ctf;
	}
	if (field->kind == KTRACE_STRING) {
		ctf.kind = CTF_STRING;
		if (field->place == KTRACE_FIXED && field->size) {
			ctf.kind = CTF_CHARS;
			ctf.count = field->size;
		}
		return ctf;
	}
	if (field->kind != KTRACE_BYTES)
		ctf.elem = field->elem;
	ctf.kind = CTF_SEQUENCE;
	if (field->place == KTRACE_FIXED && field->size &&
	    field->size % ctf.elem == 0) {
		ctf.kind = CTF_ARRAY;
		ctf.count = field->size / ctf.elem;
	}
	return ctf;
}

/* Writes a name as an identifier. */
static void put_name(FILE *f, const char *name)
{
	for (; *name; name++)
		putc(isalnum((unsigned char)*name) ? *name : '_', f);
}

/* Writes a string with its quotes; what is not valid text becomes `?'. */
static void put_string(FILE *f, const char *s)
{
	size_t left = s ? strlen(s) : 0, n;

	putc('"', f);
	for (; left; s += n, left -= n) {
		const uint8_t *c = (const uint8_t *)s;

		n = utf8_length(c, left);
		if (!n || utf8_is_control(c)) {
			putc('?', f);
			n = n ? n : 1;
			continue;
		}
		if (*s == '"' || *s == '\\')
			putc('\\', f);
		fwrite(s, 1, n, f);
	}
	putc('"', f);
}

static void put_field_name(FILE *f, const struct ktrace_type *type,
			   const char *name)
{
	size_t len = strlen(name);

	putc('_', f);
	if (!type->marker && !strcmp(type->system, "sched") && len >= 3 &&
	    !strcmp(name + len - 3, "pid") &&
	    (len == 3 || name[len - 4] == '_')) {
		char tid[64];

		snprintf(tid, sizeof(tid), "%.*stid",
			 (int)(len - 3 < 48 ? len - 3 : 48), name);
		put_name(f, tid);
		return;
	}
	put_name(f, name);
}

static void put_integer(FILE *f, uint32_t bytes, bool is_signed, int base)
{
	fprintf(f, "integer { size = %u; align = 8; signed = %d; base = %d; }",
		bytes * 8, is_signed, base);
}

static bool is_float(const struct ktrace_field *field)
{
	return field->base == KTRACE_FLOAT && field->kind <= KTRACE_POINTER &&
	       field->size >= 4;
}

static void put_float(FILE *f, uint32_t bytes)
{
	fprintf(f, "floating_point { exp_dig = %d; mant_dig = %d; align = 8; }",
		bytes == 4 ? 8 : 11, bytes == 4 ? 24 : 53);
}

/* Is it one of a few values that have names? */
static bool has_names(const struct ktrace_field *field)
{
	return field->names && !field->names->flags;
}

static int integer_base(const struct ktrace_field *field)
{
	if (field->base == KTRACE_HEX || field->base == KTRACE_SYMBOL ||
	    field->kind == KTRACE_POINTER || field->names ||
	    field->kind == KTRACE_BITMASK || field->kind == KTRACE_BYTES ||
	    field->base == KTRACE_MAC || field->base > KTRACE_IP4)
		return 16;
	return field->base == KTRACE_OCT ? 8 : 10;
}

static void put_enum(FILE *f, const struct ktrace_field *field)
{
	const struct ktrace_names *names = field->names;
	bool is_signed = field->kind == KTRACE_INT;
	uint32_t i;

	fprintf(f, "enum : ");
	put_integer(f, field->size, is_signed, 10);
	fprintf(f, " {");
	for (i = 0; i < names->count && i < NAMES_MAX; i++) {
		fprintf(f, "%s ", i ? "," : "");
		put_string(f, names->names[i].name);
		if (is_signed)
			fprintf(f, " = %" PRId64,
				(int64_t)names->names[i].value);
		else
			fprintf(f, " = %" PRIu64, names->names[i].value);
	}
	fprintf(f, " }");
}

static void put_field(FILE *f, const struct ktrace_type *type,
		      const struct ktrace_field *field)
{
	struct ctf_field ctf = ctf_field(type, field);
	bool is_signed = field->kind == KTRACE_INT ||
			 (field->kind == KTRACE_ARRAY && field->is_signed);

	fprintf(f, "\t\t");
	switch (ctf.kind) {
	case CTF_ENUM:
		put_enum(f, field);
		break;
	case CTF_CHARS:
		fprintf(f, "char_t");
		break;
	case CTF_STRING:
		fprintf(f, "string");
		break;
	case CTF_SEQUENCE:
		fprintf(f, "uint32_t _");
		put_field_name(f, type, field->name);
		fprintf(f, "_length;\n\t\t");
		put_integer(f, ctf.elem, is_signed, integer_base(field));
		break;
	default:
		if (is_float(field))
			put_float(f, field->size);
		else
			put_integer(f, ctf.elem, is_signed,
				    has_names(field) ? 10
						     : integer_base(field));
	}
	putc(' ', f);
	put_field_name(f, type, field->name);
	if (ctf.kind == CTF_CHARS || ctf.kind == CTF_ARRAY) {
		fprintf(f, "[%u]", ctf.count);
	} else if (ctf.kind == CTF_SEQUENCE) {
		fprintf(f, "[_");
		put_field_name(f, type, field->name);
		fprintf(f, "_length]");
	}
	fprintf(f, ";\n");
}

/* What an event of the kernel is called, and whose it is. */
struct named {
	const char *name, *system;
};

static int named_compare(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->name, y->name) ?: strcmp(x->system, y->system);
}

/* Sorts them, and keeps one of each.  Returns how many these are. */
static size_t named_sort(struct named *list, size_t nr)
{
	size_t kept = 0;

	qsort(list, nr, sizeof(*list), named_compare);
	for (size_t i = 0; i < nr; i++)
		if (!kept || named_compare(&list[kept - 1], &list[i]) != 0)
			list[kept++] = list[i];
	return kept;
}

/*
 * Has an event of another system this name?  Two types of one event have one name: readers know event
 * classes by their numbers.
 */
static bool is_twice(const struct named *list, size_t nr,
		     const struct named *named)
{
	const struct named *p =
		bsearch(named, list, nr, sizeof(*list), named_compare);

	return (p > list && !strcmp(p[-1].name, named->name)) ||
	       (p + 1 < list + nr && !strcmp(p[1].name, named->name));
}

static void put_event(FILE *f, const struct ktrace_type *type, const char *name,
		      bool unbegun)
{
	/* Without the ids of stacks. */
	uint32_t nr = ktrace_type_own_fields(type);

	fprintf(f, "event {\n\tname = ");
	put_string(f, name);
	fprintf(f,
		";\n\tid = %u;\n\tstream_id = 0;\n"
		"\tfields := struct {\n",
		ctf_event_id(type, unbegun));
	for (uint32_t k = 0; k < nr; k++)
		put_field(f, type, &type->fields[k]);
	fprintf(f, "\t};\n};\n\n");
}

/* The name is @own, or has its system in front.  False: no memory. */
static bool put_type(FILE *f, const struct ktrace_type *type, const char *own,
		     bool twice)
{
	char *name, *unbegun;

	if (asprintf(&name, "%s%s%s", twice ? type->system : "",
		     twice ? ":" : "", own) < 0)
		return false;
	put_event(f, type, name, false);
	if (ctf_ends_interrupt(type)) {
		if (asprintf(&unbegun, "%s_without_entry", name) < 0) {
			free(name);
			return false;
		}
		put_event(f, type, unbegun, true);
		free(unbegun);
	}
	free(name);
	return true;
}

/* @names has room for those of all types, which the caller frees.  False: no memory. */
static bool put_types(FILE *f, const struct ktrace_types *types, char **names)
{
	size_t i, count = ktrace_types_count(types), nr = 0;
	struct named *sorted;
	bool ok = true;

	for (i = 0; ok && i < count; i++) {
		names[i] = ctf_event_name(ktrace_types_get(types, i));
		ok = names[i];
	}
	sorted = ok ? calloc(count + 1, sizeof(*sorted)) : NULL;
	if (!sorted)
		return false;
	for (i = 0; i < count; i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);

		if (!type->marker)
			sorted[nr++] = (struct named){names[i], type->system};
	}
	nr = named_sort(sorted, nr);
	for (i = 0; ok && i < count; i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);
		const struct named named = {names[i], type->system};

		/* A program may use the name of an event of the kernel. */
		ok = put_type(f, type, names[i],
			      type->marker || is_twice(sorted, nr, &named));
	}
	free(sorted);
	return ok;
}

static void put_env(FILE *f, const char *key, const char *value)
{
	if (!value)
		return;
	fprintf(f, "\t%s = ", key);
	put_string(f, value);
	fprintf(f, ";\n");
}

/* Why a stack of the kernel ends: enum ktrace_stack_end, and what an event without one has. */
static void put_ends(FILE *f)
{
	fprintf(f, "\t\tenum : uint8_t { \"none\" = %d", CTF_STACK_NONE);
	for (int end = 0; end <= KTRACE_STACK_DAMAGED; end++) {
		const char *name = stack_end_name(end);

		fprintf(f, ", ");
		if (name) /* without its brackets */
			fprintf(f, "\"%.*s\"", (int)strlen(name) - 2, name + 1);
		else
			put_string(f, end == KTRACE_STACK_COMPLETE ? "complete"
								   : "unknown");
		fprintf(f, " = %d", end);
	}
	fprintf(f, " } _callstack_kernel_end;\n");
}

static void put_head(FILE *f, const struct ktrace_info *info, const char *uuid,
		     unsigned int stacks)
{
	fprintf(f,
		"/* CTF 1.8 */\n\n"
		"typealias integer { size = 8; align = 8; signed = 0; } := "
		"uint8_t;\n"
		"typealias integer { size = 32; align = 8; signed = 0; } := "
		"uint32_t;\n"
		"typealias integer { size = 32; align = 8; signed = 1; } := "
		"int32_t;\n"
		"typealias integer { size = 64; align = 8; signed = 0; } := "
		"uint64_t;\n"
		"typealias integer { size = 8; align = 8; signed = 0; "
		"encoding = UTF8; } := char_t;\n\n"
		"trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n"
		"\tbyte_order = le;\n\tpacket.header := struct {\n"
		"\t\tuint32_t magic;\n\t\tuint8_t uuid[%d];\n"
		"\t\tuint32_t stream_id;\n\t};\n};\n\nenv {\n",
		uuid, CTF_UUID_LEN);
	put_env(f, "hostname", info->host);
	put_env(f, "domain", "kernel");
	put_env(f, "sysname", "Linux");
	put_env(f, "kernel_release", info->kernel);
	put_env(f, "kernel_version", info->machine);
	/* Whose names these are: viewers choose by them which events they know. */
	put_env(f, "tracer_name", "lttng-modules");
	fprintf(f, "\ttracer_major = %d;\n\ttracer_minor = %d;\n",
		CTF_LTTNG_MAJOR, CTF_LTTNG_MINOR);
	put_env(f, "recorder_name", "ktrace");
	put_env(f, "recorder_version", info->version);
	put_env(f, "command", info->command);
	fprintf(f,
		"};\n\nclock {\n\tname = \"monotonic\";\n"
		"\tdescription = \"CLOCK_MONOTONIC\";\n"
		"\tfreq = 1000000000;\n\toffset = %" PRId64 ";\n};\n\n"
		"typealias integer { size = 64; align = 8; signed = 0; "
		"map = clock.monotonic.value; } := time_t;\n\n"
		"stream {\n\tid = 0;\n\tpacket.context := struct {\n"
		"\t\ttime_t timestamp_begin;\n\t\ttime_t timestamp_end;\n"
		"\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n"
		"\t\tuint64_t packet_seq_num;\n"
		"\t\tuint64_t events_discarded;\n\t\tuint32_t cpu_id;\n\t};\n"
		"\tevent.header := struct {\n\t\tuint32_t id;\n"
		"\t\ttime_t timestamp;\n\t};\n"
		"\tevent.context := struct {\n\t\tint32_t _tid;\n"
		"\t\tint32_t _pid;\n\t\tchar_t _procname[16];\n",
		info->realtime);
	if (stacks & CTF_STACK_KERNEL) {
		fprintf(f, "\t\tuint32_t __callstack_kernel_length;\n\t\t");
		put_integer(f, 8, false, 16);
		fprintf(f, " _callstack_kernel[__callstack_kernel_length];\n");
		put_ends(f);
	}
	if (stacks & CTF_STACK_USER)
		fprintf(f, "\t\tuint32_t __callstack_user_length;\n"
			   "\t\tstring "
			   "_callstack_user[__callstack_user_length];\n");
	if (stacks & CTF_BRANCHES)
		fprintf(f, "\t\tuint32_t __branches_length;\n"
			   "\t\tstring _branches[__branches_length];\n");
	fprintf(f, "\t};\n};\n\n");
}

char *ctf_metadata(const struct ktrace *trace, const uint8_t uuid[CTF_UUID_LEN],
		   unsigned int stacks)
{
	const struct ktrace_types *types = ktrace_get_types(trace);
	size_t i, size, count = ktrace_types_count(types);
	char text[2 * CTF_UUID_LEN + 5], *p = text, *result = NULL;
	char **names = calloc(count + 1, sizeof(*names));
	bool failed;
	FILE *f;

	f = names ? open_memstream(&result, &size) : NULL;
	if (!f) {
		free(names);
		return NULL;
	}
	for (i = 0; i < CTF_UUID_LEN; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		p += sprintf(p, "%02x", uuid[i]);
	}
	put_head(f, ktrace_get_info(trace), text, stacks);
	failed = !put_types(f, types, names) || ferror(f);
	for (i = 0; i < count; i++)
		free(names[i]);
	free(names);
	if (fclose(f) || failed) {
		free(result);
		return NULL;
	}
	return result;
}
