/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sets of event types.  A type is made from the kernel's text (kernel/format.c)
 * or from the metadata of a trace (read/metadata.c), in memory of the set's
 * arena, then added.  types_add() checks it, so that code that decodes need not
 * check:
 *
 *	each field lies in the payload's fixed part;
 *	an integer, or an element of an array, has 1, 2, 4 or 8 bytes;
 *	a field whose data is elsewhere in the payload has a word of 4 bytes
 *	that says where.
 */
#ifndef KT_LIB_TYPE_H
#define KT_LIB_TYPE_H

#include <ktrace/types.h>

#include "base/arena.h"
#include "base/table.h"

/* Ids are dense.  A larger one is an error in the trace. */
#define TYPE_ID_MAX (1u << 20)
/* The same is true of the indices of variants, and of types that have some. */
#define TYPE_INDEX_MAX	  (1u << 20)
#define TYPE_VARIANTS_MAX 8

/*
 * A type whose text has not been parsed yet.  For most types only the size is
 * ever asked for.  ktrace_types_find() parses the text when a type is first
 * looked up, so that users of the set see no difference.
 */
struct type_text {
	const char *text; /* in the set's arena; NULL: no type has this id */
	uint32_t length;
	uint32_t size;
	bool dynamic;
};

/*
 * Adds the variants for payloads that begin with @index, of all types that have such.
 * Returns 0 also if there are none, or a negative errno.
 */
typedef int types_find_fn(void *data, struct ktrace_types *types,
			  uint32_t index);

/* The variants of a type. */
struct type_variants {
	uint32_t id;
	/* NULL: unknown; the type itself: there is none */
	const struct ktrace_type **by_index;
	size_t nr;
	types_find_fn *find; /* asked for those that are unknown; may be NULL */
	void *data;
};

struct enums;

struct ktrace_types {
	uint32_t shares; /* number of other holders; used by one thread only */
	struct arena arena;
	struct ktrace_type **types;
	size_t count;
	size_t room;
	struct ktrace_type **by_id;
	size_t nr_ids;
	struct type_text *texts; /* by id */
	size_t nr_text_ids;
	size_t nr_texts; /* that have not been parsed */
	struct type_variants *variants;
	size_t nr_variants;
	int (*take)(struct ktrace_types *types, const struct type_text *text);
	struct enums *enums;		/* owned by somebody else; for take() */
	struct ktrace_layout **layouts; /* in the order of addition */
	size_t nr_layouts;
	struct table layouts_by_name;
};

struct ktrace_types *types_create(void);
/* Adds a holder.  Each holder calls ktrace_types_destroy(). */
struct ktrace_types *types_hold(struct ktrace_types *types);
/*
 * Moves all types of @from, which is destroyed.  If both have an id, @types
 * keeps its own.
 */
int types_move(struct ktrace_types *types, struct ktrace_types *from);
/* -EINVAL: the type is not valid; -EEXIST: its id is taken. */
int types_add(struct ktrace_types *types, struct ktrace_type *type);

/*
 * Adds a variant of the type @id, for payloads that begin with @index.  -ENOENT: there is no
 * such type; otherwise as types_add().
 */
int types_add_variant(struct ktrace_types *types, uint32_t id, uint32_t index,
		      struct ktrace_type *type);
/*
 * Makes @find be asked for variants of the type @id when a payload needs them, because there
 * may be many.  NULL: no longer.  -ENOMEM.
 */
int types_find_variants(struct ktrace_types *types, uint32_t id,
			types_find_fn *find, void *data);
/* The variant of @type for this payload; if there is none, @type. */
const struct ktrace_type *types_variant(const struct ktrace_types *types,
					const struct ktrace_type *type,
					const uint8_t *payload, uint32_t size);

/* Adds the text of a type.  -ENOMEM, -EINVAL. */
int types_add_text(struct ktrace_types *types, uint32_t id,
		   const struct type_text *text);
/* The number of types, parsed or not. */
size_t types_total(const struct ktrace_types *types);
/*
 * The size of the type's payload; does not parse its text.  False: no such
 * type.
 */
bool types_size(const struct ktrace_types *types, uint32_t id, uint32_t *size,
		bool *dynamic);
/* All ids are smaller than this. */
size_t types_ids(const struct ktrace_types *types);
/* Parses all texts. */
void types_take_all(const struct ktrace_types *types);

/* Keeps what the layout points to: it must be in the arena.  -ENOMEM. */
int types_add_layout(struct ktrace_types *types,
		     const struct ktrace_layout *layout);

/* Does a field have the address of a function? */
bool type_shows_symbols(const struct ktrace_type *type);

/* Has it a stack? */
bool type_has_stack(const struct ktrace_type *type);
/* @name: KT_STACK_FIELD, KT_USER_STACK_FIELD or KT_BRANCHES_FIELD.  NULL: it has none of these. */
const struct ktrace_field *type_stack_field(const struct ktrace_type *type,
					    const char *name);

const char *kind_name(enum ktrace_kind kind, enum ktrace_place place);
int kind_parse(const char *name, enum ktrace_kind *kind,
	       enum ktrace_place *place);
const char *base_name(enum ktrace_base base);
int base_parse(const char *name, enum ktrace_base *base);

#endif /* KT_LIB_TYPE_H */
