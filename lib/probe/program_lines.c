// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pattern.h"
#include "debug_line.h"
#include "program_lines.h"

/* What stands behind the colon of a line. */
#define LINE "0123456789*?[]!^-"

bool is_lines(const char *pattern)
{
	const char *colon = strrchr(pattern, ':');

	/* A pattern of C++ names has two colons; usdt:* is one of USDT probes. */
	return colon && colon > pattern && colon[-1] != ':' && colon[1] &&
	       strncmp(pattern, "usdt:", 5) != 0 &&
	       !colon[1 + strspn(colon + 1, LINE)] &&
	       strcspn(pattern, "*?[") > (size_t)(colon - pattern);
}

/* Those of one line are found without the others. */
static int places_find(struct debug_code *code, const char *pattern,
		       const char *name, const char *lines,
		       struct debug_place **places, size_t *nr)
{
	return lines[strcspn(lines, "*?[")]
		       ? debug_lines(code, name, places, nr)
		       : debug_places(code, pattern, places, nr);
}

int program_lines(struct debug_code *code, const char *pattern,
		  int (*use)(const struct ktrace_program_place *place,
			     void *data),
		  void *data)
{
	const char *lines = strrchr(pattern, ':') + 1;
	char *name = strndup(pattern, lines - 1 - pattern);
	struct debug_place *places = NULL;
	char number[12], line[600];
	bool any = false;
	size_t nr = 0;
	int err;

	err = name ? places_find(code, pattern, name, lines, &places, &nr)
		   : error_set(-ENOMEM, "out of memory");
	for (size_t i = 0; !err && i < nr; i++) {
		snprintf(number, sizeof(number), "%u", places[i].said);
		if (!kt_glob_match(lines, number))
			continue;
		any = true;
		snprintf(line, sizeof(line), "%s:%s", name, number);
		err = use(
			&(struct ktrace_program_place){
				.name = line,
				.address = places[i].address,
				.file = places[i].file ?: "",
				.line = places[i].line,
			},
			data);
	}
	if (!err && !any)
		err = error_set(-ENOENT, "%s has no code at line `%s'", name,
				lines);
	free(places);
	free(name);
	return err;
}
