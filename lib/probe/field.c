// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Fields of probes: field.h. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace.h>
#include <ktrace/capture_names.h>

#include "base/error.h"
#include "debug_language.h"
#include "debug_named.h"
#include "debug_type.h"
#include "debug_variable.h"
#include "enumeration.h"
#include "field.h"
#include "operand.h"
#include "session/expression.h"
#include "session/passing.h"
#include "session/strings.h"
#include "variable.h"

/* One may be the mask of what could not be read. */
#define FIELDS_MAX (KT_DEFINITION_FIELDS - 1)
/* With __NAME_val around it, it must still be a name (kernel/event/registry.h). */
#define NAME_MAX_LENGTH 57
/* A text's address must be among the arguments of a capture program. */
#define TEXTS_MAX 8
/* Structs in structs. */
#define DEPTH_MAX 8

struct fields {
	struct scope scope;
	struct text *text;
	unsigned int nr;
	bool reads;    /* memory */
	bool implicit; /* nobody has named the values one by one */
	char names[KT_DEFINITION_FIELDS][NAME_MAX_LENGTH + 1];
};

/*
 * New types may have moved it.  A copy of a function that the compiler has made (NAME.isra.0) is not
 * called as the function, nor is what is written in other languages than C always called as in C:
 * their parameters are known by name.
 */
static void proto_refresh(struct fields *f)
{
	const struct place *place = f->scope.place;

	if (!place->code)
		return;
	f->scope.proto = NULL;
	if (*place->line || strchr(place->function, '.') ||
	    !debug_is_c(place->code, place->address - place->slide))
		return;
	if (debug_variable_proto(place->code, place->address - place->slide,
				 &f->scope.proto))
		f->scope.proto = NULL;
}

/* ---- one field --------------------------------------------------------------- */

/* How many bits a number has, and how it is shown. */
struct format {
	enum {
		BY_TYPE,
		UNSIGNED,
		SIGNED,
		HEX,
		NETWORK,
		STRING,
		SYMBOL,
	} how;
	unsigned int size; /* bytes; 0: as its type */
};

static int format_parse(struct format *format, const char *text)
{
	static const struct {
		const char *name;
		int how;
	} words[] = {
		{"string", STRING}, {"symbol", SYMBOL}, {"u", UNSIGNED},
		{"s", SIGNED},	    {"x", HEX},		{"be", NETWORK},
	};
	size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz");
	const char *digits = text + letters;
	unsigned int bits = atoi(digits);
	bool is_number = !digits[strspn(digits, "0123456789")];
	bool sized = bits == 8 || bits == 16 || bits == 32 || bits == 64;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i].name) != letters ||
		    strncmp(words[i].name, text, letters))
			continue;
		format->how = words[i].how;
		format->size = bits / 8;
		if (!*digits && format->how != NETWORK)
			return 0;
		if (is_number && strlen(digits) < 3 && sized &&
		    format->how < STRING &&
		    !(format->how == NETWORK && bits == 8))
			return 0;
	}
	return error_set(-EINVAL,
			 "`:%s': u8 to u64, s8 to s64, x8 to x64, be16 to "
			 "be64, string or symbol is wanted",
			 text);
}

/* The byte order of a type such as __be16: its bytes; 0: that of the machine. */
static unsigned int swapped_size(const struct expression *e)
{
	const struct btf_type *t = btf__type_by_id(e->btf, e->type);
	const char *name;

	for (; !e->stars && t && (btf_is_mod(t) || btf_is_typedef(t));
	     t = btf__type_by_id(e->btf, t->type)) {
		name = type_name_of(e->btf, t);
		if (btf_is_typedef(t) && !strncmp(name, "__be", 4))
			return atoi(name + 4) / 8;
	}
	return 0;
}

/* The address of a function of the kernel. */
static bool is_code(const struct expression *e)
{
	const struct btf_type *t = type_resolve(e->btf, e->type), *to;

	if (!t || e->stars || !btf_is_ptr(t))
		return false;
	to = type_resolve(e->btf, t->type);
	return to && btf_is_func_proto(to);
}

static bool name_is_used(const struct fields *f, const char *name)
{
	for (unsigned int i = 0; i < f->nr; i++)
		if (!strcmp(f->names[i], name))
			return true;
	return false;
}

/*
 * Names of types and members are those of files that strangers have made, and end up in a line for the
 * kernel, where a newline begins another probe.
 */
static bool is_type_text(const char *text)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) &&
		    !strchr(" _*[]():,<>&.", *text))
			return false;
	return true;
}

