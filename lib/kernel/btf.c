// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The kernel's type information (BTF).
 *
 * Print formats of events use constants by name.  Readers on other machines
 * cannot know their values, but constants of enums are in the BTF of the kernel
 * that recorded the events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/table.h"
#include "btf.h"
#include "format_cache.h"
#include "syscall/call.h"
#include "type/type.h"

/* One enumerator; @ambiguous if enums disagree on its value. */
struct enumerator {
	const char *name;
	int64_t value;
	bool ambiguous;
};

/*
 * BTF is read, and each index made, when it is first needed: most events need
 * neither.
 */
struct enums {
	char *path;
	bool running; /* it is the running kernel's: layouts.tab is valid */
	bool tried;
	struct btf *btf;	 /* NULL: none, or not needed yet */
	struct enumerator *list; /* NULL: not read yet */
	struct table by_name;	 /* the list's index */
	struct table tags;	 /* structs, unions and enums by name */
	bool tagged;
	struct format_cache *formats; /* NULL: not needed yet */
};

const struct btf_type *type_resolve(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

static struct enumerator *enumerator_find(const struct enums *enums,
					  const char *name, size_t len,
					  uint64_t hash)
{
	const struct table_slot *slot = NULL;

	while ((slot = table_next(&enums->by_name, hash, slot))) {
		struct enumerator *e = slot->value;

		if (!strncmp(e->name, name, len) && !e->name[len])
			return e;
	}
	return NULL;
}

static int64_t enum_value(const struct btf_type *t, uint32_t i)
{
	if (btf_is_enum64(t))
		return btf_enum64_value(&btf_enum64(t)[i]);
	/* Without the bit in kflag, a 32-bit value is unsigned. */
	if (btf_kflag(t) || btf_enum(t)[i].val < 0)
		return btf_enum(t)[i].val;
	return (uint32_t)btf_enum(t)[i].val;
}

static const char *enum_name(const struct btf *btf, const struct btf_type *t,
			     uint32_t i)
{
	uint32_t off = btf_is_enum64(t) ? btf_enum64(t)[i].name_off
					: btf_enum(t)[i].name_off;

	return btf__name_by_offset(btf, off);
}

static bool is_enum(const struct btf_type *t)
{
	return btf_is_enum(t) || btf_is_enum64(t);
}

static int enumerator_add(struct enums *enums, struct enumerator *free,
			  const char *name, int64_t value)
{
	size_t len = strlen(name);
	uint64_t hash = table_hash(name, len);
	struct enumerator *e = enumerator_find(enums, name, len, hash);

	if (e) {
		e->ambiguous |= e->value != value;
		e->value = value;
		return 0;
	}
	*free = (struct enumerator){.name = name, .value = value};
	return table_add(&enums->by_name, hash, free);
}

static int enums_fill(struct enums *enums)
{
	uint32_t id, nr = btf__type_cnt(enums->btf);
	size_t count = 0;
	uint32_t i;

	for (id = 1; id < nr; id++) {
		const struct btf_type *t = btf__type_by_id(enums->btf, id);

		if (is_enum(t))
			count += btf_vlen(t);
	}
	enums->list = calloc(count + 1, sizeof(*enums->list));
	if (!enums->list)
		return -ENOMEM;

	for (id = 1; id < nr; id++) {
		const struct btf_type *t = btf__type_by_id(enums->btf, id);

		if (!is_enum(t))
			continue;
		for (i = 0; i < btf_vlen(t); i++) {
			const char *name = enum_name(enums->btf, t, i);
			struct enumerator *free =
				&enums->list[enums->by_name.nr];

			if (name && *name &&
			    enumerator_add(enums, free, name, enum_value(t, i)))
				return -ENOMEM;
		}
	}
	return 0;
}

static const char *type_name(const struct enums *enums,
			     const struct btf_type *t)
{
	return btf__name_by_offset(enums->btf, t->name_off);
}

/* Finds the enum, or the struct or union, of this name. */
static struct table_slot *tag_slot(const struct enums *enums, const char *name,
				   bool of_enum)
{
	uint64_t hash = table_hash(name, strlen(name));
	struct table_slot *slot = NULL;

	while ((slot = table_next(&enums->tags, hash, slot))) {
		const struct btf_type *t = slot->value;

		if (is_enum(t) == of_enum && !strcmp(type_name(enums, t), name))
			break;
	}
	return slot;
}

/* If several have one name, keeps the first, but a struct replaces a union. */
static int tag_add(struct enums *enums, const struct btf_type *t)
{
	const char *name = type_name(enums, t);
	struct table_slot *slot = tag_slot(enums, name, is_enum(t));

	if (!slot)
		return table_add(&enums->tags, table_hash(name, strlen(name)),
				 (void *)t);
	if (btf_is_struct(t) && btf_is_union((struct btf_type *)slot->value))
		slot->value = (void *)t;
	return 0;
}

static int tags_fill(struct enums *enums)
{
	uint32_t nr = btf__type_cnt(enums->btf);

	enums->tagged = true;
	for (uint32_t id = 1; id < nr; id++) {
		const struct btf_type *t = btf__type_by_id(enums->btf, id);

		if ((btf_is_composite(t) || is_enum(t)) && t->name_off &&
		    tag_add(enums, t))
			return -ENOMEM;
	}
	return 0;
}

static int silent(enum libbpf_print_level level, const char *format, va_list ap)
{
	return 0;
}

struct enums *enums_open(const char *path)
{
	struct enums *enums = calloc(1, sizeof(*enums));

	if (!enums)
		return NULL;
	enums->running = !path;
	enums->path = strdup(path ? path : "/sys/kernel/btf/vmlinux");
	if (!enums->path) {
		free(enums);
		return NULL;
	}
	return enums;
}

struct format_cache *enums_formats(struct enums *enums)
{
	if (enums->running && !enums->formats)
		enums->formats = format_cache_open(&cache_kernel);
	return enums->formats;
}

void enums_close(struct enums *enums)
{
	if (!enums)
		return;
	format_cache_close(enums->formats);
	btf__free(enums->btf);
	table_free(&enums->tags);
	table_free(&enums->by_name);
	free(enums->list);
	free(enums->path);
	free(enums);
}

static bool enums_read(struct enums *enums)
{
	libbpf_print_fn_t before;

	if (!enums->tried) {
		enums->tried = true;
		before = libbpf_set_print(silent);
		enums->btf = btf__parse(enums->path, NULL);
		libbpf_set_print(before);
	}
	return enums->btf;
}

const struct btf *enums_btf(struct enums *enums)
{
	return enums && enums_read(enums) ? enums->btf : NULL;
}

bool enums_value(struct enums *enums, const char *name, size_t len,
		 int64_t *value)
{
	const struct enumerator *e;

	if (!enums_read(enums) || (!enums->list && enums_fill(enums)))
		return false;
	e = enumerator_find(enums, name, len, table_hash(name, len));
	if (!e || e->ambiguous)
		return false;
	*value = e->value;
	return true;
}

static const struct btf_type *tag_find(struct enums *enums, const char *name,
				       bool of_enum)
{
	const struct table_slot *slot;

	if (!enums || !enums_read(enums) ||
	    (!enums->tagged && tags_fill(enums)))
		return NULL;
	slot = tag_slot(enums, name, of_enum);
	return slot ? slot->value : NULL;
}

bool enum_is_signed(const struct btf_type *t)
{
	/* Old type information does not have the bit. */
	for (uint32_t i = 0; btf_is_enum(t) && i < btf_vlen(t); i++)
		if (btf_enum(t)[i].val < 0)
			return true;
	return btf_kflag(t);
}

bool enum_is_flags(const struct btf_type *t)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < btf_vlen(t); i++) {
		uint64_t value = enum_value(t, i);

		if (value & (value - 1) || all & value)
			return false;
		all |= value;
	}
	return all > 3;
}

