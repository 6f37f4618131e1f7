// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Types: debug_type.h.
 *
 * A type leads to others, and these lead back: a struct has a pointer to itself.  So all that a
 * type leads to is collected first, in a queue, and each gets its number.  Then they are added in
 * that order, when all numbers are known.  Nothing here calls itself, so no file leads deep.
 */
#include <ctype.h>
#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/text.h"
#include "debug_base.h"
#include "debug_bound.h"
#include "debug_definition.h"
#include "debug_known.h"
#include "debug_language.h"
#include "debug_named.h"
#include "debug_type.h"

/* No program has as many. */
#define TYPES_MAX (1 << 20)
/* Qualifiers of qualifiers, which are left out. */
#define CHAIN_MAX      32
#define DIMENSIONS_MAX 16

/* What is still to be added. */
struct queue {
	struct debug_code *code;
	Dwarf_Die *list;
	size_t nr;
	__u32 next; /* the number that the next one will have */
	int err;
};

/* ---- what all files have ------------------------------------------------------ */

/*
 * A struct that is nowhere defined.  Expressions would look for another declaration's definition by
 * its name alone, so it is a name that is no struct's.
 */
static int unknown_add(struct debug_code *code, const char *name, bool is_union)
{
	struct text text = {0};
	int id;

	text_printf(&text, "%s %s", is_union ? "union" : "struct", name);
	id = text.failed ? -ENOMEM : btf__add_typedef(code->btf, text.s, 0);
	text_free(&text);
	return id;
}

static int types_begin(struct debug_code *code)
{
	int err = 0;

	if (code->btf)
		return 0;
	code->btf = code->base ? btf__new_empty_split(code->base)
			       : btf__new_empty();
	if (!code->btf)
		return -ENOMEM;
	if (code->base)
		err = known_read(code);
	if (!err)
		err = debug_base_begin(code, "long unsigned int", 8, 0);
	code->index_type = err;
	/* Of what has it nothing is known, and so not how it is passed. */
	if (err > 0)
		err = unknown_add(code, "class", false);
	code->unknown_type = err;
	if (err > 0)
		err = btf__add_float(code->btf, "float", 4);
	code->float_type = err;
	if (err > 0)
		err = debug_base_begin(code, "long int", 8, BTF_INT_SIGNED);
	code->long_type = err;
	if (err > 0)
		err = debug_bases_begin(code);
	if (err >= 0)
		return 0;
	/* Nothing is to be taken for what has been made. */
	btf__free(code->btf);
	code->btf = NULL;
	table_free(&code->known);
	table_free(&code->bases);
	return err;
}

/* ---- what leads where -------------------------------------------------------- */

/* What expressions need not know. */
static bool is_left_out(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
	case DW_TAG_immutable_type:
	case DW_TAG_subrange_type:
		return true;
	default:
		return false;
	}
}

/* ---- collecting --------------------------------------------------------------- */

static __u32 id_find(const struct debug_code *code, const Dwarf_Die *type)
{
	return (uintptr_t)table_find(&code->types, (uintptr_t)type->addr);
}

/* How many of an array's types there are: one for each dimension. */
static unsigned int dimensions(Dwarf_Die *array,
			       uint32_t counts[DIMENSIONS_MAX])
{
	unsigned int nr = 0;
	uint64_t number;
	Dwarf_Die child;

	if (!dwarf_child(array, &child)) {
		do {
			int tag = dwarf_tag(&child);

			if (tag != DW_TAG_subrange_type &&
			    tag != DW_TAG_enumeration_type)
				continue;
			counts[nr] = 0;
			/* An array of 0 elements ends at -1. */
			if (debug_number(&child, DW_AT_count, &number))
				counts[nr] = number < UINT32_MAX ? number : 0;
			else if (debug_number(&child, DW_AT_upper_bound,
					      &number))
				counts[nr] = number < UINT32_MAX - 1
						     ? number + 1
						     : 0;
			nr++;
		} while (nr < DIMENSIONS_MAX &&
			 !dwarf_siblingof(&child, &child));
	}
	if (nr)
		return nr;
	counts[0] = 0;
	return 1;
}

