// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Prototypes of tracepoints, from the kernel's type information.  For each tracepoint the
 * kernel and its modules have
 *
 *	typedef void (*btf_trace_NAME)(void *data, ARGUMENTS);
 *	int __traceiter_NAME(void *data, ARGUMENTS);
 *
 * The first always exists and has the types; the second has the arguments'
 * names.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace.h>

#include "base/error.h"
#include "clones.h"
#include "module_image.h"
#include "modules.h"
#include "prototype.h"

int prototype_list_add(struct prototype_list *l, const char *name, __u32 id)
{
	struct prototype *list;

	if (l->nr == l->room) {
		l->room = l->room ? l->room * 2 : 256;
		list = realloc(l->list, l->room * sizeof(*list));
		if (!list)
			return -ENOMEM;
		l->list = list;
	}
	l->list[l->nr++] = (struct prototype){name, id};
	return 0;
}

int prototype_list_index(struct prototype_list *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		struct prototype *p = &l->list[i];
		const struct prototype *other = NULL;
		uint64_t hash = table_hash(p->name, strlen(p->name));

		while ((other = prototype_list_find(l, p->name, other)) &&
		       other->id != p->id)
			l->ambiguous = true;
		if (!other && table_add(&l->by_name, hash, p))
			return -ENOMEM;
	}
	return 0;
}

const struct prototype *prototype_list_find(const struct prototype_list *l,
					    const char *name,
					    const struct prototype *after)
{
	uint64_t hash = table_hash(name, strlen(name));
	const struct table_slot *slot = NULL;
	const struct prototype *found;

	while ((slot = table_next(&l->by_name, hash, slot))) {
		found = slot->value;
		if (after) {
			after = found == after ? NULL : after;
			continue;
		}
		if (!strcmp(found->name, name))
			return found;
	}
	return NULL;
}

void prototype_list_free(struct prototype_list *l)
{
	table_free(&l->by_name);
	free(l->list);
}

/*
 * One pass over all types, because a search for each name would take one pass
 * each.
 */
static int base_index(struct type_base *base)
{
	static const char types[] = "btf_trace_", names[] = "__traceiter_";
	__u32 end = btf__type_cnt(base->btf);
	int err = 0;

	for (__u32 id = base->first; id < end && !err; id++) {
		const struct btf_type *t = btf__type_by_id(base->btf, id);
		const char *name;

		if (btf_is_typedef(t)) {
			name = type_name_of(base->btf, t);
			if (strncmp(name, types, sizeof(types) - 1))
				continue;
			t = btf__type_by_id(base->btf, t->type);
			if (t && btf_is_ptr(t))
				err = prototype_list_add(
					&base->types, name + sizeof(types) - 1,
					t->type);
		} else if (btf_is_func(t)) {
			name = type_name_of(base->btf, t);
			if (!strncmp(name, names, sizeof(names) - 1))
				err = prototype_list_add(
					&base->names, name + sizeof(names) - 1,
					t->type);
		}
	}
	if (err)
		return err;
	return prototype_list_index(&base->types)
		       ?: prototype_list_index(&base->names);
}

static void base_destroy(struct type_base *base)
{
	btf__free(base->btf);
	prototype_list_free(&base->types);
	prototype_list_free(&base->names);
	prototype_list_free(&base->functions);
	free(base->module);
}

static int print_nothing(enum libbpf_print_level level, const char *format,
			 va_list ap)
{
	return 0;
}

/* What is not loaded has its types in its file. */
static struct btf *module_types(const char *module, struct btf *kernel)
{
	struct module_image *image;
	struct btf *types = NULL;

	if (module_is_loaded(module))
		return btf__load_module_btf(module, kernel);
	if (!module_image_open(module, &image)) {
		module_image_types(image, kernel, &types);
		module_image_close(image);
	}
	if (!types)
		errno = ENOENT;
	return types;
}

static int base_open(struct prototypes *p, const char *module,
		     struct type_base **base)
{
	struct btf *kernel = p->nr ? p->bases[0].btf : NULL;
	struct type_base *bases, *b;
	int err;

