// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /proc/kallsyms has all functions, but the kernel needs long to print them.  Those of its
 * image stay as they are until the next boot, so their namesakes are kept in a file
 * (kernel/cache.h).  The control tree's file `symbols' has the others.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "kernel/cache.h"
#include "namesakes.h"

#define CACHE_NAME "namesakes"
#define CACHE_MODE 0644

struct function {
	const char *name, *module;
};

/* Cuts a line up.  False: no function. */
typedef bool function_parser(struct function *function, char *line);

static int function_compare(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ?: strcmp(x->module, y->module);
}

/* What the compiler has made of a function, and the room in front of one, is none. */
static bool is_function(char type, const char *name)
{
	static const char room[] = "__pfx_";

	return type && strchr("tTwW", type) && *name && !strchr(name, '.') &&
	       strncmp(name, room, strlen(room));
}

/* "ADDRESS TYPE NAME", behind a tab "[MODULE]". */
static bool kallsyms_parse(struct function *function, char *line)
{
	char *type, *name;

	strsep(&line, " ");
	type = strsep(&line, " ");
	name = strsep(&line, "\t");
	if (!type || !name || !is_function(*type, name))
		return false;
	function->name = name;
	function->module = "vmlinux";
	if (line && *line == '[') {
		line[strcspn(line, "]")] = '\0';
		function->module = line + 1;
	}
	return true;
}

/* "ADDRESS NAME MODULE" */
static bool symbols_parse(struct function *function, char *line)
{
	char *name;

	strsep(&line, " ");
	name = strsep(&line, " ");
	if (!line || !is_function('t', name))
		return false;
	function->name = name;
	function->module = line;
	return true;
}

/* Of all lines; cuts them up.  NULL: no memory. */
static struct function *functions_parse(char *lines, function_parser *parse,
					bool image, size_t *nr)
{
	struct function *list = NULL;
	size_t room = 0;
	char *line;

	*nr = 0;
	while ((line = strsep(&lines, "\n"))) {
		if (*nr == room) {
			struct function *more;

			room = room ? room * 2 : 65536;
			more = realloc(list, room * sizeof(*list));
			if (!more) {
				free(list);
				return NULL;
			}
			list = more;
		}
		*nr += parse(&list[*nr], line) &&
		       image == !strcmp(list[*nr].module, "vmlinux");
	}
	return list;
}

/* Sorted by name, then by module. */
static void namesakes_write(struct text *text, const struct function *list,
			    size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		/* Two are told once, and so are three. */
		if (!function_compare(&list[i], &list[i - 1]) &&
		    (i == 1 || function_compare(&list[i], &list[i - 2])))
			text_printf(text, "%s %s\n", list[i].name,
				    list[i].module);
}

static int module_compare(const void *a, const void *b)
{
	return strcmp(((const struct function *)a)->module,
		      ((const struct function *)b)->module);
}

/* As of a function without a name: these lines are sorted before all others. */
static void modules_write(struct text *text, struct function *list, size_t nr)
{
	qsort(list, nr, sizeof(*list), module_compare);
	for (size_t i = 0; i < nr; i++)
		if (!i || module_compare(&list[i], &list[i - 1]))
			text_printf(text, " %s\n", list[i].module);
}

/* Lines "NAME MODULE", sorted. */
static int text_make(struct text *text, char *lines, function_parser *parse,
		     bool image)
{
	size_t nr;
	struct function *list = functions_parse(lines, parse, image, &nr);

	if (!list)
		return error_set(-ENOMEM, "out of memory");
	text_puts(text, "");
	modules_write(text, list, nr);
	qsort(list, nr, sizeof(*list), function_compare);
	namesakes_write(text, list, nr);
	free(list);
	return text->failed ? error_set(-ENOMEM, "out of memory") : 0;
}

static int text_read(struct text *text, const char *path, bool image)
{
	FILE *file = fopen(path, "re");
	char *lines = NULL;
	size_t room = 0;
	int err;

	if (!file)
		return error_set(-errno, "%s: %m", path);
	/* The file has no NUL, so this reads all of it. */
	if (getdelim(&lines, &room, '\0', file) < 0)
		err = error_set(-EIO, "%s: it cannot be read", path);
	else
		err = text_make(text, lines, kallsyms_parse, image);
	free(lines);
	fclose(file);
	return err;
}

/* Takes the text, and cuts it up. */
static int lines_make(struct namesakes *n, char *text)
{
	char *rest = text, *line;
	size_t lines = 0;

	for (const char *s = text; *s; s++)
		lines += *s == '\n';
	n->lines = calloc(lines + 1, sizeof(*n->lines));
	if (!n->lines) {
		free(text);
		return error_set(-ENOMEM, "out of memory");
	}
	n->text = text;
	while (n->nr < lines && (line = strsep(&rest, "\n")))
		n->lines[n->nr++] = line;
	return 0;
}

int namesakes_read(struct namesakes *n, const char *path, bool image)
{
	bool cached = image && !path;
	struct text text = {0};
	char *kept;
	size_t size;
	int err;

	if (cached && !cache_read(&cache_kernel, CACHE_NAME, &kept, &size))
		return lines_make(n, kept);
	err = text_read(&text, path ?: "/proc/kallsyms", image);
	if (err) {
		text_free(&text);
		return err;
	}
	if (cached)
		cache_write(&cache_kernel, CACHE_NAME, CACHE_MODE, text.s,
			    text.len);
	return lines_make(n, text.s);
}

int namesakes_read_moving(struct namesakes *n, const char *path)
{
	struct text text = {0};
	char *lines;
	int err = file_read(AT_FDCWD, path, &lines, NULL);

	if (err)
		return err;
	err = text_make(&text, lines, symbols_parse, false);
	free(lines);
	if (!err)
		return lines_make(n, text.s);
	text_free(&text);
	return err;
}

static int line_compare(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

bool namesakes_has(const struct namesakes *n, const char *module,
		   const char *name)
{
	char line[1024];

	if (!n->nr)
		return false;
	snprintf(line, sizeof(line), "%s %s", name, module);
	return bsearch(line, n->lines, n->nr, sizeof(*n->lines), line_compare);
}

bool namesakes_know(const struct namesakes *n, const char *module)
{
	return namesakes_has(n, module, "");
}

void namesakes_free(struct namesakes *n)
{
	free(n->text);
	free(n->lines);
	*n = (struct namesakes){0};
}
