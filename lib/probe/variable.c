// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Variables of probes: variable.h.
 *
 * Where a parameter is follows from the calling convention (session/passing.h), so it is known
 * where a function begins.  Later the compiler may keep it anywhere.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug_code.h"
#include "debug_variable.h"
#include "operand.h"
#include "session/passing.h"
#include "variable.h"

static const char *const argument_registers[] = {"di", "si", "dx",
						 "cx", "r8", "r9"};

static int word_type(struct scope *scope, __u32 *type)
{
	static const char name[] = "long unsigned int";
	__s32 id = btf__find_by_name_kind(scope->btf, name, BTF_KIND_INT);

	if (id <= 0 && scope->place->code)
		id = btf__add_int(scope->place->code->btf, name, 8, 0);

	if (id <= 0)
		return error_set(-EINVAL, "the kernel's type information is "
					  "broken");
	*type = id;
	return 0;
}

/* A word of which no more is known. */
static int word_begin(struct scope *scope, struct expression *e,
		      const char *words)
{
	__u32 type = 0;
	int err = word_type(scope, &type);

	if (!err)
		expression_begin_value(e, scope->btf, type, 0, words);
	scope->bare = true;
	return err;
}

static int register_begin(struct scope *scope, const char *name,
			  struct expression *e)
{
	static const char *const names[] = {"ax",  "bx",  "cx",	  "dx",	 "si",
					    "di",  "bp",  "sp",	  "ip",	 "r8",
					    "r9",  "r10", "r11",  "r12", "r13",
					    "r14", "r15", "flags"};
	/* As programmers of assembly call them. */
	const char *wanted = *name == 'r' && isalpha((unsigned char)name[1])
				     ? name + 1
				     : name;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], wanted))
			return word_begin(scope, e, wanted);
	return error_set(-EINVAL,
			 "%%%s is no register: %%ax %%bx %%cx %%dx %%si %%di "
			 "%%bp %%sp %%r8 to %%r15 %%ip %%flags",
			 name);
}

/*
 * Where the word @nr of all arguments is, when the function begins.  32-bit programs have all on
 * the stack, and Go has an order of its own (its ABIInternal).
 */
void argument_words(const struct place *place, unsigned int nr, char *words,
		    size_t size)
{
	static const char *const go[] = {"ax", "bx", "cx",  "di", "si",
					 "r8", "r9", "r10", "r11"};
	const unsigned int nr_go = sizeof(go) / sizeof(*go);

	if (place->is_go && !place->is_32 && nr < nr_go)
		snprintf(words, size, "%s", go[nr]);
	else if (place->is_go && !place->is_32)
		snprintf(words, size, "sp %u + @8", 8 * (nr - nr_go + 1));
	else if (place->is_32)
		snprintf(words, size, "sp %u + @4", 4 * (nr + 1));
	else if (nr < PASSING_REGISTERS)
		snprintf(words, size, "%s", argument_registers[nr]);
	else
		snprintf(words, size, "sp %u + @8",
			 8 * (nr - PASSING_REGISTERS + 1));
}

/* Why parameters are not known here; 0: they are. */
int parameters_check(const struct scope *scope, const char *name)
{
	if (scope->place->returns)
		return error_set(-EINVAL,
				 "`%s': when a function has returned, its "
				 "parameters are gone: only $retval and "
				 "registers are there",
				 name);
	if (scope->place->has_offset || *scope->place->line)
		return error_set(-EINVAL,
				 "`%s': parameters are known only where the "
				 "function begins: behind it, name registers, "
				 "as %%di",
				 name);
	return 0;
}

/* Where a parameter is: *@nr words from *@word on.  False: nobody knows. */
bool parameter_find(const struct scope *scope, int index, unsigned int *word,
		    unsigned int *nr)
{
	const struct btf_param *params = btf_params(scope->proto);
	struct passing passing;
	bool known = true;

	passing_begin(&passing, scope->btf, scope->proto->type);
	for (int i = 0; known && i <= index; i++)
		known = params[i].type &&
			passing_next(&passing, scope->btf, params[i].type, word,
				     nr);
	return known;
}