	bases = realloc(p->bases, (p->nr + 1) * sizeof(*bases));
	if (!bases)
		return error_set(-ENOMEM, "out of memory");
	p->bases = bases;
	b = &bases[p->nr];
	memset(b, 0, sizeof(*b));
	if (kernel)
		b->btf = module_types(module, kernel);
	else
		b->btf = btf__load_vmlinux_btf();
	if (!b->btf) {
		err = -errno;
		if (kernel)
			return error_set(
				err,
				"the module %s has no type information (BTF)",
				module);
		return error_set(err,
				 "the kernel has no type information: "
				 "/sys/kernel/btf/vmlinux is not there "
				 "(CONFIG_DEBUG_INFO_BTF) or not readable");
	}
	b->module = strdup(module);
	b->first = kernel ? btf__type_cnt(kernel) : 1;
	err = b->module ? base_index(b) : -ENOMEM;
	if (err) {
		base_destroy(b);
		return error_set(err, "out of memory");
	}
	p->nr++;
	*base = b;
	return 0;
}

int prototypes_create(struct prototypes **prototypes)
{
	struct prototypes *p;
	struct type_base *base;
	int err;

	p = calloc(1, sizeof(*p));
	if (!p)
		return error_set(-ENOMEM, "out of memory");
	libbpf_set_print(print_nothing);
	err = base_open(p, "vmlinux", &base);
	if (err) {
		prototypes_destroy(p);
		return err;
	}
	*prototypes = p;
	return 0;
}

void prototypes_destroy(struct prototypes *p)
{
	if (!p)
		return;
	/*
	 * The types of modules refer to those of the kernel, so they are freed
	 * first.
	 */
	clones_close(p->clones);
	flags_close(p->flags);
	namesakes_free(&p->kernel_namesakes);
	namesakes_free(&p->module_namesakes);
	while (p->nr)
		base_destroy(&p->bases[--p->nr]);
	free(p->bases);
	free(p);
}

const struct ktrace_names *prototypes_flags(struct prototypes *p,
					    const char *ctype)
{
	if (!p->flags)
		p->flags = flags_open(p->bases[0].btf);
	return p->flags ? flags_find(p->flags, ctype) : NULL;
}

int prototypes_base(struct prototypes *p, const char *module,
		    struct type_base **base)
{
	for (size_t i = 0; i < p->nr; i++) {
		if (!strcmp(p->bases[i].module, module)) {
			*base = &p->bases[i];
			return 0;
		}
	}
	return base_open(p, module, base);
}

void prototypes_forget_modules(struct prototypes *p)
{
	for (size_t i = 1; i < p->nr; i++)
		p->bases[i].module[0] = '\0';
	namesakes_free(&p->module_namesakes);
}

static int arguments_write(struct text *text, const struct btf *btf,
			   const struct btf_type *types,
			   const struct btf_type *names)
{
	const struct btf_param *params = btf_params(types);
	int nr = btf_vlen(types);

	/* The first argument is that of the probe. */
	if (nr - 1 > KT_DEFINITION_FIELDS)
		return error_set(-E2BIG, "it has more than %d arguments",
				 KT_DEFINITION_FIELDS);
	for (int i = 1; i < nr; i++) {
		const char *kind = type_word_kind(btf, params[i].type);
		const char *name = "";

		if (names && btf_vlen(names) == nr)
			name = btf__name_by_offset(
				btf, btf_params(names)[i].name_off);
		if (!kind)
			return error_set(-EOPNOTSUPP,
					 "its argument %d is passed by value "
					 "and does not fit into a register",
					 i);
		text_printf(text, "; %s ", kind);
		type_write(text, btf, params[i].type);
		if (name && *name)
			text_printf(text, " %s", name);
		else
			text_printf(text, " arg%d", i);
	}
	return 0;
}

int prototypes_define(struct prototypes *p, const char *system,
		      const char *tracepoint, const char *module, char **line)
{
	const struct prototype *types, *names;
	struct type_base *base;
	struct text text = {0};
	int err;

	err = prototypes_base(p, module, &base);
	if (err)
		return err;
	types = prototype_list_find(&base->types, tracepoint, NULL);
	if (!types)
		return error_set(
			-ENOENT,
			"it has no prototype in %s's type information (BTF)",
			module);
	names = prototype_list_find(&base->names, tracepoint, NULL);
	text_printf(&text, "%s/%s %s %s", system, tracepoint, tracepoint,
		    module);
	err = arguments_write(
		&text, base->btf, btf__type_by_id(base->btf, types->id),
		names ? btf__type_by_id(base->btf, names->id) : NULL);
	text_puts(&text, "\n");
	if (!err && text.failed)
		err = error_set(-ENOMEM, "out of memory");
	if (err) {
		text_free(&text);
		return err;
	}
	*line = text.s;
	return 0;
}
