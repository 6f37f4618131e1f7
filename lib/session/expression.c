// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Compiles expressions over structs: expression.h.
 *
 * Offsets come from the type information of the running kernel.  So a member that this
 * kernel lacks is an error here, and no wrong number in a trace.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "btf_type.h"
#include "expression.h"
#include "kernel/btf.h"

#define NAME_MAX_LENGTH 63
/* Structs without a name within each other. */
#define DEPTH_MAX 8

struct member {
	__u32 type;
	uint32_t bit; /* from the beginning of the struct */
	uint8_t bits; /* of a bitfield; 0: it is none */
};

/* The struct itself, if this type information has only its name. */
static const struct btf_type *struct_find(const struct btf *btf, __u32 *id)
{
	const struct btf_type *t = type_resolve(btf, *id);
	__s32 found;

	if (!t || !btf_is_fwd(t))
		return t;
	found = btf__find_by_name_kind(btf, type_name_of(btf, t),
				       btf_kflag(t) ? BTF_KIND_UNION
						    : BTF_KIND_STRUCT);
	if (found <= 0)
		return t;
	*id = found;
	return btf__type_by_id(btf, found);
}

static bool member_find(const struct btf *btf, const struct btf_type *t,
			const char *name, uint32_t bit, unsigned int depth,
			struct member *found)
{
	/* Its own come first: a class may have one of the name of a base class's. */
	for (__u32 i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];

		if (strcmp(btf__name_by_offset(btf, m->name_off), name))
			continue;
		found->type = m->type;
		found->bit = bit + btf_member_bit_offset(t, i);
		found->bits = btf_member_bitfield_size(t, i);
		return true;
	}
	for (__u32 i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const struct btf_type *of = type_resolve(btf, m->type);

		if (!*btf__name_by_offset(btf, m->name_off) && of &&
		    btf_is_composite(of) && depth < DEPTH_MAX &&
		    member_find(btf, of, name,
				bit + btf_member_bit_offset(t, i), depth + 1,
				found))
			return true;
	}
	return false;
}

void expression_begin_value(struct expression *e, const struct btf *btf,
			    __u32 type, unsigned int stars, const char *words)
{
	*e = (struct expression){
		.btf = btf,
		.type = type,
		.stars = stars,
		.is_value = true,
	};
	text_puts(&e->words, words);
}

void expression_begin_pieces(struct expression *e, const struct btf *btf,
			     __u32 type, const struct expression_piece *pieces)
{
	*e = (struct expression){.btf = btf, .type = type, .pieces = pieces};
}

static int pieces_refuse(const char *name)
{
	return error_set(-EINVAL,
			 "`%s': the compiler keeps it in pieces: name a member "
			 "of it",
			 name);
}

/* The piece that has the member, if one has all of it. */
static int piece_choose(struct expression *e, const char *name)
{
	const struct btf_type *t = type_resolve(e->btf, e->type);
	const struct expression_piece *piece = e->pieces;
	long long size = e->bits ? (e->shift + e->bits + 7) / 8
				 : btf__resolve_size(e->btf, e->type);

	while (piece->size &&
	       (e->offset < piece->begin ||
		e->offset + size > (long long)piece->begin + piece->size))
		piece++;
	if (!t || size < 0 || !piece->size)
		return t && btf_is_composite(t) ? 0 : pieces_refuse(name);
	if (!piece->words)
		return error_set(-EINVAL, "`%s': it is optimised out here",
				 name);
	text_puts(&e->words, piece->words);
	e->pieces = NULL;
	e->is_value = piece->is_value;
	e->offset -= piece->begin;
	if (e->is_value) {
		e->shift += 8 * e->offset;
		e->offset = 0;
	}
	return 0;
}

/* From the type of a pointer to that of what it points to. */
static int pointee_enter(struct expression *e, const char *what)
{
	const struct btf_type *t = type_resolve(e->btf, e->type);

	if (e->stars) {
		e->stars--;
		return 0;
	}
	if (!t || !btf_is_ptr(t) || e->bits)
		return error_set(-EINVAL, "%s is no pointer", what);
	e->type = t->type;
	return 0;
}