struct ktrace_names *enum_type_names(const struct btf *btf,
				     const struct btf_type *t,
				     struct arena *arena)
{
	struct ktrace_names *names;
	struct ktrace_name *list;
	uint32_t i;

	if (!btf_vlen(t))
		return NULL;
	names = arena_alloc(arena, sizeof(*names));
	list = arena_alloc(arena, btf_vlen(t) * sizeof(*list));
	if (!names || !list)
		return NULL;
	for (i = 0; i < btf_vlen(t); i++) {
		list[i].value = enum_value(t, i);
		list[i].name = arena_strdup(arena, enum_name(btf, t, i));
		if (!list[i].name)
			return NULL;
	}
	names->count = btf_vlen(t);
	names->names = list;
	return names;
}

struct ktrace_names *enums_names(struct enums *enums, const char *name,
				 struct arena *arena)
{
	const struct btf_type *t = tag_find(enums, name, true);

	return t ? enum_type_names(enums->btf, t, arena) : NULL;
}

static const struct btf_type *struct_find(struct enums *enums, const char *name)
{
	return tag_find(enums, name, false);
}

/* The struct's words of layouts.tab; NULL: none, or another kernel. */
static const char *words_find(const struct enums *enums, const char *name)
{
	return enums && enums->running ? layout_words(name) : NULL;
}

