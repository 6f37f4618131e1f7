// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The file is a sequence of entries.  All numbers are u32, but values of names are u64;
 * strings end with a NUL.  An entry is
 *
 *	length		of all that follows in this entry
 *	name		"SYSTEM:EVENT"
 *	length, text	the kernel's description: who has the same, has what follows
 *	print		the print format, with constants replaced
 *	fields		their number, and for each of them:
 *	  kind, base, elem, nr		@nr names, or NO_NAMES
 *	  flags, delim			if there are names; no delim: ""
 *	  value, name ...
 *
 * cache.c has found out that the file is as we wrote it.  Nevertheless, no length is
 * believed that leads out of its entry, and no number that a field cannot have.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/table.h"
#include "base/text.h"
#include "format_cache.h"

#define CACHE_NAME "formats"
#define CACHE_MODE 0644

/* Events with capture programs have many texts: then all begins anew. */
#define KEPT_MAX   (8u << 20)
#define NO_NAMES   UINT32_MAX

#define FIELDS_MAX 256

struct entry {
	const char *name;
	const char *text;
	uint32_t length; /* of @text */
	const char *rest;
	const char *end;
};

struct format_cache {
	const struct cache *cache;
	char *data; /* of the file */
	size_t size;
	struct entry *entries;
	struct table by_name;
	struct text added; /* new entries */
};

/* ---- reading -------------------------------------------------------------- */

/* Reads parts in their order.  What is not there is 0 or "", and sets @at to NULL. */
struct reading {
	const char *at;
	const char *end;
};

static const char *bytes_take(struct reading *r, size_t size)
{
	const char *bytes = r->at;

	if (!bytes || size > (size_t)(r->end - bytes)) {
		r->at = NULL;
		return NULL;
	}
	r->at += size;
	return bytes;
}

static uint32_t number_take(struct reading *r)
{
	const char *bytes = bytes_take(r, sizeof(uint32_t));
	uint32_t number = 0;

	if (bytes)
		memcpy(&number, bytes, sizeof(number));
	return number;
}