int expression_begin(struct expression *e, const struct btf *btf, __u32 pointer,
		     const char *words)
{
	expression_begin_value(e, btf, pointer, 0, words);
	e->is_value = false;
	return pointee_enter(e, "it");
}

int expression_follow(struct expression *e, const char *name)
{
	const struct btf_type *t = type_resolve(e->btf, e->type);
	int err;

	if (e->pieces)
		return pieces_refuse(name);
	if (t && btf_is_array(t) && !e->stars && !e->is_value) {
		e->type = btf_array(t)->type;
		return 0;
	}
	err = pointee_enter(e, name);
	if (err)
		return err;
	if (e->is_value && e->shift)
		text_printf(&e->words, " %u >>", e->shift);
	if (!e->is_value && e->offset)
		text_printf(&e->words, " %u +", e->offset);
	if (!e->is_value)
		text_puts(&e->words, " @8");
	e->is_value = false;
	e->offset = 0;
	e->shift = 0;
	return 0;
}

/* Members whose names have the same beginning, as " f_path f_pos". */
static void members_list(const struct btf *btf, const struct btf_type *t,
			 const char *name, unsigned int depth, char *list,
			 size_t size)
{
	size_t same = strlen(name) < 3 ? 1 : 3;

	for (__u32 i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *own = btf__name_by_offset(btf, m->name_off);
		const struct btf_type *of = type_resolve(btf, m->type);

		if (*own && !strncmp(own, name, same) &&
		    strlen(list) + strlen(own) + 2 <= size)
			strcat(strcat(list, " "), own);
		if (!*own && of && btf_is_composite(of) && depth < DEPTH_MAX)
			members_list(btf, of, name, depth + 1, list, size);
	}
}

int expression_enter(struct expression *e, const char *name)
{
	const struct btf_type *t = struct_find(e->btf, &e->type);
	struct member member;

	if (e->stars || (t && btf_is_ptr(t)))
		return error_set(-EINVAL,
				 "`%s': a pointer's members are behind an "
				 "arrow: ->%s",
				 name, name);
	if (e->bits || !t || !btf_is_composite(t))
		return error_set(-EINVAL, "`%s': it is no struct", name);
	if (!member_find(e->btf, t, name, 0, 0, &member)) {
		char list[80] = "";

		members_list(e->btf, t, name, 0, list, sizeof(list));
		return error_set(-EINVAL, "%s %s has no member `%s'%s%s",
				 btf_is_union(t) ? "union" : "struct",
				 type_name_of(e->btf, t), name,
				 *list ? ", but" : "", list);
	}
	e->type = member.type;
	e->bits = member.bits;
	if (e->is_value) {
		e->shift += member.bit;
		return 0;
	}
	/* Bitfields are read as four bytes, the first of which has their lowest bit. */
	e->offset += member.bit / 8;
	e->shift = member.bit % 8;
	return e->pieces ? piece_choose(e, name) : 0;
}

int expression_member(struct expression *e, const char *path)
{
	char name[NAME_MAX_LENGTH + 1];
	int err = 0;

	while (!err) {
		size_t length = 0;

		while (isalnum((unsigned char)path[length]) ||
		       path[length] == '_')
			length++;
		if (!length || length > NAME_MAX_LENGTH)
			return error_set(-EINVAL, "`%s': a member is missing",
					 path);
		memcpy(name, path, length);
		name[length] = '\0';
		err = expression_enter(e, name);
		path += length;
		if (err || !*path)
			break;
		if (*path == '.') {
			path++;
		} else if (!strncmp(path, "->", 2)) {
			path += 2;
			err = expression_follow(e, name);
		} else {
			err = error_set(-EINVAL,
					"`%s': a dot or an arrow is missing",
					path);
		}
	}
	return err;
}

const struct btf_type *expression_struct(struct expression *e)
{
	const struct btf_type *t =
		e->stars || e->pieces ? NULL : struct_find(e->btf, &e->type);

	return t && btf_is_composite(t) ? t : NULL;
}

