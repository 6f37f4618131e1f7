// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The text of the control tree's info file: blocks of lines such as
 *
 *	event sched:sched_switch id 17 enabled 1 module vmlinux
 *	size: 56
 *	dynamic: 0
 *	format:
 *		field:char prev_comm[16];	offset:0;	size:16;	signed:0;
 *	print fmt: "prev_comm=%s", REC->prev_comm
 *
 * The kind of a field follows from its C type; print_format.c refines it.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>

#include "syscall/call.h"
#include "base/error.h"
#include "format.h"
#include "format_cache.h"
#include "print_format.h"
#include "base/text.h"

#define FIELDS_MAX 256

/* Sizes of elements, used if the array's length is not a number. */
static const struct {
	const char *name;
	uint8_t size;
} scalars[] = {
	{"char", 1},
	{"signed char", 1},
	{"unsigned char", 1},
	{"u8", 1},
	{"__u8", 1},
	{"uint8_t", 1},
	{"s8", 1},
	{"__s8", 1},
	{"bool", 1},
	{"short", 2},
	{"unsigned short", 2},
	{"u16", 2},
	{"__u16", 2},
	{"uint16_t", 2},
	{"s16", 2},
	{"__be16", 2},
	{"__le16", 2},
	{"int", 4},
	{"unsigned int", 4},
	{"unsigned", 4},
	{"u32", 4},
	{"__u32", 4},
	{"uint32_t", 4},
	{"s32", 4},
	{"__s32", 4},
	{"__be32", 4},
	{"__le32", 4},
	{"long", 8},
	{"unsigned long", 8},
	{"u64", 8},
	{"__u64", 8},
	{"uint64_t", 8},
	{"s64", 8},
	{"__s64", 8},
	{"unsigned long long", 8},
	{"long long", 8},
	{"__le64", 8},
	{"__be64", 8},
	{"size_t", 8},
	{"dma_addr_t", 8},
	{"phys_addr_t", 8},
};

/* C types whose values have names that only some print formats contain. */
static const char *const shared_flags[] = {
	"gfp_t", "isolate_mode_t", "slab_flags_t", "fmode_t", "blk_opf_t",
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

struct line {
	const char *s;
	size_t len;
};

static bool line_next(const char **p, const char *end, struct line *line)
{
	const char *newline;

	if (*p >= end)
		return false;
	newline = memchr(*p, '\n', end - *p);
	line->s = *p;
	line->len = (newline ? newline : end) - *p;
	*p += line->len + 1;
	return true;
}

static bool line_begins(const struct line *line, const char *prefix)
{
	size_t n = strlen(prefix);

	return line->len >= n && !memcmp(line->s, prefix, n);
}

/*
 * The number after @key in the line, 0 if there is none.  A key begins with the
 * separator of words.
 */
static long line_number(const struct line *line, const char *key)
{
	const char *p = line->s, *end = line->s + line->len;
	size_t n_key = strlen(key);
	bool minus = false;
	long n = 0;

	while ((p = memchr(p, *key, end - p)) &&
	       ((size_t)(end - p) < n_key || memcmp(p, key, n_key)))
		p++;
	if (!p)
		return 0;
	for (p += n_key; p < end && (*p == ' ' || *p == '-'); p++)
		minus = *p == '-';
	while (p < end && isdigit((unsigned char)*p) && n < 1 << 24)
		n = n * 10 + (*p++ - '0');
	return minus ? -n : n;
}

static bool name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static uint32_t scalar_size(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NR(scalars); i++) {
		if (strlen(scalars[i].name) == len &&
		    !memcmp(scalars[i].name, name, len))
			return scalars[i].size;
	}
	return 0;
}

static void array_kind(struct ktrace_field *field, const char *element,
		       size_t len, uint32_t count)
{
	uint32_t elem = scalar_size(element, len);

	if (!elem && count && field->place == KTRACE_FIXED &&
	    field->size % count == 0)
		elem = field->size / count;
	if (!elem && field->place != KTRACE_FIXED && memchr(element, '*', len))
		elem = sizeof(uint64_t);

	if (len == 4 && !memcmp(element, "char", 4)) {
		field->kind = KTRACE_STRING;
	} else if (elem == 1 || elem == 2 || elem == 4 || elem == 8) {
		field->kind = KTRACE_ARRAY;
		field->elem = elem;
		if (elem == 1 || memchr(element, '*', len))
			field->base = KTRACE_HEX;
	} else {
		field->kind = KTRACE_BYTES;
	}
}