/* Its number; 0: error. */
static __u32 queue_add(struct queue *q, const Dwarf_Die *type)
{
	struct debug_code *code = q->code;
	Dwarf_Die *more;

	if (q->next > TYPES_MAX || !code->budget) {
		q->err =
			error_set(-EINVAL, "its type leads to too many others");
		return 0;
	}
	code->budget--;
	more = array_grow(q->list, q->nr, sizeof(*more));
	q->list = more ?: q->list;
	if (!more || table_add(&code->types, (uintptr_t)type->addr,
			       (void *)(uintptr_t)q->next)) {
		q->err = error_set(-ENOMEM, "out of memory");
		return 0;
	}
	more[q->nr++] = *type;
	return q->next++;
}

/* The number of what @of has as its type; it is added to the queue, if it is a new one. */
static __u32 type_reach(struct queue *q, Dwarf_Die *of)
{
	struct debug_code *code = q->code;
	uint32_t counts[DIMENSIONS_MAX];
	unsigned int chain = 0;
	Dwarf_Die type, whole;
	Dwarf_Attribute signature;
	__u32 id;

	if (q->err || !debug_type_die(of, &type))
		return 0;
	while (is_left_out(&type))
		if (chain++ == CHAIN_MAX || !debug_type_die(&type, &type))
			return 0;
	/* It may be in a unit of its own. */
	if (dwarf_attr(&type, DW_AT_signature, &signature) &&
	    dwarf_formref_die(&signature, &whole))
		type = whole;
	if (dwarf_tag(&type) == DW_TAG_unspecified_type)
		return 0;
	id = id_find(code, &type) ?: known_same(code, &type);
	if (id)
		return id;
	if (dwarf_tag(&type) == DW_TAG_base_type) {
		id = debug_base_same(code, &type);
	} else if (!code->base && debug_is_struct(dwarf_tag(&type)) &&
		   debug_is_declaration(&type)) {
		if (debug_definition_find(code, &type))
			id = id_find(code, &type);
	}
	if (id)
		return id;
	id = queue_add(q, &type);
	/* The first dimension is the whole; the others are behind it. */
	if (dwarf_tag(&type) == DW_TAG_array_type)
		q->next += dimensions(&type, counts) - 1;
	return id;
}

/* Is it a member of each object, which has a place in it? */
static bool is_member(Dwarf_Die *die)
{
	if (dwarf_tag(die) == DW_TAG_inheritance)
		return !dwarf_hasattr(die, DW_AT_virtuality);
	return dwarf_tag(die) == DW_TAG_member && !debug_is_declaration(die) &&
	       !debug_flag(die, DW_AT_external);
}

static bool is_parameter(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_formal_parameter;
}

/* Everything that the @index-th leads to directly. */
static void types_reach(struct queue *q, size_t index)
{
	Dwarf_Die type = q->list[index], child;
	int tag = dwarf_tag(&type);

	if (tag == DW_TAG_enumeration_type || tag == DW_TAG_base_type)
		return;
	type_reach(q, &type);
	if ((!debug_is_struct(tag) && tag != DW_TAG_subroutine_type) ||
	    dwarf_child(&type, &child))
		return;
	do {
		if (is_member(&child) || is_parameter(&child))
			type_reach(q, &child);
	} while (!q->err && debug_take(q->code) &&
		 !dwarf_siblingof(&child, &child));
}

/* ---- adding -------------------------------------------------------------------- */

/* What has so many bytes, of which no more is known: as with a float, not how it is passed. */
static int opaque_add(struct debug_code *code, const char *name, uint64_t size)
{
	int id = btf__add_struct(code->btf, name,
				 !size || size > UINT32_MAX ? 1
							    : (uint32_t)size);

	if (id > 0)
		btf__add_field(code->btf, NULL, code->float_type, 0, 0);
	return id;
}

