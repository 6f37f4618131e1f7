// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Names of the kernel's flags, by the C type of a value.
 *
 * Most flags are macros, whose values differ between kernels, so no table can have them.
 * The running kernel has them in two places: in its type information, if they are
 * constants of an enum, and in print formats of its own events.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "base/file.h"
#include "base/text.h"
#include "flags.h"
#include "format.h"

static const struct row {
	const char *ctype;
	const char *masks; /* an enum; its values are masks */
	const char *bits;  /* an enum; its values are numbers of bits */
	const char *event; /* an event, which has names in its print format */
	const char *field;
} rows[] = {
	{.ctype = "gfp_t", .event = "kmem/mm_page_alloc", .field = "gfp_flags"},
	{.ctype = "blk_opf_t", .masks = "req_op", .bits = "req_flag_bits"},
	{.ctype = "slab_flags_t", .bits = "_slab_flag_bits"},
	{.ctype = "page_flags", .bits = "pageflags"},
	{.ctype = "vm_fault_t", .masks = "vm_fault_reason"},
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

struct flags {
	const struct btf *btf;
	struct arena arena;
	bool tried[NR(rows)];
	const struct ktrace_names *names[NR(rows)];
	struct ktrace_types *types[NR(rows)]; /* own the names of events */
};

struct flags *flags_open(const struct btf *btf)
{
	struct flags *flags = calloc(1, sizeof(*flags));

	if (flags)
		flags->btf = btf;
	return flags;
}

void flags_close(struct flags *flags)
{
	if (!flags)
		return;
	for (size_t i = 0; i < NR(rows); i++)
		ktrace_types_destroy(flags->types[i]);
	arena_destroy(&flags->arena);
	free(flags);
}

/* ---- from print formats --------------------------------------------------- */

/* The description of one of the kernel's events, as tracefs has it; NULL: it has none. */
static char *event_read(const char *event)
{
	static const char *const roots[] = {"/sys/kernel/tracing",
					    "/sys/kernel/debug/tracing"};
	char path[256];
	char *text;

	for (size_t i = 0; i < NR(roots); i++) {
		snprintf(path, sizeof(path), "%s/events/%s/format", roots[i],
			 event);
		if (!file_read(AT_FDCWD, path, &text, NULL))
			return text;
	}
	return NULL;
}

/* As the file `info' would describe the event (format.c). */
static const struct ktrace_names *event_names(struct flags *flags, size_t row)
{
	char *described = event_read(rows[row].event);
	const char *fields = described ? strstr(described, "\tfield:") : NULL;
	const struct ktrace_field *field = NULL;
	const struct ktrace_type *type;
	struct enums *enums = fields ? enums_open(NULL) : NULL;
	struct text text = {0};

	if (fields)
		text_printf(&text,
			    "event flags:flags id 0 enabled 0 module vmlinux\n"
			    "size: 4096\ndynamic: 1\n%s",
			    fields);
	free(described);
	if (text.len && !text.failed &&
	    !types_parse(text.s, text.len, enums, &flags->types[row])) {
		type = ktrace_types_get(flags->types[row], 0);
		field = type ? ktrace_field_find(type, rows[row].field) : NULL;
	}
	text_free(&text);
	enums_close(enums);
	return field ? field->names : NULL;
}

/* ---- from type information ------------------------------------------------ */

static struct ktrace_names *enum_find(struct flags *flags, const char *name)
{
	const __u32 kinds[] = {BTF_KIND_ENUM, BTF_KIND_ENUM64};

	for (size_t i = 0; name && i < NR(kinds); i++) {
		__s32 id = btf__find_by_name_kind(flags->btf, name, kinds[i]);

		if (id > 0)
			return enum_type_names(flags->btf,
					       btf__type_by_id(flags->btf, id),
					       &flags->arena);
	}
	return NULL;
}

/* Not a flag, but the number of flags, or the last of them once more. */
static bool is_limit(const char *name)
{
	return strstr(name, "_LAST") || strstr(name, "_NR_BITS") ||
	       strstr(name, "NR_PAGEFLAGS");
}

/* Larger ones first: of masks with several bits, those that include others. */
static int mask_compare(const void *a, const void *b)
{
	uint64_t x = ((const struct ktrace_name *)a)->value;
	uint64_t y = ((const struct ktrace_name *)b)->value;

	return x > y ? -1 : x < y;
}

static const struct ktrace_names *enum_names(struct flags *flags, size_t row)
{
	const struct ktrace_names *masks = enum_find(flags, rows[row].masks);
	const struct ktrace_names *bits = enum_find(flags, rows[row].bits);
	struct ktrace_names *names;
	struct ktrace_name *list;

	if (!masks && !bits)
		return NULL;
	names = arena_alloc(&flags->arena, sizeof(*names));
	list = arena_alloc(&flags->arena, ((masks ? masks->count : 0) +
					   (bits ? bits->count : 0)) *
						  sizeof(*list));
	if (!names || !list)
		return NULL;
	names->flags = true;
	names->delim = "|";
	names->names = list;
	for (uint32_t i = 0; masks && i < masks->count; i++)
		if (!is_limit(masks->names[i].name))
			list[names->count++] = masks->names[i];
	qsort(list, names->count, sizeof(*list), mask_compare);
	for (uint32_t i = 0; bits && i < bits->count; i++) {
		const struct ktrace_name *bit = &bits->names[i];

		/* __REQ_SYNC is the number of the bit in REQ_SYNC. */
		if (bit->value < 64 && !is_limit(bit->name))
			list[names->count++] = (struct ktrace_name){
				.value = 1ull << bit->value,
				.name = bit->name + strspn(bit->name, "_"),
			};
	}
	return names;
}

bool flags_know(const char *ctype)
{
	for (size_t i = 0; i < NR(rows); i++)
		if (!strcmp(rows[i].ctype, ctype))
			return true;
	return false;
}

const struct ktrace_names *flags_find(struct flags *flags, const char *ctype)
{
	for (size_t i = 0; i < NR(rows); i++) {
		if (strcmp(rows[i].ctype, ctype))
			continue;
		if (!flags->tried[i]) {
			flags->tried[i] = true;
			flags->names[i] = rows[i].event ? event_names(flags, i)
							: enum_names(flags, i);
		}
		return flags->names[i];
	}
	return NULL;
}