enum ktrace_base ctype_base(const char *ctype)
{
	static const struct {
		const char *name;
		enum ktrace_base base;
	} bases[] = {
		{"bool", KTRACE_BOOL},
		{"dev_t", KTRACE_DEV},
		{"umode_t", KTRACE_OCT},
		{"gfp_t", KTRACE_HEX},
		{"fmode_t", KTRACE_HEX},
		{"blk_opf_t", KTRACE_HEX},
		{"isolate_mode_t", KTRACE_HEX},
		/* Of values of probes (<ktrace/probes.h>). */
		{"x8", KTRACE_HEX},
		{"x16", KTRACE_HEX},
		{"x32", KTRACE_HEX},
		{"x64", KTRACE_HEX},
		{"symbol", KTRACE_SYMBOL},
	};
	size_t length = strlen(ctype);

	for (size_t i = 0; i < NR(bases); i++)
		if (*ctype == *bases[i].name && !strcmp(ctype, bases[i].name))
			return bases[i].base;
	if (length > 7 && !strcmp(ctype + length - 7, "flags_t"))
		return KTRACE_HEX;
	return KTRACE_DEC;
}

/* Sets what follows from the C type. */
static void field_kind(struct ktrace_field *field)
{
	const char *type = field->ctype;
	const char *bracket;

	if (!strncmp(type, "__data_loc ", 11)) {
		field->place = KTRACE_DATA_LOC;
		type += 11;
	} else if (!strncmp(type, "__rel_loc ", 10)) {
		field->place = KTRACE_REL_LOC;
		type += 10;
	}
	if (!strncmp(type, "const ", 6))
		type += 6;
	bracket = strchr(type, '[');

	if (strstr(type, "cpumask_t") || strstr(type, "struct cpumask")) {
		field->kind = KTRACE_BITMASK;
		field->elem = sizeof(uint64_t);
	} else if (bracket) {
		const char *end = bracket;

		while (end > type && end[-1] == ' ')
			end--;
		array_kind(field, type, end - type,
			   strtoul(bracket + 1, NULL, 0));
	} else if (field->place != KTRACE_FIXED) {
		array_kind(field, type, strlen(type), 0);
	} else if (field->size != 1 && field->size != 2 && field->size != 4 &&
		   field->size != 8) {
		field->kind = KTRACE_BYTES;
	} else if (strchr(type, '*') || !strncmp(type, "string", 6)) {
		field->kind = KTRACE_POINTER;
		field->base = KTRACE_HEX;
	} else if (!strncmp(type, "struct ", 7) ||
		   !strncmp(type, "union ", 6)) {
		field->kind = KTRACE_BYTES;
	} else {
		field->kind = field->is_signed ? KTRACE_INT : KTRACE_UINT;
		field->base = ctype_base(type);
	}
}

/* Parses "\tfield:char prev_comm[16];\toffset:0;\tsize:16;\tsigned:0;". */
static int field_parse(const struct line *line, struct ktrace_field *field,
		       struct arena *arena)
{
	const char *begin = memchr(line->s, ':', line->len);
	const char *end = memchr(line->s, ';', line->len);
	const char *name, *name_end, *type_end;
	size_t type_len, rest_len;
	struct line rest;
	char *ctype;

	if (!begin || !end || ++begin >= end)
		return -EINVAL;
	rest = (struct line){end, line->s + line->len - end};
	name_end = end;
	if (end[-1] == ']') {
		const char *p = end - 1;
		int depth = 0;

		/*
		 * The last group of brackets, because a length may contain
		 * brackets.
		 */
		do {
			depth += (*p == ']') - (*p == '[');
			p--;
		} while (depth && p > begin);
		name_end = p + 1;
	}
	for (name = name_end; name > begin && name_char(name[-1]); name--)
		;
	for (type_end = name; type_end > begin && type_end[-1] == ' ';)
		type_end--;
	if (name == name_end)
		return -EINVAL;

	type_len = type_end - begin;
	rest_len = end - name_end;
	ctype = arena_alloc(arena, type_len + rest_len + 1);
	field->name = arena_strndup(arena, name, name_end - name);
	if (!ctype || !field->name)
		return -ENOMEM;
	memcpy(ctype, begin, type_len);
	memcpy(ctype + type_len, name_end, rest_len);
	field->ctype = ctype;
	field->offset = line_number(&rest, "\toffset:");
	field->size = line_number(&rest, "\tsize:");
	field->is_signed = line_number(&rest, "\tsigned:");
	field_kind(field);
	return 0;
}

