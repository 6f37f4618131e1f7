/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Programs that are compiled for a test, and what debugging information tells of them. */
#ifndef KT_TESTS_PROBE_COMPILED_H
#define KT_TESTS_PROBE_COMPILED_H

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include <ktrace/library.h>

#include "check.h"
#include "kernel/btf.h"
#include "probe/debug_line.h"
#include "probe/debug_named.h"
#include "probe/debug_type.h"
#include "probe/debug_variable.h"
#include "rnd.h"
#include "session/btf_type.h"
#include "session/passing.h"

static char folder[] = "/tmp/ktrace-debug-XXXXXX";
static char program[128];
static struct debug_code *code;

static inline void folder_remove(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		printf("# %s is left\n", folder);
}

/* Compiles a source of this folder, and reads what it becomes. */
static inline int compile(const char *how, const char *source)
{
	static bool made;
	char command[512];
	int fd;

	if (!made) {
		CHECK(mkdtemp(folder));
		atexit(folder_remove);
	}
	made = true;
	snprintf(program, sizeof(program), "%s/program", folder);
	snprintf(command, sizeof(command), "cd '%s' && %s -w %s -o %s", SOURCES,
		 how, source, program);
	CHECK_EQ(system(command), 0);
	fd = open(program, O_RDONLY);
	CHECK(fd >= 0);
	return fd;
}

static inline void begin(const char *how, const char *source)
{
	int fd = compile(how, source);

	if (debug_code_open(&code, fd, NULL))
		check_fail("%s", ktrace_last_error());
	close(fd);
}

static inline void end(void)
{
	debug_code_close(code);
	code = NULL;
}

/* The line of the source that begins with this, behind blanks. */
static inline unsigned int line_of(const char *source, const char *text)
{
	char path[256], line[256];
	unsigned int nr = 0, found = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", SOURCES, source);
	file = fopen(path, "r");
	CHECK(file);
	while (fgets(line, sizeof(line), file)) {
		nr++;
		if (!found &&
		    !strncmp(line + strspn(line, "\t"), text, strlen(text)))
			found = nr;
	}
	fclose(file);
	CHECK(found);
	return found;
}

static inline size_t places(const char *text, struct debug_place *first)
{
	struct debug_place *list;
	size_t nr;

	if (debug_places(code, text, &list, &nr))
		check_fail("%s: %s", text, ktrace_last_error());
	*first = *list;
	free(list);
	return nr;
}

static inline size_t at_line(const char *source, const char *text,
			     struct debug_place *first)
{
	char name[64];

	snprintf(name, sizeof(name), "%s:%u", source, line_of(source, text));
	return places(name, first);
}

static inline void places_refused(const char *text, int err, const char *why)
{
	struct debug_place *list;
	size_t nr;

	CHECK_EQ(debug_places(code, text, &list, &nr), err);
	if (!strstr(ktrace_last_error(), why))
		check_fail("%s: '%s', not '%s'", text, ktrace_last_error(),
			   why);
}

static inline void no_place(const char *text, const char *why)
{
	places_refused(text, -ENOENT, why);
}

static inline void no_file(const char *text, const char *why)
{
	places_refused(text, -ENODATA, why);
}

static struct debug_where where;

static inline int name_begin(void *data, const char *name, struct expression *e)
{
	(void)data;
	return debug_variable_begin(code, &where, name, e);
}

static inline int type_named(void *data, const char *tag, const char *name)
{
	(void)data;
	return debug_named_find(code, tag, name);
}

static inline void at(const struct debug_place *place)
{
	where = (struct debug_where){
		.address = place->address,
		.owner = place->owner,
		.base = DEBUG_BASE_IP,
	};
}

static inline void refused(const char *text, const char *why)
{
	struct expression e;
	const char *rest = text;

	CHECK(expression_parse(&e, debug_type_btf(code), &rest, name_begin,
			       type_named, NULL) < 0);
	if (!strstr(ktrace_last_error(), why))
		check_fail("%s: '%s', not '%s'", text, ktrace_last_error(),
			   why);
	expression_end(&e);
}

/* The words of a number, or of a text's address. */
static const char *words(const char *text)
{
	static char result[256];
	struct text all = {0};
	struct expression e;
	const char *rest = text;
	uint32_t size;

	if (expression_parse(&e, debug_type_btf(code), &rest, name_begin,
			     type_named, NULL))
		check_fail("%s: %s", text, ktrace_last_error());
	if (expression_is_text(&e, &size) && size)
		expression_push_address(&e, &all);
	else
		expression_push_number(&e, &all);
	snprintf(result, sizeof(result), "%s", all.s);
	text_free(&all);
	expression_end(&e);
	return result;
}

#endif /* KT_TESTS_PROBE_COMPILED_H */