/* A pointer to a member of C++ is a distance, and to a function of a class two words. */
static int member_pointer_add(struct debug_code *code, Dwarf_Die *type)
{
	Dwarf_Die to;
	bool is_function = debug_type_die(type, &to) && debug_type_peel(&to) &&
			   dwarf_tag(&to) == DW_TAG_subroutine_type;
	int id = btf__add_struct(code->btf, NULL, is_function ? 16 : 8);

	if (id > 0)
		btf__add_field(code->btf, NULL, code->long_type, 0, 0);
	if (id > 0 && is_function)
		btf__add_field(code->btf, NULL, code->long_type, 64, 0);
	return id;
}

static int base_add(struct debug_code *code, Dwarf_Die *type)
{
	uint64_t size = 0;
	int id = debug_base_add(code, type);

	if (id != -EINVAL)
		return id;
	/* Complex numbers, and numbers of odd sizes. */
	debug_number(type, DW_AT_byte_size, &size);
	return opaque_add(code, debug_base_name(type), size);
}

struct enumeration {
	bool is_signed;
	bool is_negative; /* one of its numbers is */
	bool is_high;	  /* one would be, if it had 32 bits with a sign */
};

static void enumerators_read(Dwarf_Die *type, struct enumeration *e)
{
	Dwarf_Die child;
	uint64_t value;

	if (dwarf_child(type, &child))
		return;
	do {
		if (dwarf_tag(&child) != DW_TAG_enumerator ||
		    !debug_constant(&child, &value))
			continue;
		if ((int64_t)value < 0)
			e->is_negative = true;
		else if ((int32_t)value < 0)
			e->is_high = true;
	} while (!dwarf_siblingof(&child, &child));
}

/* What its type says; if it has none, its numbers. */
static struct enumeration enumeration_read(Dwarf_Die *type)
{
	struct enumeration e = {0};
	uint64_t encoding = 0;
	Dwarf_Die of = *type;

	enumerators_read(type, &e);
	e.is_signed = e.is_negative;
	for (int i = 0; i < CHAIN_MAX && debug_type_die(&of, &of); i++) {
		if (dwarf_tag(&of) != DW_TAG_base_type)
			continue;
		debug_number(&of, DW_AT_encoding, &encoding);
		e.is_signed = encoding == DW_ATE_signed ||
			      encoding == DW_ATE_signed_char;
		break;
	}
	return e;
}

/* A narrow one of BTF has a sign if one of its numbers seems to have one, else it has none. */
static bool is_wide(const struct enumeration *e, uint64_t size)
{
	return size == 8 ||
	       (e->is_signed ? !e->is_negative : e->is_negative || e->is_high);
}

static int enum_add(struct debug_code *code, Dwarf_Die *type)
{
	struct enumeration e = enumeration_read(type);
	const char *name = debug_name(type);
	uint64_t size = 4, value;
	Dwarf_Die child;
	bool wide;
	int id;

	debug_number(type, DW_AT_byte_size, &size);
	wide = is_wide(&e, size);
	id = wide ? btf__add_enum64(code->btf, name, size, e.is_signed)
		  : btf__add_enum(code->btf, name, size);
	if (id < 0 || dwarf_child(type, &child))
		return id;
	do {
		const char *own = debug_name(&child);

		if (btf_vlen(btf__type_by_id(code->btf, id)) == BTF_MAX_VLEN)
			break;
		/* One that does not fit has no name. */
		if (dwarf_tag(&child) != DW_TAG_enumerator || !own ||
		    !debug_constant(&child, &value))
			continue;
		if (wide)
			btf__add_enum64_value(code->btf, own, value);
		else
			btf__add_enum_value(code->btf, own, (int64_t)value);
	} while (!dwarf_siblingof(&child, &child));
	return id;
}

