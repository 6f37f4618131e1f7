// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Signatures of functions, from the kernel's type information: the fields of their records.
 *
 * Where an argument is follows from the calling convention (passing.h).  Bits of a word
 * above the size of its type are undefined, so a field has the size of its type.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "clones.h"
#include "kernel/format.h"
#include "modules.h"
#include "passing.h"
#include "prototype.h"
#include "symbol/kernel_file.h"

/* Where they begin in the record of an entry (kernel/source/function/README.md). */
#define WORDS_BEGIN 8

/* ---- which function has which prototype ------------------------------------ */

/* Does a tag say that BPF may call the function? */
static bool is_kfunc(const struct btf *btf, __u32 first, const char *name)
{
	__u32 end = btf__type_cnt(btf);

	for (__u32 id = first; id < end; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id), *of;

		if (!btf_is_decl_tag(t) ||
		    strcmp(type_name_of(btf, t), "bpf_kfunc"))
			continue;
		of = btf__type_by_id(btf, t->type);
		if (of && !strcmp(type_name_of(btf, of), name))
			return true;
	}
	return false;
}

/*
 * What makes the type information (pahole) leaves out names whose functions have different
 * prototypes, if the kernel asks for this and pahole knows it (since 1.25).  Otherwise it
 * takes the first function of a name, whatever the others are.  Nothing says which of both was
 * done.  But in the first case many namesakes are absent (39 of 100 on Debian's 7.3), in the
 * second one hardly any (none of 297 on Debian's 6.12.95, 2 of 116 where some are assembler).
 */
static bool is_consistent(const struct prototype_list *functions,
			  const struct namesakes *namesakes)
{
	size_t names = 0, absent = 0;

	if (functions->ambiguous)
		return false;
	for (size_t i = 0; i < namesakes->nr; i++) {
		const char *line = namesakes->lines[i];
		char name[strlen(line) + 1];

		strcpy(name, line);
		name[strcspn(name, " ")] = '\0';
		names += *name != '\0';
		absent += *name && !prototype_list_find(functions, name, NULL);
	}
	return absent > names / 8;
}

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
	return err ?: prototype_list_index(&base->functions);
}

/* Once: can the type information be trusted? */
static int trust_find(struct prototypes *p)
{
	struct type_base *kernel = &p->bases[0];
	int err = 0;

	if (p->trust != UNKNOWN)
		return p->trust_error;
	if (!kernel->functions.nr)
		err = functions_index(kernel);
	err = err ?: namesakes_read(&p->kernel_namesakes, p->symbols, true);
	p->trust =
		!err && is_consistent(&kernel->functions, &p->kernel_namesakes)
			? TRUSTED
			: NAMESAKES;
	p->trust_error = err;
	return err;
}

/* Of a module that came later than the last one, too. */
static int module_prepare(struct prototypes *p, const struct type_base *base)
{
	struct namesakes *n = &p->module_namesakes;
	char path[64];

	if (n->text && namesakes_know(n, base->module))
		return 0;
	namesakes_free(n);
	if (!p->symbols) {
		snprintf(path, sizeof(path), "%s/symbols",
			 session_root_default);
		if (!namesakes_read_moving(n, path))
			return 0;
	}
	return namesakes_read(n, p->symbols, false);
}

static int functions_prepare(struct prototypes *p, struct type_base *base)
{
	int err = trust_find(p);

	if (err || base->functions.nr)
		return err;
	err = functions_index(base);
	if (!err && p->trust == NAMESAKES && base != p->bases)
		err = module_prepare(p, base);
	/* What is not known of one module could be taken for no namesakes later. */
	p->trust_error = err;
	return err;
}

static bool has_namesakes(const struct prototypes *p,
			  const struct type_base *base, const char *name)
{
	return p->trust == NAMESAKES &&
	       namesakes_has(base == p->bases ? &p->kernel_namesakes
					      : &p->module_namesakes,
			     base->module, name);
}

/* NULL: none has this name, or several that are not known to be the same do. */
static const struct btf_type *functions_find(
	const struct prototypes *prototypes, const struct type_base *base,
	const char *name)
{
	const struct prototype_list *all = &base->functions;
	const struct prototype *found = prototype_list_find(all, name, NULL);

	if (!found || prototype_list_find(all, name, found) ||
	    has_namesakes(prototypes, base, name))
		return NULL;
	return btf__type_by_id(base->btf, found->id);
}

