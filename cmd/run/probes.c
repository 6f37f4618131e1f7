// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cmd.h"
#include "common/near.h"
#include "probes.h"

int probes_option(struct probes *probes, const struct command *command,
		  const char *text)
{
	size_t room = (probes->nr + 1) * sizeof(*probes->texts);
	const char **texts, **filters;

	if (!text[strspn(text, " \t")])
		return misused(command, "-P needs a place, like vfs_read or "
					"'vfs_read%%return $retval'");
	texts = realloc(probes->texts, room);
	if (!texts)
		return failed("out of memory");
	probes->texts = texts;
	filters = realloc(probes->filters, room);
	if (!filters)
		return failed("out of memory");
	probes->filters = filters;
	filters[probes->nr] = NULL;
	texts[probes->nr++] = text;
	return EXIT_OK;
}

void probes_filter(struct probes *probes, const char *filter)
{
	probes->filters[probes->nr - 1] = filter;
}

/* The name of the function that a text means. */
static void function_name(const char *text, char *name, size_t size)
{
	size_t length = strcspn(text, " \t+%");
	const char *equals = memchr(text, '=', length), *colon;

	if (equals) {
		length -= equals + 1 - text;
		text = equals + 1;
	}
	colon = memchr(text, ':', length);
	if (colon) {
		length -= colon + 1 - text;
		text = colon + 1;
	}
	snprintf(name, size, "%.*s", (int)length, text);
}

/* "ADDRESS KIND NAME [MODULE]"; NULL: no function. */
static const char *symbol_name(char *line)
{
	const char *kind;

	strsep(&line, " ");
	kind = strsep(&line, " ");
	if (!kind || !line || (*kind != 't' && *kind != 'T'))
		return NULL;
	line[strcspn(line, "\t\n")] = '\0';
	return line;
}

/* Names that are like that of the function, if no function has it. */
static void near_names(const char *text, const char *symbols)
{
	char *copy = strdup(symbols), *next = copy, *line;
	bool exists = false;
	char wanted[256];
	struct near near;
	const char *name;

	function_name(text, wanted, sizeof(wanted));
	near_init(&near, wanted);
	while (copy && (line = strsep(&next, "\n"))) {
		name = symbol_name(line);
		if (!name)
			continue;
		exists |= !strcmp(name, wanted);
		near_add(&near, name);
	}
	if (*wanted && !exists && strncmp(wanted, "0x", 2))
		near_print(&near);
	free(copy);
}

int probe_failed(const char *const *texts, size_t nr, int err)
{
	char *symbols = NULL;

	failed_in_library();
	if (err == -ENOENT &&
	    !file_read(AT_FDCWD, "/proc/kallsyms", &symbols, NULL))
		for (size_t i = 0; i < nr; i++)
			near_names(texts[i], symbols);
	free(symbols);
	return EXIT_FAILED;
}

/* What is made of each. */
struct making {
	const struct probes *probes;
	struct selection *selection;
	size_t nr;
};

static int probe_select(const struct ktrace_probe *probe, void *data)
{
	struct making *making = data;
	const char *filter = making->probes->filters[making->nr++];
	char pattern[160];

	snprintf(pattern, sizeof(pattern), "%s:%s", probe->system, probe->name);
	if (selection_add(making->selection, pattern) ||
	    (filter && selection_filter(making->selection, filter)))
		return -ENOMEM;
	return 0;
}

int probes_make(struct probes *probes, struct ktrace_session *session,
		struct selection *selection)
{
	struct making making = {.probes = probes, .selection = selection};
	int err;

	if (!probes->nr)
		return EXIT_OK;
	err = ktrace_session_probes_add(session, probes->texts, probes->nr,
					true, probe_select, &making);
	return err ? probe_failed(probes->texts, probes->nr, err) : EXIT_OK;
}

void probes_free(struct probes *probes)
{
	free(probes->texts);
	free(probes->filters);
}