static void name_clean(char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name))
			*name = '_';
}

static int field_add(struct fields *f, const char *kind, const char *ctype,
		     const char *said, const char *words)
{
	char *own = f->names[f->nr], name[NAME_MAX_LENGTH + 1];

	snprintf(name, sizeof(name), "%s", *said ? said : "value");
	name_clean(name);
	if (!is_type_text(ctype))
		ctype = kind;
	if (f->nr == FIELDS_MAX)
		return error_set(-EINVAL,
				 "that is more than %d values: name those "
				 "members that you want",
				 FIELDS_MAX);
	snprintf(own, sizeof(f->names[0]), "%s", name);
	for (unsigned int i = 2; name_is_used(f, own); i++)
		snprintf(own, sizeof(f->names[0]), "%.50s_%u", name, i);
	f->nr++;
	f->reads |= strchr(words, '@') != NULL;
	text_printf(f->text, "; %s %s %s = %s", kind, ctype, own, words);
	return 0;
}

/* 32-bit programs may have their addresses in 4 bytes. */
static bool is_address(const struct fields *f, const struct expression *e)
{
	bool is_signed;
	uint32_t size = expression_number_size(e, &is_signed);

	return size == 8 || (size == 4 && f->scope.place->is_32);
}

/* Where a text is. */
static int string_add(struct fields *f, const struct expression *e,
		      const char *name)
{
	char ctype[24] = "string";
	struct text words = {0};
	uint32_t size = 0;
	int err;

	if (f->nr >= TEXTS_MAX)
		return error_set(-EINVAL,
				 "a text must be among the first %d values",
				 TEXTS_MAX);
	if (expression_is_text(e, &size) && size)
		expression_push_address(e, &words);
	else if (is_address(f, e))
		expression_push_number(e, &words);
	else
		return error_set(-EINVAL, "it is no address of a text");
	/* An array need not end with a NUL. */
	if (size && size < UINT32_MAX)
		snprintf(ctype, sizeof(ctype), "string:%u", size);
	err = words.failed ? error_set(-ENOMEM, "out of memory")
			   : field_add(f, "u64", ctype, name, words.s);
	text_free(&words);
	return err;
}

static void number_words(const struct expression *e, unsigned int size,
			 unsigned int swap, struct text *words)
{
	bool is_signed;

	if (e->is_value || e->bits ||
	    size > expression_number_size(e, &is_signed)) {
		expression_push_wide(e, size, words);
	} else {
		expression_push_address(e, words);
		text_printf(words, " @%u", size);
	}
	if (swap)
		text_printf(words, " swap%u", swap);
}

/* A program's types may have the names of the kernel's, of which readers know more. */
static void program_ctype(struct fields *f, const struct expression *e,
			  const char *kind, struct text *ctype)
{
	const struct place *place = f->scope.place;
	char name[ENUMERATION_NAME_MAX + 1] = "";
	struct text type = {0};

	if (place->code && !e->stars)
		enumeration_name(place->code, place->address + place->offset,
				 e->type, name);
	expression_type(e, &type);
	if (*name)
		text_printf(ctype, "enum %s", name);
	else if (type.s && strchr(type.s, '*'))
		text_puts(ctype, type.s);
	else
		text_puts(ctype, kind);
	text_free(&type);
	/* It may have moved. */
	proto_refresh(f);
}

/* The C type, unless it would be shown as bytes. */
static void number_ctype(const struct fields *f, const struct expression *e,
			 const char *kind, struct text *ctype)
{
	struct debug_code *code = f->scope.place->code;
	struct text type = {0};
	const char *name;

	expression_type(e, &type);
	name = type.s ?: "";
	if (!strncmp(name, "const ", 6) && !strchr(name, '*'))
		name += 6;
	/* Readers would take the kernel's enumeration of this name. */
	if (type.failed || !*name ||
	    (code && !e->stars && !enumeration_is_known(code, e->type)) ||
	    (!strchr(name, '*') &&
	     (!strncmp(name, "struct ", 7) || !strncmp(name, "union ", 6))))
		name = kind;
	text_puts(ctype, name);
	text_free(&type);
}