int parameter_begin(struct scope *scope, int index, struct expression *e)
{
	__u32 type = btf_params(scope->proto)[index].type;
	unsigned int word = 0, nr = 0;
	char words[32];

	if (!parameter_find(scope, index, &word, &nr))
		return error_set(-EINVAL,
				 "nobody knows where its parameter %d "
				 "is",
				 index + 1);
	if (nr > 1 && word >= PASSING_REGISTERS) {
		/* It is in memory as a whole. */
		*e = (struct expression){
			.btf = scope->btf,
			.type = type,
			.offset = 8 * (word - PASSING_REGISTERS + 1),
		};
		text_puts(&e->words, "sp");
		return 0;
	}
	if (nr != 1)
		return error_set(-EINVAL,
				 "its parameter %d is in two registers, or has "
				 "no bytes: name registers, as %%di",
				 index + 1);
	argument_words(scope->place, word, words, sizeof(words));
	expression_begin_value(e, scope->btf, type, 0, words);
	return 0;
}

const char *parameter_name(const struct scope *scope, int index)
{
	const char *name = btf__name_by_offset(
		scope->btf, btf_params(scope->proto)[index].name_off);

	return name ? name : "";
}

static int parameter_unknown(const struct scope *scope, const char *name)
{
	char list[200] = "";

	for (int i = 0; i < btf_vlen(scope->proto); i++)
		if (*parameter_name(scope, i) &&
		    strlen(list) + strlen(parameter_name(scope, i)) + 3 <
			    sizeof(list))
			strcat(strcat(list, *list ? ", " : ""),
			       parameter_name(scope, i));
	return error_set(-EINVAL, "%s has no parameter `%s'%s%s",
			 scope->place->function, name, *list ? ": it has " : "",
			 list);
}

int parameters_unknown(const struct scope *scope, const char *name)
{
	if (scope->place->arguments)
		return error_set(-EINVAL,
				 "`%s': the arguments of a USDT probe have no "
				 "names: $arg1 to $arg%u",
				 name, operands_count(scope->place->arguments));
	if (scope->place->path)
		return error_set(-EINVAL,
				 "`%s': variables of this program are not "
				 "known: %s: name registers, as %%di, or $arg1",
				 name, scope->place->why ?: DEBUG_NONE_HINT);
	return error_set(-EINVAL,
			 "`%s': the parameters of %s are not known: name "
			 "registers, as %%di, or $arg1",
			 name,
			 *scope->place->function ? scope->place->function
						 : "that place");
}

/* A type of the kernel's that has so many bytes. */
static int number_type(const struct btf *btf, const struct operand *operand,
		       __u32 *type)
{
	static const struct {
		unsigned int size;
		const char *names[2]; /* without and with a sign */
	} types[] = {
		{1, {"unsigned char", "signed char"}},
		{2, {"short unsigned int", "short int"}},
		{4, {"unsigned int", "int"}},
		{8, {"long unsigned int", "long int"}},
	};
	__s32 id = -1;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (types[i].size == operand->size)
			id = btf__find_by_name_kind(
				btf, types[i].names[operand->is_signed],
				BTF_KIND_INT);
	if (id <= 0)
		return error_set(-EINVAL, "the kernel's type information is "
					  "broken");
	*type = id;
	return 0;
}

/* Of a USDT probe. */
static int operand_begin(struct scope *scope, unsigned int index,
			 struct expression *e)
{
	struct operand operand;
	struct text words = {0};
	__u32 type = 0;
	int err =
		operand_words(scope->place->arguments, index, &operand, &words);

	err = err ?: number_type(scope->btf, &operand, &type);
	if (!err && words.failed)
		err = error_set(-ENOMEM, "out of memory");
	if (!err)
		expression_begin_value(e, scope->btf, type, 0, words.s);
	/* What has no sign, and fills a register, is mostly an address. */
	scope->bare = !err && operand.size == 8 && !operand.is_signed;
	text_free(&words);
	return err;
}

/* "$argN", from 1 on. */
static int argument_begin(struct scope *scope, const char *name,
			  unsigned long number, struct expression *e)
{
	int err = parameters_check(scope, name);
	char words[32];

	if (err)
		return err;
	if (!number || number > 16)
		return error_set(-EINVAL, "`%s': the first argument is $arg1",
				 name);
	if (scope->place->arguments)
		return operand_begin(scope, number - 1, e);
	if (scope->proto && number <= btf_vlen(scope->proto))
		return parameter_begin(scope, number - 1, e);
	argument_words(scope->place, number - 1, words, sizeof(words));
	return word_begin(scope, e, words);
}