void expression_type(const struct expression *e, struct text *text)
{
	type_write(text, e->btf, e->type);
	for (unsigned int i = 0; i < e->stars; i++)
		text_puts(text, text->len && text->s[text->len - 1] == '*'
					? "*"
					: " *");
}

/* A struct of one number counts as that. */
static const struct btf_type *number_type(const struct expression *e)
{
	const struct btf_type *t = type_resolve(e->btf, e->type);

	while (t && btf_is_composite(t) && btf_vlen(t) == 1 &&
	       !btf_member_bitfield_size(t, 0))
		t = type_resolve(e->btf, btf_members(t)->type);
	return t;
}

uint32_t expression_number_size(const struct expression *e, bool *is_signed)
{
	const struct btf_type *t = number_type(e);

	*is_signed = false;
	if (e->pieces)
		return 0;
	if (e->stars)
		return sizeof(uint64_t);
	if (!t)
		return 0;
	if (btf_is_ptr(t))
		return sizeof(uint64_t);
	if (!btf_is_int(t) && !btf_is_any_enum(t))
		return 0;
	if (t->size != 1 && t->size != 2 && t->size != 4 && t->size != 8)
		return 0;
	if (e->bits && !e->is_value && e->bits + e->shift > 32)
		return 0;
	*is_signed = btf_is_int(t) ? btf_int_encoding(t) & BTF_INT_SIGNED
				   : enum_is_signed(t);
	return t->size;
}

static bool is_char(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	/* A number of a byte has another name, as u8. */
	while (t && (btf_is_mod(t) || btf_is_type_tag(t)))
		t = btf__type_by_id(btf, t->type);
	return t && btf_is_int(t) && t->size == 1 &&
	       !(btf_int_encoding(t) & BTF_INT_BOOL);
}

bool expression_is_text(const struct expression *e, uint32_t *size)
{
	const struct btf_type *t = type_resolve(e->btf, e->type);

	*size = 0;
	if (e->stars)
		return e->stars == 1 && is_char(e->btf, e->type);
	if (!t || e->pieces)
		return false;
	if (btf_is_ptr(t))
		return is_char(e->btf, t->type);
	if (e->is_value || !btf_is_array(t) ||
	    !is_char(e->btf, btf_array(t)->type))
		return false;
	/* The last member of a struct may have no size of its own. */
	*size = btf_array(t)->nelems ? btf_array(t)->nelems : UINT32_MAX;
	return true;
}

void expression_push_address(const struct expression *e, struct text *text)
{
	text_puts(text, e->words.s);
	if (e->offset)
		text_printf(text, " %u +", e->offset);
}

void expression_push_number(const struct expression *e, struct text *text)
{
	bool is_signed;

	expression_push_address(e, text);
	if (e->is_value) {
		if (e->shift)
			text_printf(text, " %u >>", e->shift);
		if (e->bits)
			text_printf(text, " %" PRIu64 " &",
				    UINT64_MAX >> (64 - e->bits));
		return;
	}
	if (!e->bits) {
		text_printf(text, " @%u",
			    expression_number_size(e, &is_signed));
		return;
	}
	text_printf(text, " @4 %u >> %u &", e->shift,
		    (uint32_t)((1ull << e->bits) - 1));
}

void expression_push_wide(const struct expression *e, uint32_t size,
			  struct text *text)
{
	bool is_signed;
	uint32_t own = expression_number_size(e, &is_signed);
	uint64_t mask, sign;

	expression_push_number(e, text);
	if (!own || (size <= own && !e->bits))
		return;
	/* Above the bytes of a value in a register there may be anything. */
	mask = UINT64_MAX >> (64 - (e->bits ?: 8 * own));
	sign = (mask >> 1) + 1;
	if (is_signed)
		text_printf(text, " %" PRIu64 " + %" PRIu64 " & %" PRIu64 " -",
			    sign, mask, sign);
	else if (e->is_value && !e->bits)
		text_printf(text, " %" PRIu64 " &", mask);
}

void expression_end(struct expression *e)
{
	text_free(&e->words);
}
