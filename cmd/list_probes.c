// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cmd.h"
#include "list_probes.h"

static int probe_compare(const void *a, const void *b)
{
	const struct ktrace_probe *x = a, *y = b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->name, y->name);
}

/* The library's texts are gone after its call. */
static int probe_add(const struct ktrace_probe *probe, void *data)
{
	struct list_probes *probes = data;
	struct ktrace_probe copy = *probe;
	const char **texts[] = {&copy.system, &copy.name,  &copy.place,
				&copy.fields, &copy.armed, &copy.refusal};
	struct ktrace_probe *list =
		array_grow(probes->list, probes->nr, sizeof(*list));

	if (!list)
		return -ENOMEM;
	probes->list = list;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (!*texts[i])
			continue;
		*texts[i] = arena_strdup(&probes->arena, *texts[i]);
		if (!*texts[i])
			return -ENOMEM;
	}
	list[probes->nr++] = copy;
	return 0;
}

int list_probes_read(struct list_probes *probes, struct ktrace_session *session)
{
	int err =
		ktrace_session_probes_each(session, NULL, 0, probe_add, probes);

	if (err == -ENOMEM)
		return failed("out of memory");
	if (err)
		return failed_in_library();
	if (probes->nr)
		qsort(probes->list, probes->nr, sizeof(*probes->list),
		      probe_compare);
	return EXIT_OK;
}

const struct ktrace_probe *list_probes_find(const struct list_probes *probes,
					    const char *system,
					    const char *name)
{
	const struct ktrace_probe key = {.system = system, .name = name};

	return probes->nr ? bsearch(&key, probes->list, probes->nr, sizeof(key),
				    probe_compare)
			  : NULL;
}

void list_probes_free(struct list_probes *probes)
{
	arena_destroy(&probes->arena);
	free(probes->list);
}
