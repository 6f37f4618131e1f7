// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the kernel's print formats say about values.  libtraceevent parses them;
 * this walks its trees and keeps the parts that concern a single field:
 *
 *	__print_flags(REC->flags, "|", {1, "A"} …)	names of bits
 *	__print_symbolic(REC->state, {0, "RUNNING"} …)	names of values
 *	REC->state ? __print_flags(REC->state …) : "R"	a name for no bits
 *	REC->state & 256 ? "+" : ""			one more bit
 *	%x, %pS, %pI4, %pM … of a field			its base
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

#include "base/text.h"
#include "print_format.h"

/* One walk through the arguments of one event. */
struct walk {
	const struct ktrace_type *type;
	struct ktrace_field *fields;
	struct arena *arena;
};

struct tep_handle *print_open(void)
{
	struct tep_handle *tep = tep_alloc();

	if (!tep)
		return NULL;
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, 8);
	tep_set_page_size(tep, 4096);
	return tep;
}

void print_close(struct tep_handle *tep)
{
	if (tep)
		tep_free(tep);
}

char *print_resolve(const char *print, struct enums *enums, struct arena *arena)
{
	const char *p = print, *begin = print;
	struct text text = {0};
	bool quoted = false;
	char *copy;

	while (*p) {
		size_t len = 0;
		int64_t value;

		if (*p == '\\' && p[1]) {
			p += 2;
			continue;
		}
		if (*p == '"')
			quoted = !quoted;
		if (quoted || !(isalpha((unsigned char)*p) || *p == '_')) {
			/* Numbers have letters, too: 0x10UL. */
			if (!quoted && isdigit((unsigned char)*p))
				while (isalnum((unsigned char)*p))
					p++;
			else
				p++;
			continue;
		}
		while (isalnum((unsigned char)p[len]) || p[len] == '_')
			len++;
		/* A member, a macro or the record, so not a constant. */
		if ((p > print && (p[-1] == '>' || p[-1] == '.')) ||
		    p[len] == '(' || (len == 3 && !memcmp(p, "REC", 3)) ||
		    !enums_value(enums, p, len, &value)) {
			p += len;
			continue;
		}
		text_add(&text, begin, p - begin);
		text_printf(&text, "%lld", (long long)value);
		p += len;
		begin = p;
	}
	text_puts(&text, begin);
	copy = text.failed ? NULL : arena_strndup(arena, text.s, text.len);
	text_free(&text);
	return copy;
}

static struct ktrace_field *walk_field(struct walk *walk, const char *name)
{
	uint32_t i;

	for (i = 0; name && i < walk->type->nr_fields; i++) {
		if (!strcmp(walk->fields[i].name, name))
			return &walk->fields[i];
	}
	return NULL;
}

static struct tep_print_arg *strip_casts(struct tep_print_arg *arg)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	return arg;
}

static bool is_op(const struct tep_print_arg *arg, const char *op)
{
	return arg && arg->type == TEP_PRINT_OP && arg->op.op &&
	       !strcmp(arg->op.op, op);
}

/* Evaluates constant expressions, which libtraceevent leaves as trees. */
static bool constant(struct tep_print_arg *arg, uint64_t *value)
{
	uint64_t left, right;
	const char *op;
	char *end;

	arg = strip_casts(arg);
	if (!arg)
		return false;
	if (arg->type == TEP_PRINT_ATOM) {
		*value = strtoull(arg->atom.atom, &end, 0);
		return end != arg->atom.atom && end[strspn(end, "uUlL")] == 0;
	}
	if (arg->type != TEP_PRINT_OP || !arg->op.op ||
	    !constant(arg->op.right, &right))
		return false;
	op = arg->op.op;
	if (!strcmp(op, "~")) {
		*value = ~right;
		return true;
	}
	if (!constant(arg->op.left, &left))
		return false;
	if (!strcmp(op, "+"))
		*value = left + right;
	else if (!strcmp(op, "-"))
		*value = left - right;
	else if (!strcmp(op, "*"))
		*value = left * right;
	else if (!strcmp(op, "|"))
		*value = left | right;
	else if (!strcmp(op, "&"))
		*value = left & right;
	else if (!strcmp(op, "<<") && right < 64)
		*value = left << right;
	else if (!strcmp(op, ">>") && right < 64)
		*value = left >> right;
	else
		return false;
	return true;
}

/* The field whose value is @arg, possibly masked. */
static struct ktrace_field *value_field(struct walk *walk,
					struct tep_print_arg *arg)
{
	struct ktrace_field *field = NULL;
	uint64_t mask;

	arg = strip_casts(arg);
	if (is_op(arg, "&")) {
		if (constant(arg->op.right, &mask))
			arg = strip_casts(arg->op.left);
		else if (constant(arg->op.left, &mask))
			arg = strip_casts(arg->op.right);
	}
	if (arg && arg->type == TEP_PRINT_FIELD)
		field = walk_field(walk, arg->field.name);
	return field && field->kind <= KTRACE_POINTER ? field : NULL;
}

