// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Parses the text of an expression: expression.h.  As in C, members and elements bind tighter than
 * `*', `&' and casts.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "btf_type.h"
#include "expression.h"
#include "kernel/btf.h"

#define NAME_MAX_LENGTH 63
/* Brackets within brackets. */
#define DEPTH_MAX 16

struct parser {
	const char *at;
	const struct btf *btf;
	expression_name *name;
	expression_type_name *type; /* NULL: by the name alone */
	void *data;
	unsigned int brackets;
	unsigned int depth;
};

static int unary_parse(struct parser *p, struct expression *e);

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void blanks_skip(struct parser *p)
{
	while (p->brackets && (*p->at == ' ' || *p->at == '\t'))
		p->at++;
}

static bool take(struct parser *p, const char *sign)
{
	size_t length = strlen(sign);

	blanks_skip(p);
	if (strncmp(p->at, sign, length))
		return false;
	p->at += length;
	return true;
}

/* Letters, digits and underscores, behind a sign in @sigils or none.  False: there are none. */
static bool word_take(struct parser *p, const char *sigils,
		      char word[NAME_MAX_LENGTH + 1])
{
	const char *begin;
	size_t length;

	blanks_skip(p);
	begin = p->at;
	if (*begin && strchr(sigils, *begin))
		p->at++;
	while (is_name_char(*p->at))
		p->at++;
	length = p->at - begin;
	if (!length || length > NAME_MAX_LENGTH) {
		p->at = begin;
		return false;
	}
	memcpy(word, begin, length);
	word[length] = '\0';
	return true;
}

static int missing(const struct parser *p, const char *what)
{
	return *p->at ? error_set(-EINVAL, "%s is missing before `%s'", what,
				  p->at)
		      : error_set(-EINVAL, "%s is missing at the end", what);
}

/* ---- types ---------------------------------------------------------------- */

/* How the type information calls them, because compilers do. */
static const struct {
	const char *name, *found;
} integers[] = {
	{"short", "short int"},
	{"long", "long int"},
	{"long long", "long long int"},
	{"unsigned", "unsigned int"},
	{"unsigned short", "short unsigned int"},
	{"unsigned long", "long unsigned int"},
	{"unsigned long long", "long long unsigned int"},
	{"signed", "int"},
	{"bool", "_Bool"},
};

static __s32 type_find(const struct btf *btf, const char *tag, const char *name)
{
	__s32 id;

	if (!strcmp(tag, "struct"))
		return btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	if (!strcmp(tag, "union"))
		return btf__find_by_name_kind(btf, name, BTF_KIND_UNION);
	if (!strcmp(tag, "enum")) {
		id = btf__find_by_name_kind(btf, name, BTF_KIND_ENUM);
		return id > 0 ? id
			      : btf__find_by_name_kind(btf, name,
						       BTF_KIND_ENUM64);
	}
	for (size_t i = 0; i < sizeof(integers) / sizeof(*integers); i++)
		if (!strcmp(integers[i].name, name))
			name = integers[i].found;
	id = btf__find_by_name_kind(btf, name, BTF_KIND_INT);
	return id > 0 ? id
		      : btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
}

static bool is_tag(const char *word)
{
	return !strcmp(word, "struct") || !strcmp(word, "union") ||
	       !strcmp(word, "enum");
}

/* "struct sock *", "u32" or "unsigned long". */
static int type_parse(struct parser *p, __u32 *type, unsigned int *stars)
{
	char word[NAME_MAX_LENGTH + 1], tag[8] = "", name[128] = "";
	__s32 id = 0;

	while (word_take(p, "", word)) {
		if (!strcmp(word, "const") || !strcmp(word, "volatile"))
			continue;
		if (is_tag(word) && !*name && !*tag) {
			strcpy(tag, word);
			continue;
		}
		if (strlen(name) + strlen(word) + 2 > sizeof(name))
			return error_set(-EINVAL, "`%s': too long a type",
					 name);
		strcat(strcat(name, *name ? " " : ""), word);
	}
	if (!*name)
		return missing(p, "a type");
	if (p->type)
		id = p->type(p->data, tag, name);
	if (id < 0)
		return id;
	if (!id && (*tag || strcmp(name, "void")))
		id = type_find(p->btf, tag, name);
	if (id < 0)
		return error_set(-EINVAL, "this kernel has no type `%s%s%s'",
				 tag, *tag ? " " : "", name);
	*type = id;
	for (*stars = 0; take(p, "*"); ++*stars)
		;
	if (!take(p, ")"))
		return missing(p, "`)'");
	return 0;
}

/* Behind `(': does a type stand there?  Else it is an expression. */
static bool is_cast(struct parser *p)
{
	const char *begin = p->at, *behind;
	char word[NAME_MAX_LENGTH + 1];
	bool first = true, found = false;

	while (word_take(p, "", word)) {
		if (first &&
		    (is_tag(word) || !strcmp(word, "const") ||
		     !strcmp(word, "unsigned") || !strcmp(word, "signed")))
			found = true;
		first = false;
	}
	while (take(p, "*"))
		;
	/* Behind a cast there is what it casts. */
	behind = take(p, ")") ? p->at : "";
	if (!first && *behind)
		found |= is_name_char(*behind) || strchr("$%(*&", *behind);
	p->at = begin;
	return found;
}

