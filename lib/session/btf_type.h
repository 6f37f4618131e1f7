/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Types of the kernel's type information (BTF): their names, and how values are recorded. */
#ifndef KT_LIB_SESSION_BTF_TYPE_H
#define KT_LIB_SESSION_BTF_TYPE_H

#include <bpf/btf.h>

#include "base/text.h"

/* Never NULL. */
const char *type_name_of(const struct btf *btf, const struct btf_type *t);
/*
 * How a value of this type is recorded, as a KIND of the file `define'.  NULL: no word has
 * it.
 */
const char *type_word_kind(const struct btf *btf, __u32 id);
/* Writes the type in C, as it stands before a name. */
void type_write(struct text *text, const struct btf *btf, __u32 id);

#endif /* KT_LIB_SESSION_BTF_TYPE_H */