uint32_t enums_struct_size(struct enums *enums, const char *name)
{
	const char *words = words_find(enums, name);
	const struct btf_type *t;

	if (words)
		return strtoul(words, NULL, 10);
	t = struct_find(enums, name);
	return t ? t->size : 0;
}

/* Members, including those of structs without a name. */
struct flat {
	const struct enums *enums;
	int (*use)(void *data, const struct btf_member *member,
		   const char *name, uint32_t offset);
	void *data;
};

static int flat_walk(const struct flat *flat, const struct btf_type *t,
		     const char *prefix, uint32_t offset)
{
	const struct btf *btf = flat->enums->btf;
	char name[128];
	int err = 0;

	for (uint32_t i = 0; !err && i < btf_vlen(t); i++) {
		const struct btf_member *member = &btf_members(t)[i];
		/*
		 * Qualifiers and typedefs are kept: a struct with a typedef has
		 * a name.
		 */
		const struct btf_type *of = btf__type_by_id(btf, member->type);
		const char *own = btf__name_by_offset(btf, member->name_off);
		uint32_t at = offset + btf_member_bit_offset(t, i) / 8;

		snprintf(name, sizeof(name), "%s%s", prefix, own);
		if (!of || !btf_is_composite(of) ||
		    *btf__name_by_offset(btf, of->name_off)) {
			err = flat->use(flat->data, member, name, at);
			continue;
		}
		if (*own)
			snprintf(name, sizeof(name), "%s%s.", prefix, own);
		err = flat_walk(flat, of, name, at);
	}
	return err;
}

struct wanted {
	const char *name;
	uint32_t offset;
};

static int member_compare(void *data, const struct btf_member *member,
			  const char *name, uint32_t offset)
{
	struct wanted *wanted = data;

	wanted->offset = offset;
	return !strcmp(name, wanted->name);
}

/* The next word "MEMBER:..."; *numbers: its rest.  NULL: no more. */
static const char *member_word(const char *words, size_t *length,
			       char **numbers)
{
	words += strcspn(words, " ");
	words += strspn(words, " ");
	*length = strcspn(words, ":");
	*numbers = (char *)words + *length;
	return *words ? words : NULL;
}

static bool words_member(const char *words, const char *member,
			 uint32_t *offset)
{
	size_t length;
	char *numbers;

	while ((words = member_word(words, &length, &numbers))) {
		if (strlen(member) != length || memcmp(words, member, length))
			continue;
		*offset = strtoul(numbers + 1, NULL, 10);
		return true;
	}
	return false;
}

bool enums_member(struct enums *enums, const char *name, const char *member,
		  uint32_t *offset)
{
	const char *words = words_find(enums, name);
	struct wanted wanted = {.name = member};
	const struct flat flat = {enums, member_compare, &wanted};
	const struct btf_type *t;

	if (words && words_member(words, member, offset))
		return true;
	t = struct_find(enums, name);
	if (!t || !flat_walk(&flat, t, "", 0))
		return false;
	*offset = wanted.offset;
	return true;
}