/* The word after @key, copied; NULL if there is none. */
static char *line_word(const struct line *line, const char *key,
		       struct arena *arena)
{
	const char *p = memmem(line->s, line->len, key, strlen(key));
	const char *end = line->s + line->len;
	const char *word;

	if (!p)
		return NULL;
	for (word = p += strlen(key); p < end && *p != ' ';)
		p++;
	return arena_strndup(arena, word, p - word);
}

static int type_head(struct ktrace_type *type, const struct line *line,
		     struct arena *arena)
{
	char *name = line_word(line, "event ", arena);
	char *colon = name ? strchr(name, ':') : NULL;

	if (!colon)
		return -EINVAL;
	*colon = '\0';
	type->system = name;
	type->name = colon + 1;
	type->id = line_number(line, " id ");
	type->enabled = line_number(line, " enabled ");
	type->module = line_word(line, " module ", arena);
	return 0;
}

/* Finds out what print formats and type information say about the fields. */
static void fields_derive(struct ktrace_type *type, struct ktrace_field *fields,
			  struct enums *enums, struct tep_handle *tep,
			  struct arena *arena)
{
	if (type->print && enums)
		type->print = print_resolve(type->print, enums, arena);
	if (tep && type->print)
		print_apply(tep, type, fields, arena);
	for (uint32_t i = 0; enums && i < type->nr_fields; i++) {
		if (!fields[i].names && fields[i].kind <= KTRACE_UINT &&
		    !strncmp(fields[i].ctype, "enum ", 5))
			fields[i].names =
				enums_names(enums, fields[i].ctype + 5, arena);
	}
}

/* The same, unless it is known already. */
static void fields_interpret(struct ktrace_type *type,
			     struct ktrace_field *fields,
			     const struct format_text *text,
			     struct enums *enums, struct tep_handle *tep,
			     struct arena *arena)
{
	struct format_cache *formats =
		tep && enums ? enums_formats(enums) : NULL;

	if (format_cache_find(formats, text, type, fields, arena))
		return;
	fields_derive(type, fields, enums, tep, arena);
	format_cache_add(formats, text, type);
}

/* Parses one block; its first line is the "event" line. */
static int type_parse(struct ktrace_types *types, const char **p,
		      const char *end, struct enums *enums,
		      struct tep_handle *tep)
{
	struct ktrace_field fields[FIELDS_MAX], *copy;
	struct arena *arena = &types->arena;
	struct ktrace_type *type;
	const char *before = *p;
	struct format_text text;
	struct line line;
	uint32_t i;

	type = arena_alloc(arena, sizeof(*type));
	if (!type)
		return -ENOMEM;
	if (!line_next(p, end, &line) || type_head(type, &line, arena))
		return error_set(-EINVAL,
				 "info: not the head of an event: %.40s",
				 before);

	text.s = *p;
	for (before = *p; line_next(p, end, &line); before = *p) {
		if (line_begins(&line, "event ")) {
			*p = before;
			break;
		}
		if (line_begins(&line, "size:")) {
			type->size = line_number(&line, "size:");
		} else if (line_begins(&line, "dynamic:")) {
			type->dynamic = line_number(&line, "dynamic:");
		} else if (line_begins(&line, "short:")) {
			type->short_size = line_number(&line, "short:");
		} else if (line_begins(&line, "print fmt: ")) {
			type->print = arena_strndup(arena, line.s + 11,
						    line.len - 11);
		} else if (line_begins(&line, "\tfield:") &&
			   type->nr_fields < FIELDS_MAX) {
			i = type->nr_fields;
			memset(&fields[i], 0, sizeof(fields[i]));
			if (!field_parse(&line, &fields[i], arena))
				type->nr_fields++;
		}
	}

	copy = arena_alloc(arena, (type->nr_fields + 1) * sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, fields, type->nr_fields * sizeof(*copy));
	type->fields = copy;
	text.len = *p - text.s;
	fields_interpret(type, copy, &text, enums, tep, arena);
	return types_add(types, type);
}

/* Adds the structs that captured fields contain. */
static int type_layouts(const struct ktrace_type *type,
			struct ktrace_types *types, struct enums *enums)
{
	static const char prefix[] = "__data_loc struct ";
	char name[128];
	int err = 0;

	for (uint32_t f = 0; enums && f < type->nr_fields && !err; f++) {
		const char *ctype = type->fields[f].ctype;

		if (strncmp(ctype, prefix, sizeof(prefix) - 1))
			continue;
		ctype += sizeof(prefix) - 1;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(ctype, "["),
			 ctype);
		err = enums_layout(enums, name, types);
	}
	return err;
}

