// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Prints what lib/probe finds in the debugging information of a file:
 *
 *	words FILE PLACE...		addresses of each place
 *	words -a FILE PLACE...		and the variables there, with members of theirs
 *	words -l FILE PLACE...		the same, without members, as they are in memory
 *	words -v FILE PLACE VARIABLE...	and these expressions there
 *
 * With -b BTF in front, FILE is of a kernel, and BTF its own type information.
 *
 * One line for each value: "value ADDRESS NAME PATH SIZE WORDS", where PATH is what follows the
 * name, or `-', and WORDS push 8 bytes; "refused ADDRESS NAME PATH WHY".
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/library.h>

#include "kernel/btf.h"
#include "probe/debug_line.h"
#include "probe/debug_named.h"
#include "probe/debug_type.h"
#include "probe/debug_variable.h"
#include "session/btf_type.h"

#define DEPTH_MAX 3

static struct debug_code *code;
static struct debug_where where;
static struct btf *base; /* NULL: FILE is a program */
static unsigned int depth_first;

static int name_begin(void *data, const char *name, struct expression *e)
{
	(void)data;
	return debug_variable_begin(code, &where, name, e);
}

static int type_named(void *data, const char *tag, const char *name)
{
	(void)data;
	return debug_named_find(code, tag, name);
}

static void value_print(const char *name, const char *path,
			const struct expression *e, uint32_t size)
{
	struct text words = {0};

	/* With its sign. */
	if (depth_first)
		expression_push_number(e, &words);
	else
		expression_push_wide(e, 8, &words);
	printf("value 0x%" PRIx64 " %s %s %u %s\n", where.address, name,
	       *path ? path : "-", size, words.s);
	text_free(&words);
}

static void all_print(const char *name, const char *path, unsigned int depth);

/* What the type has in it. */
static void parts_print(const char *name, const char *path,
			const struct btf *btf, __u32 id, unsigned int depth)
{
	const struct btf_type *t = type_resolve(btf, id);
	bool arrow = t && btf_is_ptr(t);
	char part[512];

	if (arrow)
		t = type_resolve(btf, t->type);
	if (!t || depth == DEPTH_MAX)
		return;
	if (btf_is_array(t)) {
		for (__u32 i = 0; i < btf_array(t)->nelems && i < 2; i++) {
			snprintf(part, sizeof(part), "%s[%u]", path, i);
			all_print(name, part, depth + 1);
		}
	}
	for (__u32 i = 0; btf_is_composite(t) && i < btf_vlen(t); i++) {
		const char *own =
			btf__name_by_offset(btf, btf_members(t)[i].name_off);

		snprintf(part, sizeof(part), "%s%s%s", path, arrow ? "->" : ".",
			 own);
		if (*own)
			all_print(name, part, depth + 1);
	}
	if (arrow && !btf_is_composite(t) && !btf_is_array(t)) {
		snprintf(part, sizeof(part), "%s[0]", path);
		all_print(name, part, DEPTH_MAX);
	}
}

static void all_print(const char *name, const char *path, unsigned int depth)
{
	char text[600];
	const char *at = text;
	struct expression e;
	uint32_t size;
	bool is_signed;

	snprintf(text, sizeof(text), "%s%s", name, path);
	if (expression_parse(&e, debug_type_btf(code), &at, name_begin,
			     type_named, NULL)) {
		printf("refused 0x%" PRIx64 " %s %s %s\n", where.address, name,
		       *path ? path : "-", ktrace_last_error());
	} else {
		size = expression_number_size(&e, &is_signed);
		if (size)
			value_print(name, path, &e, size);
		if (!e.stars)
			parts_print(name, path, e.btf, e.type, depth);
	}
	expression_end(&e);
}

static int variable_print(const struct debug_variable *v, void *data)
{
	struct text type = {0};

	(void)data;
	type_write(&type, debug_type_btf(code), v->type);
	printf("variable %s %s%s: %s\n", v->name,
	       v->is_parameter ? "parameter " : "",
	       v->is_here ? "here" : "not here", type.s);
	text_free(&type);
	all_print(v->name, "", depth_first);
	return 0;
}

static int place_print(const struct debug_place *p, bool all, char **names,
		       int nr)
{
	printf("place 0x%" PRIx64 " %s+0x%" PRIx64 " %s %s:%u\n", p->address,
	       p->symbol ?: "-", p->offset, p->inlined ?: "-", p->file ?: "-",
	       p->line);
	where.address = p->address;
	where.owner = p->owner;
	where.base = base ? DEBUG_BASE_KNOWN : DEBUG_BASE_IP;
	for (int i = 0; i < nr; i++) {
		debug_types_load(code, p->address, names[i]);
		all_print(names[i], "", DEPTH_MAX);
	}
	return all ? debug_variables_each(code, &where, variable_print, NULL)
		   : 0;
}

int main(int argc, char **argv)
{
	struct debug_place *places;
	int fd, status = 0;
	bool all, some;
	size_t nr;

	if (argc > 2 && !strcmp(argv[1], "-b")) {
		base = btf__parse(argv[2], NULL);
		if (!base) {
			printf("error no type information\n");
			return 1;
		}
		argv += 2;
		argc -= 2;
	}
	all = argc > 1 && (!strcmp(argv[1], "-a") || !strcmp(argv[1], "-l"));
	depth_first = all && argv[1][1] == 'l' ? DEPTH_MAX : 0;
	some = argc > 1 && !strcmp(argv[1], "-v");
	argv += all || some;
	argc -= all || some;
	if (argc < 3)
		return 2;
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || debug_code_open(&code, fd, NULL)) {
		printf("error %s\n", fd < 0 ? "no file" : ktrace_last_error());
		return 1;
	}
	close(fd);
	if (base)
		debug_type_base(code, base, NULL);
	for (int i = 2; i < argc && (!some || i == 2); i++) {
		if (debug_places(code, argv[i], &places, &nr)) {
			printf("error %s: %s\n", argv[i], ktrace_last_error());
			status = 1;
			continue;
		}
		printf("text %s %zu\n", argv[i], nr);
		for (size_t k = 0; k < nr; k++)
			place_print(&places[k], all, some ? argv + 3 : NULL,
				    some ? argc - 3 : 0);
		free(places);
	}
	debug_code_close(code);
	btf__free(base);
	return status;
}