/*
 * Some functions that BPF may call get more arguments, from the kernel, than programs pass.
 * NAME stands in the type information as programs see it, and NAME_impl as it is.
 */
static const struct btf_type *proto_whole(const struct prototypes *p,
					  const struct type_base *base,
					  const char *name,
					  const struct btf_type *proto)
{
	const struct btf_type *whole;
	char longer[512];

	snprintf(longer, sizeof(longer), "%s_impl", name);
	whole = functions_find(p, base, longer);
	return whole && btf_is_func_proto(whole) &&
			       btf_vlen(whole) > btf_vlen(proto) &&
			       is_kfunc(base->btf, base->first, name)
		       ? whole
		       : proto;
}

/* Makes the fields of one function. */
struct maker {
	struct prototypes *prototypes;
	const struct btf *btf;
	struct arena *arena;
	struct function_fields *fields;
	bool failed; /* out of memory */
};

static const char *name_keep(struct maker *m, const char *name)
{
	const char *kept = arena_strdup(m->arena, name);

	m->failed |= !kept;
	return kept ? kept : "";
}

/* Takes the text. */
static const char *text_keep(struct maker *m, struct text *text)
{
	const char *kept = text->failed ? "" : name_keep(m, text->s);

	m->failed |= text->failed;
	text_free(text);
	return kept;
}

static const char *ctype_keep(struct maker *m, __u32 id)
{
	struct text text = {0};

	type_write(&text, m->btf, id);
	return text_keep(m, &text);
}

/* Of a parameter that has none. */
static const char *number_keep(struct maker *m, int number)
{
	struct text text = {0};

	text_words(&text, "arg%d", number);
	return text_keep(m, &text);
}

static const char *join_keep(struct maker *m, const char *a, const char *b,
			     const char *c)
{
	struct text text = {0};

	text_words(&text, "%s%s%s", a, b, c);
	return text_keep(m, &text);
}

/* ---- how a value is shown ------------------------------------------------- */

/* Names of the type, or of the type that it is another name of. */
static const struct ktrace_names *names_find(struct maker *m, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(m->btf, id);
	const struct ktrace_names *found;
	struct ktrace_names *names;

	for (; t && (btf_is_typedef(t) || btf_is_mod(t));
	     t = btf__type_by_id(m->btf, t->type)) {
		if (!btf_is_typedef(t))
			continue;
		found = prototypes_flags(m->prototypes,
					 type_name_of(m->btf, t));
		if (found)
			return found;
	}
	if (!t || !btf_is_any_enum(t))
		return NULL;
	names = enum_type_names(m->btf, t, m->arena);
	if (names && enum_is_flags(t)) {
		names->flags = true;
		names->delim = "|";
	}
	return names;
}

static enum ktrace_base base_find(struct maker *m, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(m->btf, id), *to;
	enum ktrace_base base = KTRACE_DEC;

	for (; t && (btf_is_typedef(t) || btf_is_mod(t)) && !base;
	     t = btf__type_by_id(m->btf, t->type))
		if (btf_is_typedef(t))
			base = ctype_base(type_name_of(m->btf, t));
	t = type_resolve(m->btf, id);
	if (base || !t)
		return base;
	if (btf_is_ptr(t)) {
		to = type_resolve(m->btf, t->type);
		return to && btf_is_func_proto(to) ? KTRACE_SYMBOL : KTRACE_HEX;
	}
	if (btf_is_int(t) && btf_int_encoding(t) & BTF_INT_BOOL)
		return KTRACE_BOOL;
	return btf_is_composite(t) ? KTRACE_HEX : KTRACE_DEC;
}

/* Bits are easier to read in hexadecimal. */
static bool is_flags(const struct ktrace_field *field)
{
	const char *found = strstr(field->name, "flags");

	return field->kind == KTRACE_UINT && field->size > 1 && found &&
	       (found == field->name || found[-1] == '_') && !found[5];
}

/* A struct of one member is shown as that member would be. */
static __u32 type_unwrap(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = type_resolve(btf, id), *of;

	while (t && btf_is_composite(t) && btf_vlen(t) == 1 &&
	       !btf_member_bitfield_size(t, 0)) {
		of = type_resolve(btf, btf_members(t)->type);
		if (!of || btf_is_array(of) ||
		    (!btf_is_ptr(of) && of->size != t->size))
			break;
		id = btf_members(t)->type;
		t = of;
	}
	return id;
}