/*
 * The names that one print format has for values of a C type are used in all
 * events.
 */
static void types_share(struct ktrace_types *types)
{
	const struct ktrace_names *names[NR(shared_flags)] = {0};
	size_t pass, i, k;
	uint32_t f;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < types->count; i++) {
			const struct ktrace_type *type = types->types[i];

			for (f = 0; f < type->nr_fields; f++) {
				/* Not constant yet, while types are made. */
				struct ktrace_field *field =
					(struct ktrace_field *)&type->fields[f];

				for (k = 0; k < NR(shared_flags); k++) {
					if (*field->ctype != *shared_flags[k] ||
					    strcmp(field->ctype,
						   shared_flags[k]) != 0)
						continue;
					if (!names[k])
						names[k] = field->names;
					if (!field->names)
						field->names = names[k];
				}
			}
		}
	}
}

static int types_fill(struct ktrace_types *types, const char *info, size_t size,
		      struct enums *enums)
{
	const char *p = info, *end = info + size, *before;
	struct tep_handle *tep = print_open();
	struct line line;
	int err = 0;

	for (before = p; !err && line_next(&p, end, &line); before = p) {
		if (!line_begins(&line, "event "))
			continue;
		p = before;
		err = type_parse(types, &p, end, enums, tep);
	}
	types_share(types);
	for (size_t i = 0; !err && i < types->count; i++)
		err = type_layouts(types->types[i], types, enums);
	for (size_t i = 0; !err && i < types->count; i++)
		call_annotate(types->types[i]);
	print_close(tep);
	return err;
}

int types_parse(const char *info, size_t size, struct enums *enums,
		struct ktrace_types **result)
{
	struct ktrace_types *types = types_create();
	int err;

	if (!types)
		return error_set(-ENOMEM, "out of memory");
	err = types_fill(types, info, size, enums);
	if (err) {
		ktrace_types_destroy(types);
		return err;
	}
	*result = types;
	return 0;
}

/* ---- types that are parsed later ---------------------------------------- */

/*
 * Print formats of syscalls say nothing about values, and share no names with
 * others.
 */
static bool is_late(const struct line *head)
{
	return line_begins(head, "event syscalls:") ||
	       line_begins(head, "event compat_syscalls:");
}

static int text_take(struct ktrace_types *types, const struct type_text *text)
{
	const char *p = text->text;
	int err;

	err = type_parse(types, &p, p + text->length, types->enums, NULL);
	if (err)
		return err;
	err = type_layouts(types->types[types->count - 1], types, types->enums);
	call_annotate(types->types[types->count - 1]);
	return err;
}

/* Finds the size of the type's text, and moves *p behind its empty line. */
static void text_measure(const char **p, const char *end,
			 struct type_text *text)
{
	struct line line;

	while (line_next(p, end, &line) && line.len) {
		if (line_begins(&line, "size:"))
			text->size = line_number(&line, "size:");
		else if (line_begins(&line, "dynamic:"))
			text->dynamic = line_number(&line, "dynamic:");
	}
}

int types_parse_late(char *info, size_t size, struct enums *enums,
		     struct ktrace_types **result)
{
	const char *p = info, *end = info + size, *begin;
	struct ktrace_types *types = types_create();
	size_t left = 0; /* size of the text to parse now */
	struct line line;
	int err = 0;

	if (!types)
		return error_set(-ENOMEM, "out of memory");
	types->take = text_take;
	types->enums = enums;
	for (begin = p; !err && line_next(&p, end, &line); begin = p) {
		struct type_text text = {0};
		uint32_t id = is_late(&line) ? line_number(&line, " id ") : 0;

		text_measure(&p, end, &text);
		p = p < end ? p : end;
		text.length = p - begin;
		if (!id) {
			memmove(info + left, begin, text.length);
			left += text.length;
			continue;
		}
		text.text = arena_strndup(&types->arena, begin, text.length);
		err = text.text ? types_add_text(types, id, &text) : -ENOMEM;
	}
	if (err)
		error_set(err, "cannot read what events have: %s",
			  strerror(-err));
	else
		err = types_fill(types, info, left, enums);
	if (err) {
		ktrace_types_destroy(types);
		return err;
	}
	*result = types;
	return 0;
}

int ktrace_types_parse(const char *info, size_t size, const char *btf,
		       struct ktrace_types **types)
{
	struct enums *enums = enums_open(btf);
	int err = types_parse(info, size, enums, types);

	enums_close(enums);
	return err;
}