static uint64_t value_take(struct reading *r)
{
	const char *bytes = bytes_take(r, sizeof(uint64_t));
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

static const char *string_take(struct reading *r)
{
	const char *zero = r->at ? memchr(r->at, 0, r->end - r->at) : NULL;

	if (!zero) {
		r->at = NULL;
		return "";
	}
	return bytes_take(r, zero + 1 - r->at);
}

static bool entry_take(struct reading *r, struct entry *entry)
{
	uint32_t length = number_take(r);
	const char *bytes = bytes_take(r, length);
	struct reading in = {bytes, bytes ? bytes + length : NULL};

	if (!bytes)
		return false;
	entry->name = string_take(&in);
	entry->length = number_take(&in);
	entry->text = bytes_take(&in, entry->length);
	entry->rest = in.at;
	entry->end = in.end;
	return entry->rest;
}

static void entries_find(struct format_cache *formats)
{
	struct reading r = {formats->data, formats->data + formats->size};
	struct entry entry;
	size_t nr = 0;

	while (entry_take(&r, &entry))
		nr++;
	formats->entries = calloc(nr + 1, sizeof(*formats->entries));
	r.at = formats->data;
	for (size_t i = 0; formats->entries && i < nr; i++) {
		struct entry *own = &formats->entries[i];

		entry_take(&r, own);
		if (table_add(&formats->by_name,
			      table_hash(own->name, strlen(own->name)), own))
			break;
	}
}

struct format_cache *format_cache_open(const struct cache *cache)
{
	struct format_cache *formats = calloc(1, sizeof(*formats));

	if (!formats)
		return NULL;
	formats->cache = cache;
	if (cache_read(cache, CACHE_NAME, &formats->data, &formats->size))
		formats->data = NULL;
	else
		entries_find(formats);
	return formats;
}

static const struct entry *entry_find(const struct format_cache *formats,
				      const char *name,
				      const struct format_text *text)
{
	uint64_t hash = table_hash(name, strlen(name));
	const struct table_slot *slot = NULL;

	while ((slot = table_next(&formats->by_name, hash, slot))) {
		const struct entry *entry = slot->value;

		if (entry->length == text->len &&
		    !memcmp(entry->text, text->s, text->len) &&
		    !strcmp(entry->name, name))
			return entry;
	}
	return NULL;
}

static char *name_make(const struct ktrace_type *type, char *name, size_t size)
{
	size_t system = strlen(type->system), event = strlen(type->name);

	if (system + event + 2 > size)
		return NULL;
	memcpy(name, type->system, system);
	name[system] = ':';
	memcpy(name + system + 1, type->name, event + 1);
	return name;
}

/* False: no memory, or it is not valid. */
static bool names_take(struct reading *r, struct ktrace_field *field,
		       uint32_t nr, struct arena *arena)
{
	struct ktrace_names *names;
	struct ktrace_name *list;
	const char *delim;

	/* A name has a value and a NUL. */
	if (!r->at || nr > (r->end - r->at) / (sizeof(uint64_t) + 1))
		return false;
	names = arena_alloc(arena, sizeof(*names));
	list = arena_alloc(arena, (nr + 1) * sizeof(*list));
	if (!names || !list)
		return false;
	names->flags = number_take(r);
	delim = string_take(r);
	names->delim = *delim ? arena_strdup(arena, delim) : NULL;
	for (uint32_t i = 0; i < nr; i++) {
		list[i].value = value_take(r);
		list[i].name = arena_strdup(arena, string_take(r));
		if (!list[i].name)
			return false;
	}
	names->names = list;
	names->count = nr;
	field->names = names;
	return r->at && (names->delim || !*delim);
}

static bool field_take(struct reading *r, struct ktrace_field *field,
		       struct arena *arena)
{
	uint32_t kind = number_take(r), base = number_take(r), nr;

	field->elem = number_take(r);
	nr = number_take(r);
	if (!r->at || kind > KTRACE_BYTES || base > KTRACE_FLOAT)
		return false;
	field->kind = kind;
	field->base = base;
	return nr == NO_NAMES || names_take(r, field, nr, arena);
}

bool format_cache_find(struct format_cache *formats,
		       const struct format_text *text, struct ktrace_type *type,
		       struct ktrace_field *fields, struct arena *arena)
{
	size_t size = type->nr_fields * sizeof(*fields);
	struct ktrace_field found[FIELDS_MAX];
	const struct entry *entry;
	struct reading r;
	char name[256];
	char *print;

	if (!formats || type->nr_fields > FIELDS_MAX ||
	    !name_make(type, name, sizeof(name)))
		return false;
	entry = entry_find(formats, name, text);
	if (!entry)
		return false;
	r = (struct reading){entry->rest, entry->end};
	print = arena_strdup(arena, string_take(&r));
	if (!print || number_take(&r) != type->nr_fields)
		return false;
	memcpy(found, fields, size);
	for (uint32_t i = 0; i < type->nr_fields; i++)
		if (!field_take(&r, &found[i], arena))
			return false;
	memcpy(fields, found, size);
	type->print = print;
	return true;
}

/* ---- writing -------------------------------------------------------------- */

static void number_put(struct text *text, uint32_t number)
{
	text_add(text, (const char *)&number, sizeof(number));
}

static void string_put(struct text *text, const char *s)
{
	text_add(text, s, strlen(s) + 1);
}

static void names_put(struct text *text, const struct ktrace_names *names)
{
	number_put(text, names->flags);
	string_put(text, names->delim ?: "");
	for (uint32_t i = 0; i < names->count; i++) {
		text_add(text, (const char *)&names->names[i].value,
			 sizeof(names->names[i].value));
		string_put(text, names->names[i].name);
	}
}

static void field_put(struct text *text, const struct ktrace_field *field)
{
	number_put(text, field->kind);
	number_put(text, field->base);
	number_put(text, field->elem);
	number_put(text, field->names ? field->names->count : NO_NAMES);
	if (field->names)
		names_put(text, field->names);
}

void format_cache_add(struct format_cache *formats,
		      const struct format_text *text,
		      const struct ktrace_type *type)
{
	struct text *added;
	char name[256];
	uint32_t length;
	size_t begin;

	if (!formats || geteuid() != formats->cache->owner || !type->print ||
	    type->nr_fields > FIELDS_MAX ||
	    !name_make(type, name, sizeof(name)))
		return;
	added = &formats->added;
	begin = added->len;
	number_put(added, 0);
	string_put(added, name);
	number_put(added, text->len);
	text_add(added, text->s, text->len);
	string_put(added, type->print);
	number_put(added, type->nr_fields);
	for (uint32_t i = 0; i < type->nr_fields; i++)
		field_put(added, &type->fields[i]);
	if (added->failed)
		return;
	length = added->len - begin - sizeof(length);
	memcpy(added->s + begin, &length, sizeof(length));
}

/* Those of before are kept, if there are not too many. */
static void added_write(struct format_cache *formats)
{
	struct text all = {0};

	if (formats->data && formats->size + formats->added.len < KEPT_MAX)
		text_add(&all, formats->data, formats->size);
	text_add(&all, formats->added.s, formats->added.len);
	if (!all.failed)
		cache_write(formats->cache, CACHE_NAME, CACHE_MODE, all.s,
			    all.len);
	text_free(&all);
}

void format_cache_close(struct format_cache *formats)
{
	if (!formats)
		return;
	if (formats->added.len && !formats->added.failed)
		added_write(formats);
	text_free(&formats->added);
	table_free(&formats->by_name);
	free(formats->entries);
	free(formats->data);
	free(formats);
}
