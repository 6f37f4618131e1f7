// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pattern.h"
#include "debug_line.h"
#include "program_lines.h"

#define USDT "usdt:"

struct listing {
	const char *name; /* FUNCTION or FILE */
	const char *lines;
	int (*use)(const struct ktrace_program_place *place, void *data);
	void *data;
	bool any;
};

bool is_lines(const char *pattern)
{
	return strrchr(pattern, ':') && strncmp(pattern, USDT, strlen(USDT));
}

static int line_list(unsigned int line, const struct debug_place *places,
		     size_t nr, void *data)
{
	struct listing *l = data;
	char number[12], name[600];
	int err = 0;

	snprintf(number, sizeof(number), "%u", line);
	if (!kt_glob_match(l->lines, number))
		return 0;
	l->any = true;
	snprintf(name, sizeof(name), "%s:%s", l->name, number);
	for (size_t i = 0; !err && i < nr; i++)
		err = l->use(
			&(struct ktrace_program_place){
				.name = name,
				.address = places[i].address,
				.file = places[i].file ?: "",
				.line = places[i].line,
			},
			l->data);
	return err;
}

int program_lines(struct debug_code *code, const char *pattern,
		  int (*use)(const struct ktrace_program_place *place,
			     void *data),
		  void *data)
{
	const char *colon = strrchr(pattern, ':');
	struct listing l = {.lines = colon + 1, .use = use, .data = data};
	char *name;
	int err;

	if (strcspn(pattern, "*?[") < (size_t)(colon - pattern))
		return error_set(-EINVAL,
				 "`%s': in front of a line stands the name of "
				 "one function or file",
				 pattern);
	name = strndup(pattern, colon - pattern);
	if (!name)
		return error_set(-ENOMEM, "out of memory");
	l.name = name;
	err = debug_lines_each(code, name, line_list, &l);
	if (!err && !l.any)
		err = error_set(-ENOENT, "%s has no code at line `%s'", name,
				l.lines);
	free(name);
	return err;
}
