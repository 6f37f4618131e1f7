// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Event types: sets of them, and values of their fields. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace.h>
#include <ktrace/trace.h>

#include "base/error.h"
#include "base/grow.h"
#include "type.h"

static const char *const kinds[] = {
	[KTRACE_INT] = "int",	      [KTRACE_UINT] = "uint",
	[KTRACE_POINTER] = "pointer", [KTRACE_STRING] = "string",
	[KTRACE_ARRAY] = "array",     [KTRACE_BITMASK] = "bitmask",
	[KTRACE_BYTES] = "bytes",
};

static const char *const dyn_kinds[] = {
	[KTRACE_INT] = NULL,	     [KTRACE_UINT] = NULL,
	[KTRACE_POINTER] = NULL,     [KTRACE_STRING] = "dynstring",
	[KTRACE_ARRAY] = "dynarray", [KTRACE_BITMASK] = "dynbitmask",
	[KTRACE_BYTES] = "dynbytes",
};

static const char *const rel_kinds[] = {
	[KTRACE_INT] = NULL,	     [KTRACE_UINT] = NULL,
	[KTRACE_POINTER] = NULL,     [KTRACE_STRING] = "relstring",
	[KTRACE_ARRAY] = "relarray", [KTRACE_BITMASK] = "relbitmask",
	[KTRACE_BYTES] = "relbytes",
};

static const char *const *const place_kinds[] = {
	[KTRACE_FIXED] = kinds,
	[KTRACE_DATA_LOC] = dyn_kinds,
	[KTRACE_REL_LOC] = rel_kinds,
};