/* The value in the form in which the field is read: sign-extended or not. */
static uint64_t field_value(const struct ktrace_field *field, uint64_t value)
{
	unsigned int unused = 64 - 8 * field->size;

	if (field->kind == KTRACE_INT)
		return (int64_t)(value << unused) >> unused;
	return value << unused >> unused;
}

/* Removes trailing blanks, which only align the kernel's columns. */
static const char *copy_name(struct arena *arena, const char *s)
{
	size_t len = strlen(s);

	while (len > 1 && s[len - 1] == ' ')
		len--;
	return arena_strndup(arena, s, len);
}

static void set_names(struct walk *walk, struct tep_print_arg *arg,
		      struct tep_print_flag_sym *sym, const char *delim)
{
	struct ktrace_field *field = value_field(walk, arg);
	struct tep_print_flag_sym *s;
	struct ktrace_names *names;
	struct ktrace_name *list;
	uint32_t count = 0;

	/* A field keeps its first table of names. */
	if (!field || field->names)
		return;
	for (s = sym; s; s = s->next)
		count++;
	names = arena_alloc(walk->arena, sizeof(*names));
	list = arena_alloc(walk->arena, (count + 1) * sizeof(*list));
	if (!names || !list)
		return;
	for (s = sym; s; s = s->next) {
		char *end = s->value;
		uint64_t value = s->value ? strtoull(s->value, &end, 0) : 0;
		struct ktrace_name *name = &list[names->count];

		/* The name of a constant whose value is not known. */
		if (end == s->value || end[strspn(end, "uUlL")] || !s->str)
			continue;
		name->value = field_value(field, value);
		name->name = copy_name(walk->arena, s->str);
		if (!name->name)
			return;
		names->count++;
	}
	if (!names->count)
		return;
	names->flags = delim;
	names->delim = delim && *delim ? arena_strdup(walk->arena, delim)
		       : delim	       ? "|"
				       : NULL;
	names->names = list;
	field->names = names;
}

/* Adds an entry to the end of the field's flags. */
static void add_flag(struct walk *walk, struct ktrace_field *field,
		     uint64_t value, const char *name)
{
	struct ktrace_names *names;
	struct ktrace_name *list;
	uint32_t i, count;

	if (!field || !field->names || !field->names->flags || !*name)
		return;
	count = field->names->count;
	value = field_value(field, value);
	for (i = 0; i < count; i++) {
		if (field->names->names[i].value == value)
			return;
	}
	names = arena_alloc(walk->arena, sizeof(*names));
	list = arena_alloc(walk->arena, (count + 1) * sizeof(*list));
	if (!names || !list)
		return;
	memcpy(list, field->names->names, count * sizeof(*list));
	list[count].value = value;
	list[count].name = arena_strdup(walk->arena, name);
	if (!list[count].name)
		return;
	*names = *field->names;
	names->names = list;
	names->count = count + 1;
	field->names = names;
}

/* Handles `cond ? yes : no', printed with %s. */
static void choice(struct walk *walk, struct tep_print_arg *arg)
{
	struct tep_print_arg *yes, *no, *cond = strip_casts(arg->op.left);
	struct ktrace_field *field = value_field(walk, cond);
	uint64_t mask;

	if (!is_op(arg->op.right, ":"))
		return;
	yes = strip_casts(arg->op.right->op.left);
	no = strip_casts(arg->op.right->op.right);
	if (!field || !yes || !no || no->type != TEP_PRINT_ATOM)
		return;
	if (yes->type == TEP_PRINT_FLAGS)
		add_flag(walk, field, 0, no->atom.atom);
	else if (yes->type == TEP_PRINT_ATOM && !*no->atom.atom &&
		 is_op(cond, "&") && constant(cond->op.right, &mask))
		add_flag(walk, field, mask, yes->atom.atom);
}

static void walk_tables(struct walk *walk, struct tep_print_arg *arg)
{
	if (!arg)
		return;
	switch (arg->type) {
	case TEP_PRINT_FLAGS:
		set_names(walk, arg->flags.field, arg->flags.flags,
			  arg->flags.delim ? arg->flags.delim : "");
		break;
	case TEP_PRINT_SYMBOL:
		set_names(walk, arg->symbol.field, arg->symbol.symbols, NULL);
		break;
	case TEP_PRINT_TYPE:
		walk_tables(walk, arg->typecast.item);
		break;
	case TEP_PRINT_OP:
		walk_tables(walk, arg->op.left);
		walk_tables(walk, arg->op.right);
		if (is_op(arg, "?"))
			choice(walk, arg);
		break;
	default:
		break;
	}
}

static void set_bytes(struct ktrace_field *field, enum ktrace_base base)
{
	if (!field || field->kind < KTRACE_STRING)
		return;
	if (field->kind == KTRACE_STRING)
		field->kind = KTRACE_BYTES;
	field->base = base;
}

