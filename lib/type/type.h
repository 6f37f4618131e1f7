/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sets of event types.  Whoever makes a type (kernel/format.c from the kernel's text,
 * read/metadata.c from a trace) fills it in from the set's arena and adds it; adding
 * checks it, so that whoever decodes need not:
 *
 *	each field lies in the payload's fixed part;
 *	an integer has 1, 2, 4 or 8 bytes, elements likewise;
 *	what lies elsewhere in the payload has a 4-byte word that says where.
 */
#ifndef KT_LIB_TYPE_H
#define KT_LIB_TYPE_H

#include <ktrace/types.h>

#include "base/arena.h"
#include "base/table.h"

/* Ids are dense; a larger one is damage. */
#define TYPE_ID_MAX (1u << 20)

/*
 * A type that was not taken apart yet: of most nobody asks for more than their size.  All
 * others know nothing of it: ktrace_types_find() makes it one of them.
 */
struct type_text {
	const char *
		text; /* of the set's arena; NULL: there is none with this id */
	uint32_t length;
	uint32_t size;
	bool dynamic;
};

struct enums;

struct ktrace_types {
	uint32_t shares; /* how many more hold it; of one thread */
	struct arena arena;
	struct ktrace_type **types;
	size_t count;
	size_t room;
	struct ktrace_type **by_id;
	size_t nr_ids;
	struct type_text *texts; /* by id */
	size_t nr_text_ids;
	size_t nr_texts; /* that are not among @types yet */
	int (*take)(struct ktrace_types *types, const struct type_text *text);
	struct enums *enums;		/* not ours: for take() */
	struct ktrace_layout **layouts; /* as they came */
	size_t nr_layouts;
	struct table layouts_by_name;
};

struct ktrace_types *types_create(void);
/* For one more who destroys it. */
struct ktrace_types *types_hold(struct ktrace_types *types);
/* All that @from has, which is destroyed.  Of two with one id the first stays. */
int types_move(struct ktrace_types *types, struct ktrace_types *from);
/* -EINVAL: the type is not sound; -EEXIST: its id is taken. */
int types_add(struct ktrace_types *types, struct ktrace_type *type);

/* Puts the text of a type in; -ENOMEM, -EINVAL. */
int types_add_text(struct ktrace_types *types, uint32_t id,
		   const struct type_text *text);
/* Types with an id, those that are texts among them: grows with each that is added. */
size_t types_total(const struct ktrace_types *types);
/* How large the type's payload is, without a look at its fields; false: there is none. */
bool types_size(const struct ktrace_types *types, uint32_t id, uint32_t *size,
		bool *dynamic);
/* Ids of types are smaller. */
size_t types_ids(const struct ktrace_types *types);
/* Takes apart what is left. */
void types_take_all(const struct ktrace_types *types);

/* Takes over what the layout points to, which is the arena's.  -ENOMEM. */
int types_add_layout(struct ktrace_types *types,
		     const struct ktrace_layout *layout);

const char *kind_name(enum ktrace_kind kind, enum ktrace_place place);
int kind_parse(const char *name, enum ktrace_kind *kind,
	       enum ktrace_place *place);
const char *base_name(enum ktrace_base base);
int base_parse(const char *name, enum ktrace_base *base);

#endif /* KT_LIB_TYPE_H */