static int result_begin(struct scope *scope, struct expression *e)
{
	__u32 type = scope->proto ? scope->proto->type : 0;

	if (!scope->place->returns)
		return error_set(-EINVAL, "$retval: a function has no result "
					  "before it returns: probe "
					  "FUNCTION%%return");
	if (!scope->proto)
		return word_begin(scope, e, "ax");
	if (!type)
		return error_set(-EINVAL, "$retval: %s returns nothing",
				 scope->place->function);
	switch (passing_class(scope->btf, type)) {
	case PASSING_MEMORY:
		/* Its address is returned. */
		expression_begin_value(e, scope->btf, type, 1, "ax");
		return 0;
	case PASSING_WORDS:
		if (btf__resolve_size(scope->btf, type) <= 8) {
			expression_begin_value(e, scope->btf, type, 0, "ax");
			return 0;
		}
		/* fall through */
	default:
		return error_set(-EINVAL, "$retval: it is not in one register: "
					  "name %%ax and %%dx");
	}
}

static int stack_begin(struct scope *scope, unsigned long number,
		       struct expression *e)
{
	char words[32];

	if (number > 4096)
		return error_set(-EINVAL, "$stack%lu is not of this stack",
				 number);
	if (scope->place->is_32)
		snprintf(words, sizeof(words), "sp %lu + @4", 4 * number);
	else
		snprintf(words, sizeof(words), "sp %lu + @8", 8 * number);
	return word_begin(scope, e, words);
}

/* A name with a dollar. */
static int special_begin(struct scope *scope, const char *name,
			 struct expression *e)
{
	const char *digits = name + strcspn(name, "0123456789");
	unsigned long number = strtoul(digits, NULL, 10);

	if (!strcmp(name, "$retval"))
		return result_begin(scope, e);
	if (!strcmp(name, "$stack"))
		return word_begin(scope, e, "sp");
	if (*digits && !digits[strspn(digits, "0123456789")] &&
	    strlen(digits) < 6) {
		if (!strncmp(name, "$arg", 4) && digits == name + 4)
			return argument_begin(scope, name, number, e);
		if (!strncmp(name, "$stack", 6) && digits == name + 6)
			return stack_begin(scope, number, e);
	}
	if (!strcmp(name, "$comm") || !strcmp(name, "$pid") ||
	    !strcmp(name, "$tid") || !strcmp(name, "$cpu"))
		return error_set(-EINVAL,
				 "%s: each event is shown with it, and filters "
				 "know it as `%s'",
				 name, name + 1);
	return error_set(-EINVAL,
			 "`%s': $retval, $arg1, $stack0 or $params is wanted",
			 name);
}

struct debug_where variable_where(const struct scope *scope)
{
	const struct place *place = scope->place;

	return (struct debug_where){
		.address = place_source(place),
		.owner = place->owner,
		/* FUNCTION+OFFSET means its own variables, also where another one was put. */
		.standing =
			!place->owner && *place->function && !place->is_address,
		.base = place->path ? DEBUG_BASE_IP : DEBUG_BASE_KNOWN,
		.slide = place->slide,
	};
}

/* What debugging information says that it is: a parameter, a local variable, a global one. */
static int source_begin(const struct scope *scope, const char *name,
			struct expression *e)
{
	const struct debug_where where = variable_where(scope);
	int err = debug_variable_begin(scope->place->code, &where, name, e);

	return err == -ENOENT ? -EINVAL : err;
}

int variable_begin(void *data, const char *name, struct expression *e)
{
	struct scope *scope = data;
	int err;

	if (*name == '%')
		return register_begin(scope, name + 1, e);
	if (*name == '$')
		return special_begin(scope, name, e);
	/* Debugging information knows variables anywhere, but not what has gone by the return. */
	if (scope->place->code && !scope->place->returns)
		return source_begin(scope, name, e);
	err = parameters_check(scope, name);
	for (int i = 0; !err && scope->proto && i < btf_vlen(scope->proto); i++)
		if (!strcmp(parameter_name(scope, i), name))
			return parameter_begin(scope, i, e);
	scope->sourceless = !scope->place->path && !scope->place->returns;
	if (err)
		return err;
	return scope->proto ? parameter_unknown(scope, name)
			    : parameters_unknown(scope, name);
}