static int number_add(struct fields *f, const struct expression *e,
		      const struct format *format, const char *name)
{
	bool is_signed;
	uint32_t own = expression_number_size(e, &is_signed), size, swap = 0;
	struct text words = {0}, ctype = {0};
	char kind[16];
	int err;

	if (!own)
		return error_set(-EINVAL, "it is no number: name a member or "
					  "an element of it");
	size = format->size ?: own;
	if (format->how == NETWORK && size > own)
		return error_set(-EINVAL, "it has only %u bytes", own);
	if (format->how == NETWORK)
		swap = size;
	else if (format->how == BY_TYPE && swapped_size(e) == size)
		swap = size;
	if (format->how != BY_TYPE)
		is_signed = format->how == SIGNED;
	snprintf(kind, sizeof(kind), "%c%u", is_signed ? 's' : 'u', 8 * size);
	if (format->how == HEX)
		text_printf(&ctype, "x%u", 8 * size);
	else if (format->how == SYMBOL || (format->how == BY_TYPE &&
					   !f->scope.place->path && is_code(e)))
		text_puts(&ctype, "symbol");
	else if (format->how == BY_TYPE && f->scope.place->path)
		program_ctype(f, e, kind, &ctype);
	else if (format->how == BY_TYPE)
		number_ctype(f, e, kind, &ctype);
	else
		text_puts(&ctype, kind);
	number_words(e, size, swap, &words);
	err = words.failed || ctype.failed
		      ? error_set(-ENOMEM, "out of memory")
		      : field_add(f, kind, ctype.s, name, words.s);
	text_free(&words);
	text_free(&ctype);
	return err;
}

static int value_add(struct fields *f, struct expression *e,
		     const struct format *format, const char *name,
		     unsigned int depth);

/* The words are @of's; the place is a member of it. */
static int member_begin(struct expression *e, const struct expression *of,
			const struct btf_type *t, __u32 i)
{
	uint32_t bit = btf_member_bit_offset(t, i);

	*e = *of;
	e->words = (struct text){0};
	text_puts(&e->words, of->words.s);
	e->type = btf_members(t)[i].type;
	e->bits = btf_member_bitfield_size(t, i);
	if (e->is_value) {
		e->shift += bit;
	} else {
		e->offset += bit / 8;
		e->shift = bit % 8;
	}
	return e->words.failed ? error_set(-ENOMEM, "out of memory") : 0;
}

/* Of what nobody asked for by name, a text behind the first ones is its address. */
static bool text_fits(const struct fields *f)
{
	return !f->implicit || f->nr < TEXTS_MAX;
}

/* What nobody asked for by name is recorded as far as there is room. */
static bool is_full(const struct fields *f)
{
	return f->implicit && f->nr == FIELDS_MAX;
}

/* All members, those of structs within it as PARENT_MEMBER.  Of a union, the first. */
static int struct_add(struct fields *f, struct expression *e,
		      const char *prefix, unsigned int depth)
{
	static const struct format format = {0};
	bool is_union = btf_is_union(expression_struct(e));
	__u32 nr = btf_vlen(expression_struct(e));
	int err = 0;

	for (__u32 i = 0; !err && i < nr && !is_full(f); i++) {
		/* New types may have moved it. */
		const struct btf_type *t = expression_struct(e);
		const char *own =
			btf__name_by_offset(e->btf, btf_members(t)[i].name_off);
		char name[2 * NAME_MAX_LENGTH];
		struct expression member;
		bool is_signed;
		uint32_t size;

		snprintf(name, sizeof(name), "%.40s%s%.60s", prefix,
			 *prefix && *own ? "_" : "", own);
		err = member_begin(&member, e, t, i);
		if (!err &&
		    (expression_struct(&member) ||
		     (text_fits(f) && expression_is_text(&member, &size)) ||
		     expression_number_size(&member, &is_signed)))
			err = value_add(f, &member, &format, name, depth + 1);
		expression_end(&member);
		if (is_union)
			break;
	}
	return err;
}

/* A parameter of type char * may as well be a buffer of bytes. */
static bool is_text(const struct expression *e, const char *name)
{
	const struct btf_type *t = type_resolve(e->btf, e->type), *to;
	uint32_t size;

	if (!expression_is_text(e, &size))
		return false;
	if (!e->is_value || e->stars)
		return true;
	to = btf__type_by_id(e->btf, t->type);
	while (to && (btf_is_type_tag(to) || btf_is_typedef(to)))
		to = btf__type_by_id(e->btf, to->type);
	return to && btf_is_const(to) && !string_is_buffer(name);
}