struct filling {
	struct enums *enums;
	struct ktrace_types *types;
	struct ktrace_member *members; /* NULL: only count them */
	uint32_t nr;
};

static int member_fill(void *data, const struct btf_member *from,
		       const char *name, uint32_t offset)
{
	struct filling *filling = data;
	struct ktrace_types *types = filling->types;
	const struct btf *btf = filling->enums->btf;
	const struct btf_type *t = type_resolve(btf, from->type);
	int64_t size = btf__resolve_size(btf, from->type);
	struct ktrace_member *member;

	if (!filling->members) {
		filling->nr++;
		return 0;
	}
	member = &filling->members[filling->nr++];
	member->name = arena_strdup(&types->arena, name);
	if (!member->name)
		return -ENOMEM;
	member->offset = offset;
	member->size = size > 0 ? size : 0;
	if (t && btf_is_int(t))
		member->is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
	if (!t || !btf_is_struct(t))
		return 0;
	member->type = arena_strdup(&types->arena,
				    btf__name_by_offset(btf, t->name_off));
	if (!member->type)
		return -ENOMEM;
	return enums_layout(filling->enums, member->type, types);
}

/* Parses "OFFSET:SIZE[s][:ITS]". */
static int member_parse(const char *numbers, struct enums *enums,
			struct ktrace_types *types,
			struct ktrace_member *member)
{
	char *end;

	member->offset = strtoul(numbers, &end, 10);
	member->size = strtoul(end + 1, &end, 10);
	member->is_signed = *end == 's';
	end += member->is_signed;
	if (*end != ':')
		return 0;
	end++;
	member->type = arena_strndup(&types->arena, end, strcspn(end, " "));
	return member->type ? enums_layout(enums, member->type, types)
			    : -ENOMEM;
}

/* Makes a layout from layouts.tab. */
static int words_layout(struct enums *enums, const char *name,
			const char *words, struct ktrace_types *types)
{
	struct ktrace_layout layout = {.size = strtoul(words, NULL, 10)};
	struct ktrace_member *members, *member;
	uint32_t nr = 0;
	size_t length;
	char *numbers;
	int err = 0;

	for (const char *p = words; *p; p++)
		nr += *p == ' ';
	members = arena_alloc(&types->arena, (nr + 1) * sizeof(*members));
	layout.name = arena_strdup(&types->arena, name);
	if (!members || !layout.name)
		return -ENOMEM;
	while (!err && (words = member_word(words, &length, &numbers))) {
		member = &members[layout.nr_members++];
		member->name = arena_strndup(&types->arena, words, length);
		if (!member->name)
			return -ENOMEM;
		err = member_parse(numbers + 1, enums, types, member);
	}
	layout.members = members;
	return err ? err : types_add_layout(types, &layout);
}

int enums_layout(struct enums *enums, const char *name,
		 struct ktrace_types *types)
{
	const char *words = words_find(enums, name);
	struct filling filling = {enums, types, NULL, 0};
	const struct flat flat = {enums, member_fill, &filling};
	struct ktrace_layout layout = {0};
	const struct btf_type *t;
	int err;

	if (ktrace_layout_find(types, name))
		return 0;
	if (words && words[strspn(words, "0123456789")] != '+')
		return words_layout(enums, name, words, types);
	t = struct_find(enums, name);
	if (!t)
		return 0;
	flat_walk(&flat, t, "", 0);
	filling.members = arena_alloc(
		&types->arena, (filling.nr + 1) * sizeof(*filling.members));
	layout.name = arena_strdup(&types->arena, name);
	if (!filling.members || !layout.name)
		return -ENOMEM;
	filling.nr = 0;
	err = flat_walk(&flat, t, "", 0);
	layout.size = t->size;
	layout.members = filling.members;
	layout.nr_members = filling.nr;
	return err ? err : types_add_layout(types, &layout);
}
