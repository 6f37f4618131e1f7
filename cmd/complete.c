// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Names of functions come from the first file that can be read.  That of the control tree
 * has exactly those that can be recorded, but needs root and the loaded module.  ftrace's
 * has nearly the same; it needs root.  The kernel's symbols can be read by everybody; some
 * of them cannot be recorded.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "complete.h"

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

static void name_print(const char *name, const char *module, const char *prefix)
{
	const char *colon = strchr(prefix, ':');
	size_t length = colon ? colon - prefix : 0;

	if (!colon) {
		if (!strncmp(name, prefix, strlen(prefix)))
			puts(name);
		return;
	}
	module = module ?: "vmlinux";
	if (strlen(module) == length && !memcmp(module, prefix, length) &&
	    !strncmp(name, colon + 1, strlen(colon + 1)))
		printf("%s:%s\n", module, name);
}

/* False: the file cannot be read, or has nothing. */
static bool names_print(const char *path, name_parse_fn *parse,
			const char *prefix)
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
			name_print(name, module, prefix);
	}
	free(line);
	fclose(f);
	return any;
}

int complete_functions(const char *prefix)
{
	const char *root = getenv("KTRACE_ROOT") ?: "/sys/kernel/ktrace";
	char path[4096];

	snprintf(path, sizeof(path), "%s/available_functions", root);
	if (!names_print(path, available_parse, prefix) &&
	    !names_print("/sys/kernel/tracing/available_filter_functions",
			 filter_parse, prefix))
		names_print("/proc/kallsyms", symbol_parse, prefix);
	return output_finish(EXIT_OK);
}
