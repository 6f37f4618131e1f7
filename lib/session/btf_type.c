// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "base/text.h"
#include "btf_type.h"
#include "kernel/btf.h"

const char *type_name_of(const struct btf *btf, const struct btf_type *t)
{
	const char *name = btf__name_by_offset(btf, t->name_off);

	return name ? name : "";
}

const char *type_word_kind(const struct btf *btf, __u32 id)
{
	static const char *const kinds[][2] = {
		{"u8", "s8"},
		{"u16", "s16"},
		{"u32", "s32"},
		{"u64", "s64"},
	};
	const struct btf_type *t = type_resolve(btf, id);
	bool is_signed = false;
	int log;

	if (!t)
		return NULL;
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
	case BTF_KIND_ARRAY:
		return "ptr";
	case BTF_KIND_INT:
		is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		is_signed = enum_is_signed(t);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		break; /* passed in a register if it has an integer's size */
	default:
		return NULL;
	}
	for (log = 0; log < 4; log++)
		if (t->size == 1u << log)
			return kinds[log][is_signed];
	return NULL;
}

void type_write(struct text *text, const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id), *to;
	const char *name;

	if (!id || !t) {
		text_puts(text, "void");
		return;
	}
	name = type_name_of(btf, t);
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		to = type_resolve(btf, t->type);
		if (to && btf_is_func_proto(to)) {
			text_puts(text, "void *");
			break;
		}
		type_write(text, btf, t->type);
		to = btf__type_by_id(btf, t->type);
		text_puts(text, t->type && to && btf_is_ptr(to) ? "*" : " *");
		break;
	case BTF_KIND_CONST:
		to = btf__type_by_id(btf, t->type);
		if (to && btf_is_ptr(to)) {
			type_write(text, btf, t->type);
			text_puts(text, "const");
		} else {
			text_puts(text, "const ");
			type_write(text, btf, t->type);
		}
		break;
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		type_write(text, btf, t->type);
		break;
	case BTF_KIND_STRUCT:
		text_words(text, "struct %s", name);
		break;
	case BTF_KIND_UNION:
		text_words(text, "union %s", name);
		break;
	case BTF_KIND_FWD:
		text_words(text, "%s %s", btf_kflag(t) ? "union" : "struct",
			   name);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		text_words(text, "enum %s", name);
		break;
	case BTF_KIND_ARRAY:
		type_write(text, btf, btf_array(t)->type);
		text_puts(text, " *");
		break;
	default:
		text_puts(text, *name ? name : "void");
	}
}