/* A value of another type: what is in memory is read. */
static int cast(struct expression *e, __u32 type, unsigned int stars)
{
	struct text words = {0};
	bool is_signed;
	uint32_t size;

	if (expression_is_text(e, &size) && size)
		expression_push_address(e, &words);
	else if (expression_number_size(e, &is_signed))
		expression_push_wide(e, sizeof(uint64_t), &words);
	else
		return error_set(-EINVAL, "only a number or an address can be "
					  "cast");
	text_free(&e->words);
	*e = (struct expression){
		.btf = e->btf,
		.type = type,
		.stars = stars,
		.is_value = true,
		.words = words,
	};
	if (expression_number_size(e, &is_signed))
		return 0;
	return error_set(-EINVAL, "one can cast to numbers and pointers alone");
}

static int cast_parse(struct parser *p, struct expression *e)
{
	unsigned int stars = 0;
	__u32 type = 0;
	int err = type_parse(p, &type, &stars);

	p->brackets--;
	err = err ?: unary_parse(p, e);
	return err ?: cast(e, type, stars);
}

/* ---- operands -------------------------------------------------------------- */

/* "[N]". */
static int element_parse(struct parser *p, struct expression *e)
{
	const struct btf_type *t;
	unsigned long index;
	long long size;
	char *end;
	int err;

	errno = 0;
	p->brackets++;
	blanks_skip(p);
	index = strtoul(p->at, &end, 0);
	if (!isdigit((unsigned char)*p->at) || errno || index > UINT32_MAX)
		return error_set(-EINVAL, "`%s': an element's number is wanted",
				 p->at);
	p->at = end;
	if (!take(p, "]"))
		return missing(p, "`]'");
	p->brackets--;
	t = type_resolve(e->btf, e->type);
	if (t && btf_is_array(t) && !e->stars &&
	    index >= btf_array(t)->nelems && btf_array(t)->nelems)
		return error_set(-EINVAL, "[%lu]: the array has %u elements",
				 index, btf_array(t)->nelems);
	err = expression_follow(e, "what has an index");
	if (err)
		return err;
	size = e->stars ? (long long)sizeof(uint64_t)
			: btf__resolve_size(e->btf, e->type);
	if (size <= 0 || index * size > UINT32_MAX - e->offset)
		return error_set(-EINVAL, "[%lu]: nobody knows where that is",
				 index);
	e->offset += index * size;
	return 0;
}

static int member_parse(struct parser *p, struct expression *e,
			const char *before)
{
	char member[NAME_MAX_LENGTH + 1];
	bool arrow = take(p, "->");
	int err = 0;

	if (!arrow)
		p->at++; /* the dot */
	if (!word_take(p, "", member))
		return missing(p, "a member");
	if (arrow)
		err = expression_follow(e, before);
	return err ?: expression_enter(e, member);
}

static int postfix_parse(struct parser *p, struct expression *e,
			 const char *name)
{
	int err = 0;

	while (!err) {
		blanks_skip(p);
		if (*p->at == '.' || !strncmp(p->at, "->", 2))
			err = member_parse(p, e, name);
		else if (take(p, "["))
			err = element_parse(p, e);
		else
			break;
		name = "what is in front of the arrow";
	}
	return err;
}

static int name_parse(struct parser *p, struct expression *e)
{
	char name[NAME_MAX_LENGTH + 1];
	int err;

	if (!word_take(p, "$%", name))
		return missing(p, "a name");
	err = p->name(p->data, name, e);
	return err ?: postfix_parse(p, e, name);
}

static int brackets_parse(struct parser *p, struct expression *e)
{
	int err;

	p->brackets++;
	if (is_cast(p))
		return cast_parse(p, e);
	err = unary_parse(p, e);
	if (!err && !take(p, ")"))
		err = missing(p, "`)'");
	p->brackets--;
	return err ?: postfix_parse(p, e, "what is in brackets");
}

static int address_take(struct expression *e)
{
	if (e->is_value || e->bits || e->pieces)
		return error_set(-EINVAL, "`&': it is not in memory");
	if (e->offset)
		text_printf(&e->words, " %u +", e->offset);
	e->offset = 0;
	e->stars++;
	e->is_value = true;
	return 0;
}

static int operand_parse(struct parser *p, struct expression *e)
{
	int err;

	if (take(p, "*")) {
		err = unary_parse(p, e);
		return err ?: expression_follow(e, "what `*' stands before");
	}
	if (take(p, "&")) {
		err = unary_parse(p, e);
		return err ?: address_take(e);
	}
	return take(p, "(") ? brackets_parse(p, e) : name_parse(p, e);
}

static int unary_parse(struct parser *p, struct expression *e)
{
	int err;

	if (p->depth == DEPTH_MAX)
		return error_set(-EINVAL, "it has too many brackets");
	p->depth++;
	err = operand_parse(p, e);
	p->depth--;
	return err;
}

int expression_parse(struct expression *e, const struct btf *btf,
		     const char **text, expression_name *name,
		     expression_type_name *type, void *data)
{
	struct parser p = {
		.at = *text,
		.btf = btf,
		.name = name,
		.type = type,
		.data = data,
	};
	int err;

	*e = (struct expression){.btf = btf};
	err = unary_parse(&p, e);
	*text = p.at;
	return err;
}