static struct ktrace_field *bytes_field(struct walk *walk,
					struct tep_print_arg *arg)
{
	arg = strip_casts(arg);
	if (!arg)
		return NULL;
	if (arg->type == TEP_PRINT_FIELD)
		return walk_field(walk, arg->field.name);
	if (arg->type == TEP_PRINT_DYNAMIC_ARRAY && arg->dynarray.field)
		return walk_field(walk, arg->dynarray.field->name);
	return NULL;
}

/* @suffix: the characters after %p. */
static void walk_pointer(struct walk *walk, struct tep_print_arg *arg,
			 const char *suffix)
{
	struct ktrace_field *field = value_field(walk, arg);

	if (field && strchr("sSfFB", *suffix) && *suffix && field->size == 8) {
		field->base = KTRACE_SYMBOL;
		return;
	}
	field = bytes_field(walk, arg);
	if (*suffix == 'M' || *suffix == 'm')
		set_bytes(field, KTRACE_MAC);
	else if (*suffix == 'U')
		set_bytes(field, KTRACE_UUID);
	else if ((*suffix == 'I' || *suffix == 'i') && suffix[1] == '4')
		set_bytes(field, KTRACE_IP4);
	else if ((*suffix == 'I' || *suffix == 'i') && suffix[1] == '6')
		set_bytes(field, KTRACE_IP6);
	else if (*suffix == 'I' && suffix[1] == 'S')
		set_bytes(field, KTRACE_SOCKADDR);
}

static void walk_value(struct walk *walk, struct tep_print_arg *arg,
		       const char *spec)
{
	struct ktrace_field *field = value_field(walk, arg);

	/* Handles REC->pfn != -1UL ? REC->pfn : 0. */
	arg = strip_casts(arg);
	if (is_op(arg, "?") && is_op(arg->op.right, ":") && *spec != 's')
		field = value_field(walk, arg->op.right->op.left);
	if (*spec == 'p') {
		walk_pointer(walk, arg, spec + 1);
		return;
	}
	if (field && field->base == KTRACE_DEC) {
		if (*spec == 'x' || *spec == 'X')
			field->base = KTRACE_HEX;
		else if (*spec == 'o')
			field->base = KTRACE_OCT;
	}
	walk_tables(walk, arg);

	arg = strip_casts(arg);
	if (!arg)
		return;
	if (is_op(arg, "[") && (*spec == 'x' || *spec == 'X')) {
		field = bytes_field(walk, arg->op.left);
		if (field && field->kind == KTRACE_ARRAY &&
		    field->base == KTRACE_DEC)
			field->base = KTRACE_HEX;
	}
	if (arg->type == TEP_PRINT_BITMASK || arg->type == TEP_PRINT_CPUMASK) {
		field = walk_field(walk, arg->bitmask.bitmask);
		if (field && field->kind >= KTRACE_STRING) {
			field->kind = KTRACE_BITMASK;
			field->elem = sizeof(uint64_t);
			field->base = KTRACE_DEC;
		}
	} else if (arg->type == TEP_PRINT_HEX ||
		   arg->type == TEP_PRINT_HEX_STR) {
		field = bytes_field(walk, arg->hex.field);
		if (field && field->kind == KTRACE_STRING) {
			field->kind = KTRACE_BYTES;
			field->base = KTRACE_HEX;
		}
	}
}

/*
 * Can the format say anything?  A decimal number of a plain field does not.
 * Parsing is slow, and there are more than a thousand events of syscalls alone.
 */
static bool print_tells(const char *print)
{
	const char *p = print;

	if (strstr(print, "__") || strchr(print, '?') || strchr(print, '['))
		return true;
	while ((p = strchr(p, '%'))) {
		p += 1 + strspn(p + 1, "-+ #0123456789.hlLqjzt");
		if (!*p || !strchr("diuc%", *p))
			return true;
		p++;
	}
	return false;
}

void print_apply(struct tep_handle *tep, const struct ktrace_type *type,
		 struct ktrace_field *fields, struct arena *arena)
{
	struct walk walk = {.type = type, .fields = fields, .arena = arena};
	struct tep_event *event = NULL;
	struct tep_print_arg *arg;
	const char *p;
	char *text;

	if (!print_tells(type->print))
		return;
	text = ktrace_type_format(type);
	if (!text)
		return;
	if (tep_parse_event(tep, text, strlen(text), type->system))
		goto out;
	event = tep_find_event_by_name(tep, type->system, type->name);
	if (!event || !event->print_fmt.format)
		goto out;

	arg = event->print_fmt.args;
	for (p = event->print_fmt.format; *p && arg; p++) {
		if (*p != '%')
			continue;
		if (*++p == '%')
			continue;
		for (; *p && strchr("-+ #0123456789.*hlLqjzt", *p); p++) {
			if (*p == '*' && arg)
				arg = arg->next;
		}
		if (!*p || !arg)
			break;
		walk_value(&walk, arg, p);
		arg = arg->next;
	}
out:
	free(text);
}