static int value_add(struct fields *f, struct expression *e,
		     const struct format *format, const char *name,
		     unsigned int depth)
{
	const struct btf_type *t = expression_struct(e);
	bool is_signed;

	if (format->how == STRING ||
	    (format->how == BY_TYPE && is_text(e, name) && text_fits(f)))
		return string_add(f, e, name);
	/* A struct of one number is that. */
	if (!t || expression_number_size(e, &is_signed))
		return number_add(f, e, format, name);
	if (format->how != BY_TYPE || depth == DEPTH_MAX)
		return error_set(-EINVAL, "it is a %s: name a member of it",
				 btf_is_union(t) ? "union" : "struct");
	return struct_add(f, e, depth ? name : "", depth);
}

/* ---- all of them ------------------------------------------------------------- */

/* The last name in an expression: what it is about. */
static void name_derive(const char *text, const char *end,
			char name[NAME_MAX_LENGTH + 1])
{
	const char *from = NULL, *c = text;
	size_t length = 0;

	while (c < end) {
		const char *begin = c;

		while (c < end && (isalnum((unsigned char)*c) || *c == '_'))
			c++;
		if (c > begin && !isdigit((unsigned char)*begin)) {
			from = begin;
			length = c - begin;
		}
		c += c == begin;
	}
	/* Two of them begin names of ours (<ktrace/capture_names.h>). */
	for (; from && length > 1 && *from == '_'; length--)
		from++;
	/* A variable may be called so, too. */
	if (from && length == 6 && !strncmp(from, "retval", 6) && from > text &&
	    from[-1] == '$')
		from = "ret", length = 3;
	snprintf(name, NAME_MAX_LENGTH + 1, "%.*s", (int)length,
		 from ?: "value");
}

/* "NAME=" in front of an expression.  Returns what is behind it. */
static const char *name_take(const char *text, char name[NAME_MAX_LENGTH + 1])
{
	const char *end = text;

	*name = '\0';
	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	if (end == text || isdigit((unsigned char)*text) || *end != '=' ||
	    end - text > NAME_MAX_LENGTH)
		return text;
	snprintf(name, NAME_MAX_LENGTH + 1, "%.*s", (int)(end - text), text);
	return end + 1;
}

static int format_take(const char **text, struct format *format)
{
	char word[16];
	size_t length;

	*format = (struct format){0};
	if (**text != ':')
		return 0;
	length = strcspn(*text + 1, " \t");
	snprintf(word, sizeof(word), "%.*s", (int)length, *text + 1);
	*text += 1 + length;
	return format_parse(format, word);
}

/* Is it nothing but a name? */
static bool is_name(const char *begin, const char *end)
{
	begin += *begin == '%' || *begin == '$';
	while (begin < end && isalnum((unsigned char)*begin))
		begin++;
	return begin == end;
}

static int type_named(void *data, const char *tag, const char *name)
{
	const struct scope *scope = data;

	return scope->place->code
		       ? debug_named_find(scope->place->code, tag, name)
		       : 0;
}

static int expression_add(struct fields *f, const char **text)
{
	char name[NAME_MAX_LENGTH + 1];
	const char *begin, *end;
	struct format format = {0};
	struct expression e;
	int err;

	f->scope.bare = false;
	proto_refresh(f);
	begin = end = name_take(*text, name);
	if (!strncmp(name, KTRACE_CAPTURED_PREFIX, 2))
		return error_set(-EINVAL,
				 "`%s': names that begin with two underscores "
				 "are ktrace's own",
				 name);
	err = expression_parse(&e, f->scope.btf, &end, variable_begin,
			       type_named, &f->scope);
	if (!err && !*name)
		name_derive(begin, end, name);
	*text = end;
	err = err ?: format_take(text, &format);
	/* A register is easier to read in hexadecimal. */
	if (f->scope.bare && format.how == BY_TYPE && is_name(begin, end))
		format.how = HEX;
	if (!err && **text && **text != ' ' && **text != '\t')
		err = error_set(-EINVAL, "nobody understands `%s'", *text);
	err = err ?: value_add(f, &e, &format, name, 0);
	expression_end(&e);
	return err;
}

static int parameter_add(struct fields *f, int index)
{
	static const struct format format = {0};
	char name[NAME_MAX_LENGTH + 1], words[32];
	unsigned int word = 0, nr = 0;
	struct expression e = {0};
	int err = 0;

	snprintf(name, sizeof(name), "%s", parameter_name(&f->scope, index));
	if (!*name)
		snprintf(name, sizeof(name), "arg%d", index + 1);
	/* A struct that has no bytes, or is in two registers. */
	if (parameter_find(&f->scope, index, &word, &nr) &&
	    word < PASSING_REGISTERS && nr != 1) {
		for (; !err && nr && !is_full(f); nr--, word++) {
			argument_words(f->scope.place, word, words,
				       sizeof(words));
			err = field_add(f, "u64", "x64", name, words);
		}
		return err;
	}
	err = parameter_begin(&f->scope, index, &e);
	err = err ?: value_add(f, &e, &format, name, 0);
	expression_end(&e);
	return err;
}

