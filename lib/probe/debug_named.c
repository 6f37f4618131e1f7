// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What names of types mean: debug_named.h. */
#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "debug_language.h"
#include "debug_named.h"

struct debug_named {
	struct debug_named *next;
	const char *tag; /* "struct", "union", "enum" or "" */
	const char *name;
	__u32 type;
	int depth; /* < 0: it is in other spaces */
	Dwarf_Die die;
	Dwarf_Die second; /* as near, if @many */
	bool many;
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

static struct debug_named *named_find(const struct debug_code *code,
				      const char *tag, const char *name)
{
	for (struct debug_named *n = code->named; n; n = n->next)
		if (!strcmp(n->tag, tag) && !strcmp(n->name, name))
			return n;
	return NULL;
}

static int many_refuse(struct debug_code *code, struct debug_named *n)
{
	const char *gap = *n->tag ? " " : "";
	struct debug_spaces spaces;
	struct text first = {0}, second = {0};
	int err;

	debug_spaces_read(code, &n->die, &spaces);
	debug_spaces_write(&spaces, &first);
	debug_spaces_read(code, &n->second, &spaces);
	debug_spaces_write(&spaces, &second);
	err = error_set(-EINVAL,
			"`%s%s%s': several types have this name, and none of "
			"them is in what this function is in: %s%s, %s%s",
			n->tag, gap, n->name, first.s ?: "", n->name,
			second.s ?: "", n->name);
	text_free(&first);
	text_free(&second);
	return err;
}

int debug_named_find(struct debug_code *code, const char *tag, const char *name)
{
	struct debug_named *n = named_find(code, tag, name);

	if (n && n->many)
		return many_refuse(code, n);
	return n ? (int)n->type : 0;
}

bool debug_named_is_known(const struct debug_code *code, const char *tag,
			  const char *name)
{
	struct debug_named *n = named_find(code, tag, name);

	return n && n->depth >= 0;
}

/* In C there are none. */
static void spaces_read(struct debug_code *code, Dwarf_Die *die,
			struct debug_spaces *spaces)
{
	Dwarf_Die unit;

	spaces->nr = 0;
	if (!dwarf_diecu(die, &unit, NULL, NULL) || !debug_unit_is_c(&unit))
		debug_spaces_read(code, die, spaces);
}

static int depth_of(const struct debug_spaces *around, bool own,
		    const struct debug_spaces *spaces)
{
	/* No other unit knows what is in a namespace without a name. */
	for (unsigned int i = 0; !own && i < spaces->nr; i++)
		if (!spaces->list[i].name)
			return -1;
	return debug_spaces_depth(around, spaces);
}

int debug_named_keep(struct debug_code *code, const struct debug_spaces *around,
		     bool own, Dwarf_Die *die, __u32 type)
{
	const char *name = debug_name(die), *tag = tag_of(die);
	struct debug_named *n = named_find(code, tag, name);
	struct debug_spaces spaces, other;
	int depth;

	spaces_read(code, die, &spaces);
	depth = depth_of(around, own, &spaces);
	if (n && depth < n->depth)
		return 0;
	if (n && depth == n->depth) {
		spaces_read(code, &n->die, &other);
		if (!n->many && !debug_spaces_are_same(&spaces, &other)) {
			n->many = true;
			n->second = *die;
		}
		return 0;
	}
	if (!n) {
		n = arena_alloc(&code->arena, sizeof(*n));
		if (!n)
			return -ENOMEM;
		n->next = code->named;
		code->named = n;
	}
	*n = (struct debug_named){
		.next = n->next,
		.tag = tag,
		.name = name,
		.type = type,
		.depth = depth,
		.die = *die,
	};
	return 0;
}
