// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/library.h>

#include "cmd.h"
#include "common/function_names.h"
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

int probe_failed(const char *const *texts, size_t nr, int err)
{
	const char *why = ktrace_last_error();
	char name[256];
	const char *const pattern = name;

	failed("%s", why);
	/* The error begins with "`TEXT'". */
	for (size_t i = 0; err == -ENOENT && i < nr; i++) {
		if (strncmp(why + 1, texts[i], strlen(texts[i])))
			continue;
		function_name(texts[i], name, sizeof(name));
		function_names_near(&pattern, 1);
		break;
	}
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