/* All arguments of a USDT probe, but for those that a probe cannot read. */
static int operands_add(struct fields *f)
{
	unsigned int nr = operands_count(f->scope.place->arguments);
	char name[16];
	const char *text = name;
	int err = 0;

	for (unsigned int i = 1; !err && i <= nr && i <= FIELDS_MAX; i++) {
		snprintf(name, sizeof(name), "$arg%u", i);
		text = name;
		if (expression_add(f, &text) == -ENOMEM)
			err = -ENOMEM;
	}
	return err;
}

/* All parameters, but for those behind one of which nobody knows where it is. */
static int parameters_add(struct fields *f)
{
	int err = parameters_check(&f->scope, "$params");
	unsigned int word, nr;

	proto_refresh(f);

	if (!err && f->scope.place->arguments)
		return operands_add(f);

	if (!err && !f->scope.proto)
		err = parameters_unknown(&f->scope, "$params");
	f->implicit = true;
	for (int i = 0; !err && f->scope.proto &&
			i < btf_vlen(f->scope.proto) && !is_full(f);
	     i++) {
		if (!parameter_find(&f->scope, i, &word, &nr))
			break;
		err = parameter_add(f, i);
		proto_refresh(f);
	}
	f->implicit = false;
	return err;
}

/* Without any expression: what the function gets, or returns, if that is known. */
static int default_add(struct fields *f)
{
	const char *result = "$retval";

	proto_refresh(f);
	if (f->scope.place->arguments)
		return operands_add(f);
	if (!f->scope.proto || f->scope.place->has_offset ||
	    *f->scope.place->line)
		return 0;
	if (!f->scope.place->returns)
		return parameters_add(f);
	if (!f->scope.proto->type)
		return 0;
	if (passing_class(f->scope.btf, f->scope.proto->type) ==
		    PASSING_WORDS &&
	    btf__resolve_size(f->scope.btf, f->scope.proto->type) > 8)
		return field_add(f, "u64", "x64", "ret", "ax")
			       ?: field_add(f, "u64", "x64", "ret", "dx");
	return expression_add(f, &result);
}

/* Casts in the expressions may name types. */
static int source_types_find(struct fields *f, const char *expressions)
{
	const struct place *place = f->scope.place;
	int err =
		debug_types_load(place->code, place_source(place), expressions);

	f->scope.btf = debug_type_btf(place->code);
	if (!err && !f->scope.btf)
		err = error_set(-ENOMEM, "out of memory");
	proto_refresh(f);
	return err;
}

static int proto_find(struct fields *f, struct prototypes *p,
		      const char *expressions)
{
	const struct place *place = f->scope.place;
	struct type_base *base;
	int err;

	if (place->code)
		return source_types_find(f, expressions);

	if (*place->function && !place->path &&
	    !signature_find(p, place->function,
			    *place->module ? place->module : "vmlinux",
			    &f->scope.btf, &f->scope.proto))
		return 0;
	f->scope.proto = NULL;
	err = prototypes_base(p, "vmlinux", &base);
	if (!err)
		f->scope.btf = base->btf;
	return err;
}

int fields_scope(struct prototypes *p, const struct place *place,
		 struct scope *scope)
{
	struct fields f = {.scope.place = place};
	int err = proto_find(&f, p, "");

	*scope = f.scope;
	return err;
}

int fields_write(struct prototypes *p, const struct place *place,
		 const char *expressions, struct text *text, bool *sourceless)
{
	static const char params[] = "$params";
	struct fields f = {.scope.place = place, .text = text};
	bool any = false;
	int err = proto_find(&f, p, expressions);

	while (!err) {
		expressions += strspn(expressions, " \t");
		if (!*expressions)
			break;
		any = true;
		if (!strncmp(expressions, params, sizeof(params) - 1) &&
		    strchr(" \t", expressions[sizeof(params) - 1])) {
			expressions += sizeof(params) - 1;
			err = parameters_add(&f);
		} else {
			err = expression_add(&f, &expressions);
		}
	}
	if (!err && !any)
		err = default_add(&f);
	if (!err && f.reads)
		text_puts(text, "; u32 u32 " KTRACE_VALUES_UNREAD " = unread");
	*sourceless = err && f.scope.sourceless;
	return err;
}