/* A number or an address in a word.  False: it is neither. */
static bool value_fill(struct maker *m, struct ktrace_field *field, __u32 id)
{
	__u32 inner = type_unwrap(m->btf, id);
	const char *kind = type_word_kind(m->btf, inner);

	if (!kind)
		return false;
	field->size = sizeof(uint64_t);
	if (*kind == 'p') {
		field->kind = KTRACE_POINTER;
	} else {
		field->kind = *kind == 's' ? KTRACE_INT : KTRACE_UINT;
		field->size = strtoul(kind + 1, NULL, 10) / 8;
	}
	field->is_signed = field->kind == KTRACE_INT;
	field->base = base_find(m, inner);
	if (field->base == KTRACE_DEC && is_flags(field))
		field->base = KTRACE_HEX;
	field->names = names_find(m, inner);
	return true;
}

/* ---- fields --------------------------------------------------------------- */

static struct ktrace_field *field_add(struct maker *m, const char *name,
				      const char *ctype, uint32_t offset)
{
	struct function_fields *fields = m->fields;
	struct ktrace_field *field;

	if (fields->nr_arguments == FUNCTION_FIELDS)
		return NULL;
	field = &fields->arguments[fields->nr_arguments++];
	field->name = name;
	field->ctype = ctype;
	field->offset = offset;
	return field;
}

/* It stands there so that nobody takes the arguments behind it for it. */
static void field_unknown(struct ktrace_field *field)
{
	field->kind = KTRACE_BYTES;
	field->size = 0;
	field->offset = 0;
}

/* False: it is no array of numbers. */
static bool array_fill(struct maker *m, struct ktrace_field *field, __u32 id)
{
	const struct btf_type *t = type_resolve(m->btf, id), *of;
	const struct btf_array *array;

	if (!t || !btf_is_array(t))
		return false;
	array = btf_array(t);
	of = type_resolve(m->btf, array->type);
	if (!of || !btf_is_int(of) || of->size > sizeof(uint64_t))
		return false;
	field->kind = KTRACE_ARRAY;
	field->elem = of->size;
	field->size = array->nelems * of->size;
	field->is_signed = btf_int_encoding(of) & BTF_INT_SIGNED;
	return true;
}

static void member_fill(struct maker *m, const struct btf_type *t, __u32 i,
			const char *name, uint32_t offset)
{
	__u32 id = btf_members(t)[i].type;
	struct ktrace_field *field =
		field_add(m, name, ctype_keep(m, id), offset);

	if (field && (btf_member_bitfield_size(t, i) ||
		      (!array_fill(m, field, id) && !value_fill(m, field, id))))
		field_unknown(field);
}

/*
 * The members of a struct, or of one in it, as PARAMETER.MEMBER.  How many there are; @count:
 * only that.
 */
static unsigned int members_fill(struct maker *m, __u32 id, const char *prefix,
				 uint32_t offset, bool count)
{
	const struct btf_type *t = type_resolve(m->btf, id), *of;
	unsigned int nr = 0;

	for (__u32 i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *member = &btf_members(t)[i];
		const char *own = btf__name_by_offset(m->btf, member->name_off);
		uint32_t at = offset + btf_member_bit_offset(t, i) / 8;
		const char *name = prefix;

		if (*own && !count)
			name = join_keep(m, prefix, ".", own);
		of = type_resolve(m->btf, member->type);
		if (of && btf_is_composite(of)) {
			nr += members_fill(m, member->type, name, at, count);
		} else {
			nr++;
			if (!count)
				member_fill(m, t, i, name, at);
		}
		/* The members of a union are at one place. */
		if (btf_is_union(t))
			break;
	}
	return nr;
}

#define MEMBERS_MAX 4

/* A struct of several words: its members, or the words if there are many. */
static void struct_fill(struct maker *m, __u32 id, const char *name,
			uint32_t offset)
{
	const struct btf_type *t = type_resolve(m->btf, id);
	struct ktrace_field *field;

	if (members_fill(m, id, name, offset, true) <= MEMBERS_MAX) {
		members_fill(m, id, name, offset, false);
		return;
	}
	field = field_add(m, name, ctype_keep(m, id), offset);
	if (!field)
		return;
	field->size = t->size;
	field->kind = KTRACE_BYTES;
	field->base = KTRACE_HEX;
	if (t->size % sizeof(uint64_t))
		return;
	field->kind = KTRACE_ARRAY;
	field->elem = sizeof(uint64_t);
}

