/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Expressions over structs of the kernel, such as f_path.dentry->d_name.name, as words of a
 * capture program (core/capture.h).
 */
#ifndef KT_LIB_SESSION_EXPRESSION_H
#define KT_LIB_SESSION_EXPRESSION_H

#include <bpf/btf.h>

#include "base/text.h"

/*
 * A place in memory.  When the words have run, an address is on the stack; the place is
 * @offset behind it.
 */
struct expression {
	const struct btf *btf;
	__u32 type; /* of what is there */
	uint32_t offset;
	/* Not 0: a bitfield of so many bits, the lowest being @shift. */
	uint8_t bits, shift;
	struct text words;
};

/*
 * The place to which a pointer points: @words push the pointer, whose type is @pointer.
 * -EINVAL: it points to no struct.
 */
int expression_begin(struct expression *e, const struct btf *btf, __u32 pointer,
		     const char *words);
/*
 * Goes on to a member: "NAME", "NAME.NAME", "NAME->NAME" and so on.  Members of structs
 * without a name are members too, as in C.  -EINVAL, with a message.
 */
int expression_member(struct expression *e, const char *path);

/* Bytes of the number at the place; 0: it is none.  An address is one. */
uint32_t expression_number_size(const struct expression *e, bool *is_signed);
/* Is it a text: characters, or a pointer to some?  @size: of the former; 0: a pointer. */
bool expression_is_text(const struct expression *e, uint32_t *size);

/* Words that push the address, or the number, of the place. */
void expression_push_address(const struct expression *e, struct text *text);
void expression_push_number(const struct expression *e, struct text *text);

/* Can be done twice. */
void expression_end(struct expression *e);

#endif /* KT_LIB_SESSION_EXPRESSION_H */