/* In bits, from the beginning of the struct.  False: it is not told, or computed. */
static bool member_place(Dwarf_Die *member, uint64_t *bit, uint64_t *bits)
{
	uint64_t byte = 0, from, size;
	Dwarf_Attribute attribute;
	Dwarf_Die type;
	Dwarf_Op *ops;
	size_t nr;

	*bits = 0;
	debug_number(member, DW_AT_bit_size, bits);
	if (debug_number(member, DW_AT_data_bit_offset, bit))
		return true;
	if (dwarf_attr(member, DW_AT_data_member_location, &attribute) &&
	    !debug_number(member, DW_AT_data_member_location, &byte)) {
		/* In DWARF 2 it is an expression: behind the object's beginning. */
		if (dwarf_getlocation(&attribute, &ops, &nr) || nr != 1 ||
		    ops->atom != DW_OP_plus_uconst)
			return false;
		byte = ops->number;
	}
	*bit = 8 * byte;
	if (!*bits || !debug_number(member, DW_AT_bit_offset, &from))
		return true;
	/* Before DWARF 4: counted from the highest bit of the number that it is a part of. */
	if (!debug_number(member, DW_AT_byte_size, &size) &&
	    (!debug_type_die(member, &type) || !debug_type_peel(&type) ||
	     !debug_number(&type, DW_AT_byte_size, &size)))
		return false;
	*bit += 8 * size - from - *bits;
	return true;
}

static int struct_add(struct queue *q, Dwarf_Die *type)
{
	struct btf *btf = q->code->btf;
	const char *name = debug_name(type);
	bool is_union = dwarf_tag(type) == DW_TAG_union_type;
	uint64_t size = 0, bit, bits;
	Dwarf_Die child;
	int id;

	if (debug_is_declaration(type) && name)
		return unknown_add(q->code, name, is_union);
	debug_number(type, DW_AT_byte_size, &size);
	size = size < UINT32_MAX ? size : 0;
	id = is_union ? btf__add_union(btf, name, size)
		      : btf__add_struct(btf, name, size);
	if (id < 0 || dwarf_child(type, &child))
		return id;
	do {
		if (btf_vlen(btf__type_by_id(btf, id)) == BTF_MAX_VLEN)
			break;
		if (!is_member(&child) || !member_place(&child, &bit, &bits) ||
		    bit / 8 > size || bits > 64)
			continue;
		/* What a class is made from has no name: so its members are those of the class. */
		btf__add_field(btf,
			       dwarf_tag(&child) == DW_TAG_member
				       ? debug_name(&child)
				       : NULL,
			       type_reach(q, &child), bit, bits);
	} while (debug_take(q->code) && !dwarf_siblingof(&child, &child));
	return id;
}

/* Behind the whole are its elements, if they are arrays again. */
static int array_add(struct queue *q, Dwarf_Die *type, __u32 element)
{
	uint32_t counts[DIMENSIONS_MAX];
	unsigned int nr = dimensions(type, counts);
	__u32 first = btf__type_cnt(q->code->btf);
	int err = 0;

	for (unsigned int i = 0; err >= 0 && i < nr; i++)
		err = btf__add_array(q->code->btf, q->code->index_type,
				     i + 1 < nr ? first + i + 1 : element,
				     counts[i]);
	return err < 0 ? err : (int)first;
}

static int parameters_add(struct queue *q, Dwarf_Die *of)
{
	unsigned int nr = 0;
	Dwarf_Die child;
	int err = 0;

	if (dwarf_child(of, &child))
		return 0;
	do {
		if (nr++ == BTF_MAX_VLEN)
			break;
		if (is_parameter(&child))
			err = btf__add_func_param(
				q->code->btf, debug_name(&child),
				debug_is_passed_as_in_c(&child)
					? type_reach(q, &child)
					: q->code->unknown_type);
		else if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			err = btf__add_func_param(q->code->btf, "", 0);
	} while (!err && !dwarf_siblingof(&child, &child));
	return err;
}

static int proto_add(struct queue *q, Dwarf_Die *of, __u32 result)
{
	int id = btf__add_func_proto(q->code->btf, result);
	int err = id < 0 ? id : parameters_add(q, of);

	return err ?: id;
}

