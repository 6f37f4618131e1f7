// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What names of types mean: debug_named.h. */
#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "debug_named.h"

struct debug_named {
	struct debug_named *next;
	const char *tag; /* "struct", "union", "enum" or "" */
	const char *name;
	__u32 type;
};

static const char *tag_of(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_union_type:
		return "union";
	case DW_TAG_enumeration_type:
		return "enum";
	case DW_TAG_typedef:
	case DW_TAG_base_type:
		return "";
	default:
		return "struct";
	}
}

int debug_named_find(struct debug_code *code, const char *tag, const char *name)
{
	for (struct debug_named *n = code->named; n; n = n->next)
		if (!strcmp(n->tag, tag) && !strcmp(n->name, name))
			return n->type;
	return 0;
}

int debug_named_keep(struct debug_code *code, Dwarf_Die *die, __u32 type)
{
	struct debug_named *new;

	if (debug_named_find(code, tag_of(die), debug_name(die)))
		return 0;
	new = arena_alloc(&code->arena, sizeof(*new));
	if (!new)
		return -ENOMEM;
	*new = (struct debug_named){code->named, tag_of(die), debug_name(die),
				    type};
	code->named = new;
	return 0;
}
