// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cpus.h"
#include "value.h"

#define CPUS_MAX 8192

static bool has(const struct cpus *cpus, uint32_t cpu)
{
	for (size_t i = 0; i < cpus->nr; i++)
		if (cpus->list[i] == cpu)
			return true;
	return false;
}

static int cpus_add(struct cpus *cpus, uint64_t first, uint64_t last)
{
	uint32_t *more;

	if (last < first || last >= CPUS_MAX)
		return -EINVAL;
	more = realloc(cpus->list,
		       (cpus->nr + last - first + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	cpus->list = more;
	for (; first <= last; first++)
		if (!has(cpus, first))
			more[cpus->nr++] = first;
	return 0;
}

static int cpus_parse(struct cpus *cpus, const char *text)
{
	char *copy = strdup(text), *next = copy, *word, *dash;
	uint64_t first, last;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (word = strsep(&next, ","))) {
		dash = strchr(word, '-');
		if (dash)
			*dash++ = '\0';
		err = number_parse(word, &first);
		err = err ?: number_parse(dash ? dash : word, &last);
		err = err ?: cpus_add(cpus, first, last);
	}
	free(copy);
	return err;
}

int cpus_option(struct cpus *cpus, const struct command *command,
		const char *text)
{
	switch (cpus_parse(cpus, text)) {
	case 0:
		return EXIT_OK;
	case -ENOMEM:
		return failed("out of memory");
	default:
		return misused(command,
			       "--cpu `%s': numbers are expected, like 0,2-3",
			       text);
	}
}

void cpus_free(struct cpus *cpus)
{
	free(cpus->list);
	*cpus = (struct cpus){0};
}
