// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Names of functions come from the first file that can be read.  That of the control tree
 * has exactly those that can be recorded, but needs root and the loaded module.  ftrace's
 * has nearly the same; it needs root.  The kernel's symbols can be read by everybody; some
 * of them cannot be recorded.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>

#include "function_names.h"
#include "near.h"

/* ---- the files ------------------------------------------------------------ */

/* A name, or NULL; *@module is set, NULL: it is the kernel's own. */
typedef const char *name_parse_fn(char *line, const char **module);

/* "NAME MODULE" */
static const char *available_parse(char *line, const char **module)
{
	const char *name = strsep(&line, " ");

	*module = line && strcmp(line, "vmlinux") ? line : NULL;
	return name;
}

/* "[MODULE]" with what is around it; NULL: there is none. */
static const char *brackets_parse(char *text)
{
	char *module = text ? strchr(text, '[') : NULL;

	if (!module)
		return NULL;
	module++;
	module[strcspn(module, "]")] = '\0';
	return module;
}

/* "NAME [MODULE]" */
static const char *filter_parse(char *line, const char **module)
{
	const char *name = strsep(&line, " \t");

	*module = brackets_parse(line);
	return name;
}

/* "ADDRESS KIND NAME [MODULE]"; t and T are functions. */
static const char *symbol_parse(char *line, const char **module)
{
	const char *kind, *name;

	strsep(&line, " ");
	kind = strsep(&line, " ");
	name = strsep(&line, " \t");
	if (!kind || !name || tolower((unsigned char)*kind) != 't')
		return NULL;
	*module = brackets_parse(line);
	return name;
}

/* False: the file cannot be read, or has nothing. */
static bool names_read(const char *path, name_parse_fn *parse,
		       function_name_use *use, void *data)
{
	FILE *f = fopen(path, "re");
	const char *name, *module;
	bool any = false;
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	if (!f)
		return false;
	while ((size = getline(&line, &room, f)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		any = true;
		name = parse(line, &module);
		if (name)
			use(data, name, module);
	}
	free(line);
	fclose(f);
	return any;
}

void function_names_each(function_name_use *use, void *data)
{
	const char *root = getenv("KTRACE_ROOT") ?: "/sys/kernel/ktrace";
	char path[4096];

	snprintf(path, sizeof(path), "%s/available_functions", root);
	if (!names_read(path, available_parse, use, data) &&
	    !names_read("/sys/kernel/tracing/available_filter_functions",
			filter_parse, use, data))
		names_read("/proc/kallsyms", symbol_parse, use, data);
}

/* ---- similar names -------------------------------------------------------- */

/* What functions begin with that do a system call of a 64-bit program. */
#define FUNCTIONS_OF_CALLS "__x64_sys_"

/* What follows @prefix; NULL: it does not begin so. */
static const char *behind(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) ? NULL : text + length;
}

struct search {
	const char *wanted;
	bool call; /* a system call's function is wanted */
	bool exists;
	struct near near;
};

static void search_add(void *data, const char *name, const char *module)
{
	struct search *search = data;

	if (search->call)
		name = behind(name, FUNCTIONS_OF_CALLS);
	if (!name || !*name)
		return;
	search->exists |= !strcmp(name, search->wanted);
	near_add(&search->near, name);
}

void function_names_near(const char *const *patterns, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const char *bare = patterns[i] + (*patterns[i] == '!');
		const char *call = behind(bare, KTRACE_FUNCTIONS_OF_SYSCALLS);
		struct search search = {
			.wanted = call ?: bare,
			.call = call,
		};

		if (!*search.wanted || strpbrk(search.wanted, ":*?["))
			continue;
		near_init(&search.near, search.wanted);
		function_names_each(search_add, &search);
		if (search.exists)
			continue;
		near_print(&search.near);
		if (!call)
			fprintf(stderr,
				"        If it is inlined, `ktrace probe check %s' "
				"shows where.\n",
				search.wanted);
	}
}
