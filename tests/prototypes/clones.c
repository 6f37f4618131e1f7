// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * clones VMLINUX - what ktrace takes from a kernel's debug information of the copies that the
 * compiler has made of functions
 *
 * VMLINUX has the kernel's type information, too.  Standard input has a name on each line.
 * Output: "NAME" for each of which something is known, then "NAME ARGUMENT REGISTER BYTES" for
 * each argument that has a name, and "NAME = PROTOTYPE".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "session/clones.h"
#include "session/prototype.h"

static struct type_base base = {.module = (char *)"vmlinux", .first = 1};
static struct prototypes prototypes = {
	.bases = &base,
	.nr = 1,
	.clones_searched = true,
};

static void fail(const char *what)
{
	fprintf(stderr, "clones: %s\n", what);
	exit(2);
}

static void argument_print(const char *name, const struct ktrace_field *field)
{
	static const char *const registers[] = {"rdi", "rsi", "rdx",
						"rcx", "r8",  "r9"};
	const char *at = registers[(field->offset - 8) / 8];

	if (strcmp(field->name, at) != 0)
		printf("%s %s %s %u\n", name, field->name, at, field->size);
}

static void clone_print(const char *name)
{
	struct function_fields fields;
	struct arena arena = {0};
	bool in_registers;
	const char *text;

	if (!prototypes_function(&prototypes, name, "vmlinux", &fields,
				 &arena)) {
		puts(name);
		if (fields.in_registers)
			fail("it is said to have all arguments in registers");
		/* Members of structs may be behind those that are known. */
		if (strstr(name, ".isra.") && fields.nr_words != 6)
			fail("not all registers are recorded");
		/* A further argument, of a function that takes any number, is nowhere. */
		for (unsigned int i = 0; i < fields.nr_arguments; i++)
			if (fields.arguments[i].size)
				argument_print(name, &fields.arguments[i]);
		if (prototypes_text(&prototypes, name, "vmlinux", &arena, &text,
				    &in_registers))
			fail("it has fields, but no prototype");
		printf("%s = %s\n", name, text);
	}
	/* Types that are added for copies leave those of functions alone. */
	if (prototypes_function(&prototypes, "vfs_read", "vmlinux", &fields,
				&arena) ||
	    fields.nr_arguments != 4)
		fail("a function has lost its types");
	arena_destroy(&arena);
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t room = 0;

	if (argc != 2)
		fail("clones VMLINUX");
	base.btf = btf__parse(argv[1], NULL);
	if (!base.btf)
		fail("it has no type information");
	prototypes.clones = clones_open(base.btf, open(argv[1], O_RDONLY));
	if (!prototypes.clones)
		fail("it has no debug information");
	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		clone_print(line);
	}
	free(line);
	clones_close(prototypes.clones);
	flags_close(prototypes.flags);
	btf__free(base.btf);
	return 0;
}
