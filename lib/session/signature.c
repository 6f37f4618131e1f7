// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Signatures of functions, from the kernel's type information: the fields of their records.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prototype.h"

static int functions_index(struct type_base *base)
{
	__u32 end = btf__type_cnt(base->btf);
	int err = 0;

	for (__u32 id = base->first; id < end && !err; id++) {
		const struct btf_type *t = btf__type_by_id(base->btf, id);

		if (btf_is_func(t))
			err = prototype_list_add(&base->functions,
						 type_name_of(base->btf, t),
						 t->type);
	}
	if (!err)
		prototype_list_sort(&base->functions);
	return err;
}

/* NULL: none has this name, or several that are not the same do. */
static const struct btf_type *functions_find(const struct type_base *base,
					     const char *name)
{
	const struct prototype_list *all = &base->functions;
	const struct prototype *found = prototype_list_find(all, name), *p;

	if (!found)
		return NULL;
	while (found > all->list && !strcmp(found[-1].name, name))
		found--;
	for (p = found; p < all->list + all->nr && !strcmp(p->name, name); p++)
		if (p->id != found->id)
			return NULL;
	return btf__type_by_id(base->btf, found->id);
}

/* A value that is at @offset as a register has it.  False: no register has it. */
static bool register_field(struct arena *arena, const struct btf *btf, __u32 id,
			   const char *name, uint32_t offset,
			   struct ktrace_field *field)
{
	const struct btf_type *t = type_resolve(btf, id);
	const char *kind = type_word_kind(btf, id);
	char *ctype = NULL;
	size_t size;
	FILE *f;

	if (!kind)
		return false;
	f = open_memstream(&ctype, &size);
	if (f)
		type_write(f, btf, id);
	if (!f || fclose(f)) {
		free(ctype);
		return false;
	}
	field->name = arena_strdup(arena, name);
	field->ctype = arena_strdup(arena, ctype);
	free(ctype);
	field->offset = offset;
	field->size = sizeof(uint64_t);
	switch (*kind) {
	case 'p':
		field->kind = KTRACE_POINTER;
		field->base = KTRACE_HEX;
		break;
	default:
		field->kind = *kind == 's' ? KTRACE_INT : KTRACE_UINT;
		field->size = strtoul(kind + 1, NULL, 10) / 8;
		if (btf_is_int(t) && btf_int_encoding(t) & BTF_INT_BOOL)
			field->base = KTRACE_BOOL;
	}
	field->is_signed = field->kind == KTRACE_INT;
	return field->name && field->ctype;
}

int prototypes_function(struct prototypes *p, const char *name,
			const char *module, struct function_fields *fields,
			struct arena *arena)
{
	const struct btf_type *proto;
	const struct btf_param *params;
	struct type_base *base;
	int err;

	memset(fields, 0, sizeof(*fields));
	err = prototypes_base(p, module, &base);
	if (!err && !base->functions.nr)
		err = functions_index(base);
	if (err)
		return err;
	proto = functions_find(base, name);
	if (!proto || !btf_is_func_proto(proto))
		return -ENOENT;
	params = btf_params(proto);
	for (int i = 0; i < btf_vlen(proto) && i < FUNCTION_REGISTERS; i++) {
		const char *of =
			btf__name_by_offset(base->btf, params[i].name_off);
		char number[16];

		snprintf(number, sizeof(number), "arg%d", i + 1);
		/* Behind a struct on the stack, the registers are another's. */
		if (!params[i].type ||
		    !register_field(arena, base->btf, params[i].type,
				    of && *of ? of : number, 8 + 8 * i,
				    &fields->arguments[i]))
			break;
		fields->nr_arguments++;
	}
	fields->is_void = !proto->type;
	fields->returns =
		proto->type && register_field(arena, base->btf, proto->type,
					      "ret", 4, &fields->result);
	return 0;
}
