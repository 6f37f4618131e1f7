// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Types that the kernel's own type information has: debug_known.h. */
#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "debug_known.h"
#include "debug_type.h"

/* What is added to a type information makes libbpf move the one that it is based on. */
void debug_type_base(struct debug_code *code, const struct btf *base,
		     const struct btf *others)
{
	const void *bytes;
	__u32 size;

	if (code->btf || code->base)
		return;
	bytes = btf__raw_data(base, &size);
	code->base = bytes ? btf__new(bytes, size) : NULL;
	code->others = others;
}

/* Kinds of one of these groups stand for each other. */
static int kind_group(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_ENUM64:
		return BTF_KIND_ENUM;
	case BTF_KIND_INT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_TYPEDEF:
		return btf_kind(t);
	default:
		return 0;
	}
}

static int tag_group(int tag)
{
	switch (tag) {
	case DW_TAG_base_type:
		return BTF_KIND_INT;
	case DW_TAG_structure_type:
		return BTF_KIND_STRUCT;
	case DW_TAG_union_type:
		return BTF_KIND_UNION;
	case DW_TAG_enumeration_type:
		return BTF_KIND_ENUM;
	case DW_TAG_typedef:
		return BTF_KIND_TYPEDEF;
	default:
		return 0;
	}
}

static const struct btf_type *known_type(const struct debug_code *code,
					 __u32 id, const char **name)
{
	const struct btf *btf = code->others ?: code->base;
	const struct btf_type *t = btf__type_by_id(btf, id);

	*name = t ? btf__name_by_offset(btf, t->name_off) : NULL;
	return *name && **name && kind_group(t) ? t : NULL;
}

/* Numbers of those that only the module has come behind the kernel's. */
int known_read(struct debug_code *code)
{
	__u32 nr = btf__type_cnt(code->others ?: code->base);
	const char *name;

	if (code->known.nr)
		return 0;
	for (__u32 id = 1; id < nr; id++)
		if (known_type(code, id, &name) &&
		    table_add(&code->known, table_hash(name, strlen(name)),
			      (void *)(uintptr_t)id))
			return -ENOMEM;
	return 0;
}

__u32 known_find(struct debug_code *code, const char *name, int group)
{
	const struct table_slot *slot = NULL;
	const struct btf_type *t;
	__u32 found = 0, id;
	const char *own;

	while ((slot = table_next(&code->known, table_hash(name, strlen(name)),
				  slot))) {
		id = (uintptr_t)slot->value;
		t = known_type(code, id, &own);
		if (!t || kind_group(t) != group || strcmp(own, name))
			continue;
		if (found)
			return 0;
		found = id;
	}
	return found < btf__type_cnt(code->base) ? found : 0;
}

__u32 known_same(struct debug_code *code, Dwarf_Die *type)
{
	int group = tag_group(dwarf_tag(type));
	const char *name = debug_name(type);
	uint64_t size;
	__u32 id;

	if (!code->base || !group || !name || group == BTF_KIND_INT)
		return 0;
	id = known_find(code, name, group);
	if (!id || group == BTF_KIND_TYPEDEF || debug_is_declaration(type))
		return id;
	return debug_number(type, DW_AT_byte_size, &size) &&
			       size == btf__type_by_id(code->base, id)->size
		       ? id
		       : 0;
}