static const char *const bases[] = {
	[KTRACE_DEC] = "dec",		[KTRACE_HEX] = "hex",
	[KTRACE_OCT] = "oct",		[KTRACE_BOOL] = "bool",
	[KTRACE_DEV] = "dev",		[KTRACE_SYMBOL] = "symbol",
	[KTRACE_MAC] = "mac",		[KTRACE_IP4] = "ip4",
	[KTRACE_IP6] = "ip6",		[KTRACE_UUID] = "uuid",
	[KTRACE_SOCKADDR] = "sockaddr", [KTRACE_FLOAT] = "float",
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

const char *kind_name(enum ktrace_kind kind, enum ktrace_place place)
{
	const char *name = place_kinds[place][kind];

	return name ? name : "bytes";
}

int kind_parse(const char *name, enum ktrace_kind *kind,
	       enum ktrace_place *place)
{
	size_t p, k;

	for (p = 0; p < NR(place_kinds); p++) {
		for (k = 0; k < NR(kinds); k++) {
			const char *s = place_kinds[p][k];

			if (s && !strcmp(s, name)) {
				*kind = k;
				*place = p;
				return 0;
			}
		}
	}
	return -EINVAL;
}

const char *base_name(enum ktrace_base base)
{
	return bases[base];
}

int base_parse(const char *name, enum ktrace_base *base)
{
	size_t i;

	for (i = 0; i < NR(bases); i++) {
		if (!strcmp(bases[i], name)) {
			*base = i;
			return 0;
		}
	}
	return -EINVAL;
}

struct ktrace_types *types_create(void)
{
	return calloc(1, sizeof(struct ktrace_types));
}

struct ktrace_types *types_hold(struct ktrace_types *types)
{
	types->shares++;
	return types;
}

void ktrace_types_destroy(struct ktrace_types *types)
{
	if (!types)
		return;
	if (types->shares) {
		types->shares--;
		return;
	}
	arena_destroy(&types->arena);
	free(types->types);
	free(types->by_id);
	free(types->texts);
	for (size_t i = 0; i < types->nr_variants; i++)
		free(types->variants[i].by_index);
	free(types->variants);
	free(types->layouts);
	table_free(&types->layouts_by_name);
	free(types);
}

static bool integer_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static int field_check(const struct ktrace_type *type,
		       const struct ktrace_field *field)
{
	if (field->offset > type->size ||
	    field->size > type->size - field->offset)
		return -EINVAL;
	if (field->place != KTRACE_FIXED &&
	    (field->size != 4 || !type->dynamic))
		return -EINVAL;

	switch (field->kind) {
	case KTRACE_INT:
	case KTRACE_UINT:
	case KTRACE_POINTER:
		return integer_size(field->size) ? 0 : -EINVAL;
	case KTRACE_ARRAY:
	case KTRACE_BITMASK:
		return integer_size(field->elem) ? 0 : -EINVAL;
	default:
		return 0;
	}
}

/* How many ids a type has, from its own on. */
static uint32_t type_ids(const struct ktrace_type *type)
{
	return type->short_size ? 2 : 1;
}

static int types_index(struct ktrace_types *types, struct ktrace_type *type)
{
	uint32_t end = type->id + type_ids(type), id;

	if (end > types->nr_ids) {
		size_t nr = types->nr_ids ? types->nr_ids : 1024;
		struct ktrace_type **by_id;

		while (nr < end)
			nr *= 2;
		by_id = realloc(types->by_id, nr * sizeof(*by_id));
		if (!by_id)
			return -ENOMEM;
		memset(by_id + types->nr_ids, 0,
		       (nr - types->nr_ids) * sizeof(*by_id));
		types->by_id = by_id;
		types->nr_ids = nr;
	}
	for (id = type->id; id < end; id++)
		if (types->by_id[id])
			return error_set(-EEXIST, "event id %u is given twice",
					 id);
	for (id = type->id; id < end; id++)
		types->by_id[id] = type;
	return 0;
}

static int type_check(const struct ktrace_type *type)
{
	uint32_t i;

	if (type->size > KT_PACKET_SIZE || type->short_size > type->size ||
	    type->id > TYPE_ID_MAX - type_ids(type))
		return error_set(-EINVAL, "%s:%s: size or id is out of range",
				 type->system, type->name);
	for (i = 0; i < type->nr_fields; i++) {
		if (field_check(type, &type->fields[i]))
			return error_set(-EINVAL,
					 "%s:%s: field %s is not sound",
					 type->system, type->name,
					 type->fields[i].name);
	}
	return 0;
}

/* Makes room for one more. */
static int types_room(struct ktrace_types *types)
{
	if (types->count == types->room) {
		size_t room = types->room ? types->room * 2 : 256;
		struct ktrace_type **list =
			realloc(types->types, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		types->types = list;
		types->room = room;
	}
	return 0;
}

static void types_append(struct ktrace_types *types, struct ktrace_type *type)
{
	type->number = types->count;
	types->types[types->count++] = type;
}

int types_add(struct ktrace_types *types, struct ktrace_type *type)
{
	int err = type_check(type) ?: types_room(types);

	/* A type that is not enabled has no id yet. */
	if (!err && type->id)
		err = types_index(types, type);
	if (!err)
		types_append(types, type);
	return err;
}

/* ---- variants ------------------------------------------------------------- */

/* NULL: there are none. */
static struct type_variants *variants_find(const struct ktrace_types *types,
					   uint32_t id)
{
	for (size_t i = 0; i < types->nr_variants; i++)
		if (types->variants[i].id == id)
			return &types->variants[i];
	return NULL;
}

/* NULL: out of memory. */
static struct type_variants *variants_add(struct ktrace_types *types,
					  uint32_t id)
{
	struct type_variants *list;

	list = realloc(types->variants,
		       (types->nr_variants + 1) * sizeof(*list));
	if (!list)
		return NULL;
	types->variants = list;
	list += types->nr_variants++;
	*list = (struct type_variants){.id = id};
	return list;
}

static int variants_room(struct type_variants *variants, uint32_t index)
{
	size_t nr = variants->nr ? variants->nr : 256;
	const struct ktrace_type **list;

	if (index < variants->nr)
		return 0;
	while (nr <= index)
		nr *= 2;
	list = realloc(variants->by_index, nr * sizeof(*list));
	if (!list)
		return -ENOMEM;
	memset(list + variants->nr, 0, (nr - variants->nr) * sizeof(*list));
	variants->by_index = list;
	variants->nr = nr;
	return 0;
}

int types_add_variant(struct ktrace_types *types, uint32_t id, uint32_t index,
		      struct ktrace_type *type)
{
	const struct ktrace_type *base = ktrace_types_find(types, id);
	struct type_variants *variants;
	int err;

	if (!base)
		return -ENOENT;
	type->id = id;
	type->index = index;
	type->variant_of = base;
	/* So a payload of this type has an index. */
	if (base->size < sizeof(index) || index >= TYPE_INDEX_MAX)
		return -EINVAL;
	err = type_check(type) ?: types_room(types);
	if (err)
		return err;
	variants = variants_find(types, id);
	if (!variants && types->nr_variants == TYPE_VARIANTS_MAX)
		return error_set(-EINVAL, "too many types have variants");
	if (!variants)
		variants = variants_add(types, id);
	err = variants ? variants_room(variants, index) : -ENOMEM;
	if (err)
		return err;
	if (variants->by_index[index])
		return error_set(-EEXIST, "variant %u of %s:%s is given twice",
				 index, base->system, base->name);
	variants->by_index[index] = type;
	types_append(types, type);
	return 0;
}

int types_find_variants(struct ktrace_types *types, uint32_t id,
			types_find_fn *find, void *data)
{
	struct type_variants *variants = variants_find(types, id);

	if (!variants && !find)
		return 0;
	if (!variants && types->nr_variants == TYPE_VARIANTS_MAX)
		return error_set(-EINVAL, "too many types have variants");
	if (!variants)
		variants = variants_add(types, id);
	if (!variants)
		return error_set(-ENOMEM, "out of memory");
	variants->find = find;
	variants->data = data;
	return 0;
}

/* Asks for the variant once.  If there is none, it is @type. */
static const struct ktrace_type *variant_ask(const struct ktrace_types *types,
					     const struct ktrace_type *type,
					     const struct type_variants *ask,
					     uint32_t index)
{
	/* This changes no answer, so that the set counts as const. */
	struct ktrace_types *cache = (struct ktrace_types *)types;
	struct type_variants *variants;

	if (index >= TYPE_INDEX_MAX)
		return type;
	ask->find(ask->data, cache, index);
	variants = variants_find(types, type->id);
	if (variants_room(variants, index))
		return type;
	if (!variants->by_index[index])
		variants->by_index[index] = type;
	return variants->by_index[index];
}

const struct ktrace_type *types_variant(const struct ktrace_types *types,
					const struct ktrace_type *type,
					const uint8_t *payload, uint32_t size)
{
	const struct type_variants *variants = variants_find(types, type->id);
	const struct ktrace_type *variant;
	uint32_t index;

	if (!variants || size < sizeof(index))
		return type;
	memcpy(&index, payload, sizeof(index));
	variant = index < variants->nr ? variants->by_index[index] : NULL;
	if (!variant && variants->find)
		variant = variant_ask(types, type, variants, index);
	/* Whoever decodes relies on the size. */
	return variant && variant->size <= size ? variant : type;
}

int types_add_text(struct ktrace_types *types, uint32_t id,
		   const struct type_text *text)
{
	struct type_text *texts;

	if (!id || id >= TYPE_ID_MAX || text->size > KT_PACKET_SIZE)
		return -EINVAL;
	if (id >= types->nr_text_ids) {
		size_t nr = types->nr_text_ids ? types->nr_text_ids : 1024;

		while (nr <= id)
			nr *= 2;
		texts = realloc(types->texts, nr * sizeof(*texts));
		if (!texts)
			return -ENOMEM;
		memset(texts + types->nr_text_ids, 0,
		       (nr - types->nr_text_ids) * sizeof(*texts));
		types->texts = texts;
		types->nr_text_ids = nr;
	}
	if (types->texts[id].text || (id < types->nr_ids && types->by_id[id]))
		return 0;
	types->texts[id] = *text;
	types->nr_texts++;
	return 0;
}

static bool type_is_text(const struct ktrace_types *types, uint32_t id)
{
	return id < types->nr_text_ids && types->texts[id].text;
}

/* Parses the text.  NULL: no memory, or the type is not valid. */
static const struct ktrace_type *type_take(const struct ktrace_types *types,
					   uint32_t id)
{
	/* Parsing changes no answer, so that the set counts as const. */
	struct ktrace_types *cache = (struct ktrace_types *)types;
	struct type_text text = types->texts[id];

	cache->texts[id].text = NULL;
	cache->nr_texts--;
	if (types->take(cache, &text))
		return NULL;
	return id < types->nr_ids ? types->by_id[id] : NULL;
}

void types_take_all(const struct ktrace_types *types)
{
	for (uint32_t id = 0; types->nr_texts && id < types->nr_text_ids; id++)
		if (type_is_text(types, id))
			type_take(types, id);
}

size_t types_total(const struct ktrace_types *types)
{
	return types->count + types->nr_texts;
}

size_t types_ids(const struct ktrace_types *types)
{
	return types->nr_ids > types->nr_text_ids ? types->nr_ids
						  : types->nr_text_ids;
}

bool types_size(const struct ktrace_types *types, uint32_t id, uint32_t *size,
		bool *dynamic)
{
	const struct ktrace_type *type =
		id < types->nr_ids ? types->by_id[id] : NULL;
	bool is_text = !type && type_is_text(types, id);

	if (!type && !is_text)
		return false;
	if (is_text) {
		*size = types->texts[id].size;
		*dynamic = types->texts[id].dynamic;
	} else if (id == type->id) {
		*size = type->size;
		*dynamic = type->dynamic;
	} else {
		*size = type->short_size;
		*dynamic = false;
	}
	return true;
}

int types_add_layout(struct ktrace_types *types,
		     const struct ktrace_layout *layout)
{
	size_t nr = types->nr_layouts;
	struct ktrace_layout **list, *copy;

	if (ktrace_layout_find(types, layout->name))
		return 0;
	list = array_grow(types->layouts, nr, sizeof(*list));
	if (!list)
		return -ENOMEM;
	types->layouts = list;
	copy = arena_alloc(&types->arena, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *layout;
	if (table_add(&types->layouts_by_name,
		      table_hash(copy->name, strlen(copy->name)), copy))
		return -ENOMEM;
	types->layouts[types->nr_layouts++] = copy;
	return 0;
}

int types_move(struct ktrace_types *types, struct ktrace_types *from)
{
	int err = 0;

	arena_join(&types->arena, &from->arena);
	for (size_t i = 0; !err && i < from->nr_layouts; i++)
		err = types_add_layout(types, from->layouts[i]);
	for (size_t i = 0; !err && i < from->count; i++)
		if (!ktrace_types_find(types, from->types[i]->id))
			err = types_add(types, from->types[i]);
	for (uint32_t id = 0; !err && id < from->nr_text_ids; id++)
		if (from->texts[id].text)
			err = types_add_text(types, id, &from->texts[id]);
	if (from->take) {
		types->take = from->take;
		types->enums = from->enums;
	}
	ktrace_types_destroy(from);
	return err ? error_set(err, "out of memory") : 0;
}

const struct ktrace_layout *ktrace_layout_find(const struct ktrace_types *types,
					       const char *name)
{
	uint64_t hash = table_hash(name, strlen(name));
	const struct table_slot *slot = NULL;

	while ((slot = table_next(&types->layouts_by_name, hash, slot))) {
		const struct ktrace_layout *layout = slot->value;

		if (!strcmp(layout->name, name))
			return layout;
	}
	return NULL;
}

bool type_shows_symbols(const struct ktrace_type *type)
{
	for (uint32_t i = 0; i < type->nr_fields; i++)
		if (type->fields[i].base == KTRACE_SYMBOL)
			return true;
	return false;
}

/* Ids of stacks, and of branches, are the last fields.  Markers have arguments, which may have any name. */
const struct ktrace_field *type_stack_field(const struct ktrace_type *type,
					    const char *name)
{
	if (type->marker)
		return NULL;
	for (uint32_t n = 1; n <= 3 && n <= type->nr_fields; n++) {
		const struct ktrace_field *field =
			&type->fields[type->nr_fields - n];

		if (!strcmp(field->name, name))
			return field;
	}
	return NULL;
}

bool type_has_stack(const struct ktrace_type *type)
{
	return type_stack_field(type, KT_STACK_FIELD) ||
	       type_stack_field(type, KT_USER_STACK_FIELD);
}

size_t ktrace_types_count(const struct ktrace_types *types)
{
	types_take_all(types);
	return types->count;
}

const struct ktrace_type *ktrace_types_get(const struct ktrace_types *types,
					   size_t index)
{
	types_take_all(types);
	return index < types->count ? types->types[index] : NULL;
}

const struct ktrace_type *ktrace_types_find(const struct ktrace_types *types,
					    uint32_t id)
{
	if (id < types->nr_ids && types->by_id[id])
		return types->by_id[id];
	return type_is_text(types, id) ? type_take(types, id) : NULL;
}

const struct ktrace_field *ktrace_field_find(const struct ktrace_type *type,
					     const char *name)
{
	uint32_t i;

	for (i = 0; i < type->nr_fields; i++) {
		if (!strcmp(type->fields[i].name, name))
			return &type->fields[i];
	}
	return NULL;
}

int64_t ktrace_field_int(const struct ktrace_event *event,
			 const struct ktrace_field *field)
{
	const uint8_t *p = event->payload + field->offset;
	bool sign = field->kind == KTRACE_INT;
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	if (field->kind > KTRACE_POINTER ||
	    field->offset + field->size > event->size)
		return 0;
	switch (field->size) {
	case 1:
		return sign ? (int8_t)*p : (int64_t)*p;
	case 2:
		memcpy(&u16, p, sizeof(u16));
		return sign ? (int16_t)u16 : (int64_t)u16;
	case 4:
		memcpy(&u32, p, sizeof(u32));
		return sign ? (int32_t)u32 : (int64_t)u32;
	default:
		memcpy(&u64, p, sizeof(u64));
		return u64;
	}
}

int ktrace_field_error(const struct ktrace_field *field, int64_t value)
{
	if (field->names || value >= 0 || value < -4095)
		return 0;
	if (field->kind == KTRACE_INT)
		return field->size >= 4 && field->base == KTRACE_DEC ? -value
								     : 0;
	return field->kind == KTRACE_POINTER ? -value : 0;
}

const uint8_t *ktrace_field_bytes(const struct ktrace_event *event,
				  const struct ktrace_field *field,
				  size_t *size)
{
	uint64_t offset = field->offset;
	uint64_t len = field->size;

	*size = 0;
	if (offset + len > event->size)
		return event->payload;
	if (field->place != KTRACE_FIXED) {
		uint32_t loc;

		memcpy(&loc, event->payload + offset, sizeof(loc));
		if (field->place == KTRACE_REL_LOC)
			offset += sizeof(loc);
		else
			offset = 0;
		offset += loc & 0xffff;
		len = loc >> 16;
		if (offset > event->size)
			return event->payload;
		if (len > event->size - offset)
			len = event->size - offset;
	}
	if (field->kind == KTRACE_STRING)
		len = strnlen((const char *)event->payload + offset, len);
	*size = len;
	return event->payload + offset;
}