/* Adds exactly as many as type_reach() has counted.  All that it leads to has a number. */
static int type_add(struct queue *q, Dwarf_Die *type)
{
	struct debug_code *code = q->code;
	const char *name = debug_name(type);
	int tag = dwarf_tag(type);
	__u32 to = tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type
			   ? 0
			   : type_reach(q, type);

	switch (tag) {
	case DW_TAG_base_type:
		return base_add(code, type);
	case DW_TAG_enumeration_type:
		return enum_add(code, type);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return btf__add_ptr(code->btf, to);
	case DW_TAG_const_type:
		return btf__add_const(code->btf, to);
	case DW_TAG_volatile_type:
		return btf__add_volatile(code->btf, to);
	case DW_TAG_typedef:
		return name ? btf__add_typedef(code->btf, name, to)
			    : btf__add_const(code->btf, to);
	case DW_TAG_array_type:
		return array_add(q, type, to);
	case DW_TAG_subroutine_type:
		return proto_add(q, type, to);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return struct_add(q, type);
	case DW_TAG_ptr_to_member_type:
		return member_pointer_add(code, type);
	default:
		return opaque_add(code, name, 0);
	}
}

/* One that cannot be added would move the numbers of all others. */
static void queue_run(struct queue *q)
{
	struct debug_code *code = q->code;
	__u32 before;
	int id;

	for (size_t i = 0; !q->err && i < q->nr; i++)
		types_reach(q, i);
	for (size_t i = 0; !q->err && i < q->nr; i++) {
		before = btf__type_cnt(code->btf);
		id = type_add(q, &q->list[i]);
		if (id < 0 && btf__type_cnt(code->btf) == before)
			id = opaque_add(code, NULL, 0);
		if (id < 0)
			q->err = error_set(id, "its type cannot be kept: %s",
					   strerror(-id));
	}
	if (debug_types_bound(code) && !q->err)
		q->err = error_set(-ENOMEM, "out of memory");
}

/* ---- what is asked ------------------------------------------------------------ */

static int queue_begin(struct queue *q, struct debug_code *code)
{
	int err = types_begin(code);

	*q = (struct queue){.code = code};
	if (err)
		return error_set(err, "out of memory");
	q->next = btf__type_cnt(code->btf);
	return 0;
}

/* After an error the numbers would be wrong, so everything begins anew. */
static int queue_end(struct queue *q)
{
	struct debug_code *code = q->code;

	free(q->list);
	if (q->err) {
		table_free(&code->types);
		table_free(&code->bases);
		memset(&code->types, 0, sizeof(code->types));
		memset(&code->bases, 0, sizeof(code->bases));
	}
	return q->err;
}

const struct btf *debug_type_btf(struct debug_code *code)
{
	return types_begin(code) ? NULL : code->btf;
}

int debug_type_of(struct debug_code *code, Dwarf_Die *of)
{
	struct queue q;
	int err = queue_begin(&q, code);
	__u32 id;

	if (err)
		return err;
	id = type_reach(&q, of);
	queue_run(&q);
	err = queue_end(&q);
	return err ?: (int)id;
}

int debug_type_proto(struct debug_code *code, Dwarf_Die *function)
{
	struct queue q;
	int err = queue_begin(&q, code), id = 0;
	Dwarf_Die child;
	__u32 result;

	if (err)
		return err;
	result = type_reach(&q, function);
	if (!dwarf_child(function, &child)) {
		do {
			if (is_parameter(&child))
				type_reach(&q, &child);
		} while (!q.err && !dwarf_siblingof(&child, &child));
	}
	queue_run(&q);
	if (!q.err) {
		id = proto_add(&q, function, result);
		if (id < 0)
			q.err = error_set(id, "its type cannot be kept: %s",
					  strerror(-id));
	}
	err = queue_end(&q);
	return err ?: id;
}

/* ---- types by name ------------------------------------------------------------- */

struct naming {
	struct debug_code *code;
	const char *text;
	struct debug_spaces around;
	bool own; /* in the unit of those */
	struct queue q;
};

