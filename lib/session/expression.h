/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Expressions over structs of the kernel, such as f_path.dentry->d_name.name, as words of a
 * capture program (core/capture.h).
 */
#ifndef KT_LIB_SESSION_EXPRESSION_H
#define KT_LIB_SESSION_EXPRESSION_H

#include <bpf/btf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/*
 * A struct of which a compiler keeps each part where it likes, as in two registers.  The last one
 * has no @size.
 */
struct expression_piece {
	uint32_t begin, size; /* bytes of the struct */
	bool is_value;	      /* as below */
	const char *words;    /* NULL: it is nowhere */
};

/*
 * A place in memory: when the words have run, an address is on the stack, and the place is
 * @offset behind it.  Or a value, which the words push.
 */
struct expression {
	const struct btf *btf;
	__u32 type; /* of what is there */
	unsigned int
		stars; /* not 0: a pointer to it, or a pointer to such a pointer, and so on */
	bool is_value;
	uint32_t offset;
	/* Not 0: a bitfield of so many bits. */
	uint8_t bits;
	uint8_t shift; /* its lowest bit; of a value, that of the member, too */
	struct text words;
	/* Not NULL: it is in pieces, until a member is entered that is in one of them. */
	const struct expression_piece *pieces;
};

/*
 * The place to which a pointer points: @words push the pointer, whose type is @pointer.
 * -EINVAL: it points to no struct.
 */
int expression_begin(struct expression *e, const struct btf *btf, __u32 pointer,
		     const char *words);
/* The value that @words push; @stars: as above. */
void expression_begin_value(struct expression *e, const struct btf *btf,
			    __u32 type, unsigned int stars, const char *words);
/* The struct of this type whose @pieces, which must stay, are where they say. */
void expression_begin_pieces(struct expression *e, const struct btf *btf,
			     __u32 type, const struct expression_piece *pieces);
/*
 * Goes on to a member: "NAME", "NAME.NAME", "NAME->NAME" and so on.  Members of structs
 * without a name are members too, as in C.  -EINVAL, with a message.
 */
int expression_member(struct expression *e, const char *path);

/* Goes to the member of this name.  -EINVAL, with a message. */
int expression_enter(struct expression *e, const char *name);
/* Goes to what the pointer, or the array, points to; @name is for the message.  -EINVAL. */
int expression_follow(struct expression *e, const char *name);

/*
 * Begins *@e with what a name means, such as a parameter, `$retval' or `%di'.  0, or a negative
 * errno with a message.
 */
typedef int expression_name(void *data, const char *name, struct expression *e);
/*
 * The number of the type that a cast names; @tag: "struct", "union", "enum" or "".  0: the first
 * one of that name is meant; < 0: -errno, with a message.
 */
typedef int expression_type_name(void *data, const char *tag, const char *name);

/*
 * Compiles an expression of C: names, members, elements of arrays with a fixed index, `*', `&'
 * and casts.  It ends at a blank that is not within brackets, or at what belongs to no expression;
 * *@text is there then.  @btf: where types of casts are; @type finds them.  -EINVAL, with a message.
 */
int expression_parse(struct expression *e, const struct btf *btf,
		     const char **text, expression_name *name,
		     expression_type_name *type, void *data);

/* Bytes of the number at the place; 0: it is none.  An address is one. */
uint32_t expression_number_size(const struct expression *e, bool *is_signed);
/* Is it a text: characters, or a pointer to some?  @size: of the former; 0: a pointer. */
bool expression_is_text(const struct expression *e, uint32_t *size);
/* The type in C, as it stands before a name. */
void expression_type(const struct expression *e, struct text *text);
/* The struct or union that it is; NULL: it is none. */
const struct btf_type *expression_struct(struct expression *e);

/* Words that push the address of the place, or the number that is there or is the value. */
void expression_push_address(const struct expression *e, struct text *text);
void expression_push_number(const struct expression *e, struct text *text);

/*
 * The same, as a number of @size bytes: that of a type with a sign keeps it, bitfields too.  What
 * is above its bytes or bits is then zero, or the sign.
 */
void expression_push_wide(const struct expression *e, uint32_t size,
			  struct text *text);

/* Can be done twice. */
void expression_end(struct expression *e);

#endif /* KT_LIB_SESSION_EXPRESSION_H */