static void argument_fill(struct maker *m, __u32 id, const char *name,
			  struct passing *passing)
{
	struct function_fields *fields = m->fields;
	struct ktrace_field *field;
	unsigned int word, nr;
	bool known = passing_next(passing, m->btf, id, &word, &nr);

	if (known && !nr)
		return;
	if (!known || word + nr > FUNCTION_WORDS) {
		field = field_add(m, name, ctype_keep(m, id), 0);
		if (field)
			field_unknown(field);
		return;
	}
	if (fields->nr_words < word + nr)
		fields->nr_words = word + nr;
	if (nr > 1 || !type_word_kind(m->btf, id)) {
		struct_fill(m, id, name, WORDS_BEGIN + 8 * word);
		return;
	}
	field = field_add(m, name, ctype_keep(m, id), WORDS_BEGIN + 8 * word);
	if (field)
		value_fill(m, field, id);
}

static void arguments_fill(struct maker *m, const struct btf_type *proto)
{
	const struct btf_param *params = btf_params(proto);
	struct ktrace_field *field;
	struct passing passing;

	passing_begin(&passing, m->btf, proto->type);
	for (int i = 0; i < btf_vlen(proto); i++) {
		const char *name =
			btf__name_by_offset(m->btf, params[i].name_off);

		if (params[i].type) {
			argument_fill(m, params[i].type,
				      name && *name ? name_keep(m, name)
						    : number_keep(m, i + 1),
				      &passing);
			continue;
		}
		/* Their number and types are the caller's. */
		field = field_add(m, "...", "...", 0);
		if (field)
			field_unknown(field);
	}
}

static void result_fill(struct maker *m, __u32 id)
{
	struct ktrace_field *result = &m->fields->result;
	const struct btf_type *t = type_resolve(m->btf, id);
	const char *ctype = ctype_keep(m, id);

	m->fields->is_void = !id;
	m->fields->returns = id;
	if (!id)
		return;
	result->name = "ret";
	result->ctype = ctype;
	result->offset = 4;
	switch (passing_class(m->btf, id)) {
	case PASSING_MEMORY:
		/* Its address is returned. */
		result->ctype = join_keep(m, ctype, " *", "");
		result->kind = KTRACE_POINTER;
		result->base = KTRACE_HEX;
		result->size = sizeof(uint64_t);
		break;
	case PASSING_WORDS:
		if ((btf_is_ptr(t) || t->size <= sizeof(uint64_t)) &&
		    value_fill(m, result, id))
			break;
		/* fall through */
	default:
		field_unknown(result);
	}
}

/* NAME.isra.0 has other arguments than NAME. */
static int clone_signature(struct prototypes *p, const char *name,
			   const char *module, const struct btf **btf,
			   const struct btf_type **proto)
{
	int fd;

	if (strcmp(module, p->bases->module) != 0)
		return -ENOENT;
	if (!p->clones_searched) {
		p->clones_searched = true;
		fd = kernel_file_open();
		if (fd >= 0)
			p->clones = clones_open(p->bases->btf, fd);
	}
	return p->clones ? clones_find(p->clones, name, btf, proto) : -ENOENT;
}

int signature_find(struct prototypes *p, const char *name, const char *module,
		   const struct btf **btf, const struct btf_type **proto)
{
	struct type_base *base;
	int err;

	if (is_clone(name))
		return clone_signature(p, name, module, btf, proto);
	err = prototypes_base(p, module, &base);
	err = err ?: functions_prepare(p, base);
	if (err)
		return err;
	*btf = base->btf;
	*proto = functions_find(p, base, name);
	if (!*proto || !btf_is_func_proto(*proto))
		return -ENOENT;
	*proto = proto_whole(p, base, name, *proto);
	return 0;
}

