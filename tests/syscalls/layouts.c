// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * layouts - compares lib/syscall/layouts.tab with the running kernel
 *
 *	layouts LAYOUTS.TAB
 *
 * Each struct is read twice: from the library's table, and from the kernel's type
 * information alone.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>

#define BTF "/sys/kernel/btf/vmlinux"

static unsigned int failures;

static void complain(const char *name, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	printf("%s: ", name);
	vprintf(format, ap);
	putchar('\n');
	va_end(ap);
	failures++;
}

/* Makes an event with a field of this struct: its description includes the layout. */
static struct ktrace_types *types_of(const char *name, const char *btf)
{
	struct ktrace_types *types = NULL;
	char info[5120];

	snprintf(info, sizeof(info),
		 "event a:b id 17 enabled 1 module vmlinux\n"
		 "size: 4\ndynamic: 1\nformat:\n"
		 "\tfield:__data_loc struct %s[] f;\toffset:0;\tsize:4;"
		 "\tsigned:0;\nprint fmt: \"\"\n\n",
		 name);
	if (ktrace_types_parse(info, strlen(info), btf, &types))
		complain(name, "%s", ktrace_last_error());
	return types;
}

static const struct ktrace_member *member_find(
	const struct ktrace_layout *layout, const char *name)
{
	for (uint32_t i = 0; i < layout->nr_members; i++)
		if (!strcmp(layout->members[i].name, name))
			return &layout->members[i];
	return NULL;
}

/* Structs that grow: the table gives their room and the places of some members. */
static void room_compare(const char *name, char *words,
			 const struct ktrace_layout *kernels)
{
	char *word = strtok(words, " \n");
	const struct ktrace_member *member;

	if (strtoul(word, NULL, 10) < kernels->size)
		complain(name, "%s is too little room for %u", word,
			 kernels->size);
	while ((word = strtok(NULL, " \n"))) {
		char *colon = strchr(word, ':');

		*colon = '\0';
		member = member_find(kernels, word);
		if (!member || member->offset != strtoul(colon + 1, NULL, 10))
			complain(name, "%s is not at %s", word, colon + 1);
	}
}

static void layouts_compare(const char *name, const struct ktrace_layout *ours,
			    const struct ktrace_layout *kernels)
{
	if (ours->size != kernels->size ||
	    ours->nr_members != kernels->nr_members) {
		complain(name, "it has %u bytes and %u members, not %u and %u",
			 kernels->size, kernels->nr_members, ours->size,
			 ours->nr_members);
		return;
	}
	for (uint32_t i = 0; i < ours->nr_members; i++) {
		const struct ktrace_member *a = &ours->members[i];
		const struct ktrace_member *b = &kernels->members[i];

		if (strcmp(a->name, b->name) || a->offset != b->offset ||
		    a->size != b->size || a->is_signed != b->is_signed ||
		    !a->type != !b->type ||
		    (a->type && strcmp(a->type, b->type)))
			complain(name, "%s is another than %s", b->name,
				 a->name);
	}
}

static void line_check(char *line)
{
	char *words = strchr(line, ' ');
	const struct ktrace_layout *ours, *kernels;
	struct ktrace_types *a, *b;

	*words++ = '\0';
	a = types_of(line, NULL);
	b = types_of(line, BTF);
	ours = a ? ktrace_layout_find(a, line) : NULL;
	kernels = b ? ktrace_layout_find(b, line) : NULL;
	if (!kernels)
		complain(line, "the kernel has no such struct");
	else if (!ours)
		complain(line, "the library has no such struct");
	else if (words[strspn(words, "0123456789")] == '+')
		room_compare(line, words, kernels);
	else
		layouts_compare(line, ours, kernels);
	ktrace_types_destroy(a);
	ktrace_types_destroy(b);
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	unsigned int checked = 0;
	char line[4096];

	if (!f) {
		fprintf(stderr, "usage: layouts LAYOUTS.TAB\n");
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		if (*line == '#' || *line == '\n')
			continue;
		line_check(line);
		checked++;
	}
	fclose(f);
	printf("%u structs\n", checked);
	return failures || !checked;
}