/* Is it a word of the text? */
static bool is_named(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at++)
		if ((at == text ||
		     (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
		    !isalnum((unsigned char)at[length]) && at[length] != '_')
			return true;
	return false;
}

/* A type that has a name of its own gets its number. */
static int type_name(struct naming *n, Dwarf_Die *die)
{
	struct queue *q = &n->q;
	struct debug_code *code = n->code;
	__u32 id = id_find(code, die);

	if (!id && dwarf_tag(die) == DW_TAG_base_type)
		id = debug_base_same(code, die);
	id = id ?: queue_add(q, die);
	if (q->err)
		return q->err;
	q->err = debug_named_keep(code, &n->around, n->own, die, id);
	return q->err ? error_set(q->err, "out of memory") : 0;
}

static enum debug_way naming_visit(Dwarf_Die *die, void *data)
{
	struct naming *n = data;
	int tag = dwarf_tag(die);
	const char *name;

	if (debug_is_struct(tag) || tag == DW_TAG_typedef ||
	    tag == DW_TAG_enumeration_type || tag == DW_TAG_base_type) {
		name = debug_name(die);
		if (name && is_named(n->text, name) &&
		    !debug_is_declaration(die) && !known_same(n->code, die) &&
		    type_name(n, die))
			return DEBUG_STOP;
	}
	return debug_is_space(die) ? DEBUG_INTO : DEBUG_OVER;
}

/* Is there a word behind "struct", "union" or "enum" whose type is not known yet? */
static bool is_missing(struct debug_code *code, const char *text)
{
	static const char *const tags[] = {"struct", "union", "enum"};
	char name[128];
	size_t length;

	for (size_t i = 0; i < 3; i++) {
		for (const char *at = text; (at = strstr(at, tags[i]));) {
			at += strlen(tags[i]);
			if (*at != ' ')
				continue;
			at += strspn(at, " ");
			for (length = 0; isalnum((unsigned char)at[length]) ||
					 at[length] == '_';
			     length++)
				;
			snprintf(name, sizeof(name), "%.*s", (int)length, at);
			if (*name && !debug_named_is_known(code, tags[i], name))
				return true;
		}
	}
	return false;
}

/* Where a function begins it is that, else the innermost that was put there. */
static Dwarf_Die *function_find(struct debug_code *code, uint64_t address,
				struct debug_scopes *scopes)
{
	Dwarf_Die *function = NULL;
	uint64_t entry;

	debug_scopes(code, address, scopes);
	for (unsigned int i = 0; i < scopes->nr; i++) {
		Dwarf_Die *scope = &scopes->list[i];

		if (dwarf_tag(scope) == DW_TAG_subprogram ||
		    dwarf_tag(scope) == DW_TAG_inlined_subroutine)
			function = scope;
		if (!i && debug_entry(scope, &entry) && entry == address)
			break;
	}
	return function;
}

int debug_types_load(struct debug_code *code, uint64_t address,
		     const char *text)
{
	struct naming n = {.code = code, .text = text, .own = true};
	Dwarf_Die *function, *unit, source;
	struct debug_scopes scopes;
	int err = queue_begin(&n.q, code);

	code->named = NULL;
	if (err || !strchr(text, '('))
		return err;
	debug_search(code);
	function = function_find(code, address, &scopes);
	if (function)
		debug_spaces_read(code, function, &n.around);
	unit = debug_source_unit(code, address, function, &source);
	if (unit)
		debug_walk(code, unit, naming_visit, &n);
	queue_run(&n.q);
	n.own = false;
	/* The kernel's own information has those of all its units. */
	for (size_t i = 0; !n.q.err && !code->base && i < code->nr_units &&
			   is_missing(code, text);
	     i++) {
		free(n.q.list);
		n.q.list = NULL;
		n.q.nr = 0;
		n.q.next = btf__type_cnt(code->btf);
		debug_walk(code, &code->units[i], naming_visit, &n);
		queue_run(&n.q);
	}
	return queue_end(&n.q);
}