/* They are called what they are, because nobody knows which of them are arguments. */
void function_fields_plain(struct function_fields *fields, unsigned int words)
{
	static const char *const names[FUNCTION_WORDS] = {
		"rdi",	  "rsi",    "rdx",    "rcx",	"r8",	  "r9",
		"stack1", "stack2", "stack3", "stack4", "stack5", "stack6",
		"stack7", "stack8", "stack9", "stack10"};
	const struct ktrace_field word = {
		.ctype = "unsigned long",
		.size = sizeof(uint64_t),
		.kind = KTRACE_UINT,
		.base = KTRACE_HEX,
	};

	for (unsigned int i = 0; i < words; i++) {
		fields->arguments[i] = word;
		fields->arguments[i].name = names[i];
		fields->arguments[i].offset = WORDS_BEGIN + 8 * i;
	}
	fields->nr_arguments = words;
	fields->nr_words = words;
	fields->returns = true;
	fields->result = word;
	fields->result.name = "ret";
	fields->result.offset = 4;
}

/* Words of which nothing is known are easier to read in hexadecimal. */
static void clone_fields(struct function_fields *fields, const char *name)
{
	struct function_fields plain;

	function_fields_plain(&plain, FUNCTION_REGISTERS);
	for (unsigned int i = 0; i < fields->nr_arguments; i++) {
		struct ktrace_field *field = &fields->arguments[i];

		for (unsigned int k = 0; k < plain.nr_arguments; k++)
			if (!strcmp(field->name, plain.arguments[k].name))
				field->base = KTRACE_HEX;
	}
	if (fields->returns && !clone_returns(name))
		fields->result.base = KTRACE_HEX;
}

/*
 * Does a function get all of its arguments in registers?  No struct counts, even a small
 * one: if it is packed, it is on the stack.  Where a large one is returned goes into a
 * register, too, so the last argument may have none.
 */
static bool is_in_registers(const struct btf *btf, const struct btf_type *proto)
{
	const struct btf_param *params = btf_params(proto);
	const struct btf_type *t;

	if (btf_vlen(proto) > FUNCTION_REGISTERS)
		return false;
	/* The last one: what is returned. */
	for (int i = 0; i <= btf_vlen(proto); i++) {
		__u32 id = i < btf_vlen(proto) ? params[i].type : proto->type;

		if (!id && i == btf_vlen(proto))
			break;
		t = id ? type_resolve(btf, id) : NULL; /* none: "..." */
		if (!t || (!btf_is_ptr(t) &&
			   ((!btf_is_int(t) && !btf_is_any_enum(t)) ||
			    t->size > sizeof(uint64_t))))
			return false;
	}
	return true;
}

int prototypes_function(struct prototypes *p, const char *name,
			const char *module, struct function_fields *fields,
			struct arena *arena)
{
	struct maker m = {.prototypes = p, .arena = arena, .fields = fields};
	const struct btf_type *proto;
	int err;

	memset(fields, 0, sizeof(*fields));
	err = signature_find(p, name, module, &m.btf, &proto);
	if (err)
		return err;
	arguments_fill(&m, proto);
	result_fill(&m, proto->type);
	/* Not all that a copy gets is known. */
	if (is_clone(name))
		clone_fields(fields, name);
	else
		fields->in_registers = is_in_registers(m.btf, proto);
	return m.failed ? error_set(-ENOMEM, "out of memory") : 0;
}

static void parameter_text(struct text *text, struct maker *m,
			   const struct btf_param *param)
{
	const char *name = btf__name_by_offset(m->btf, param->name_off);
	const char *type = param->type ? ctype_keep(m, param->type) : "...";
	size_t len = strlen(type);

	text_puts(text, type);
	if (param->type && name && *name)
		text_printf(text, "%s%s",
			    len && type[len - 1] == '*' ? "" : " ", name);
}

int prototypes_text(struct prototypes *p, const char *name, const char *module,
		    struct arena *arena, const char **text, bool *in_registers)
{
	struct maker m = {.prototypes = p, .arena = arena};
	const struct btf_type *proto;
	struct text line = {0};
	const char *result;
	int err = signature_find(p, name, module, &m.btf, &proto);

	if (err)
		return err;
	result = proto->type ? ctype_keep(&m, proto->type) : "void";
	text_printf(&line, "%s%s%s(", result,
		    *result && result[strlen(result) - 1] == '*' ? "" : " ",
		    name);
	for (int i = 0; i < btf_vlen(proto); i++) {
		text_puts(&line, i ? ", " : "");
		parameter_text(&line, &m, &btf_params(proto)[i]);
	}
	text_puts(&line, btf_vlen(proto) ? ")" : "void)");
	*text = text_keep(&m, &line);
	*in_registers = !is_clone(name) && is_in_registers(m.btf, proto);
	return m.failed ? error_set(-ENOMEM, "out of memory") : 0;
}
