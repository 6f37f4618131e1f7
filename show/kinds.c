// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/types.h>

#include "base/error.h"
#include "kinds.h"

/* Numbers of types are those of one trace; between two, there are names. */
struct kind {
	char *name;
	bool counts;
};

static bool counts(const struct kinds *kinds, const struct ktrace_type *type)
{
	return type->number < kinds->nr && kinds->counts[type->number];
}

int kinds_count(struct kinds *kinds, const struct ktrace_type *type)
{
	size_t more = type->number * 2ull + 64;
	bool *grown;

	if (counts(kinds, type))
		return 0;
	if (type->number >= kinds->nr) {
		grown = realloc(kinds->counts, more * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		memset(grown + kinds->nr, 0,
		       (more - kinds->nr) * sizeof(*grown));
		kinds->counts = grown;
		kinds->nr = more;
	}
	kinds->counts[type->number] = true;
	return 0;
}

int kinds_turn(struct kinds *kinds, struct ktrace *trace)
{
	const struct ktrace_types *types = ktrace_get_types(trace);
	size_t nr = ktrace_types_count(types);

	kinds->before = calloc(nr + 1, sizeof(*kinds->before));
	if (!kinds->before)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);
		struct kind *kind = &kinds->before[kinds->nr_before];

		if (!ktrace_type_stacks(type))
			continue;
		if (asprintf(&kind->name, "%s:%s", type->system, type->name) <
		    0)
			return -ENOMEM;
		kind->counts = counts(kinds, type);
		kinds->nr_before++;
	}
	free(kinds->counts);
	kinds->counts = NULL;
	kinds->nr = 0;
	return 0;
}

static bool is_called(const struct ktrace_type *type, const char *name)
{
	size_t length = strlen(type->system);

	return !strncmp(name, type->system, length) && name[length] == ':' &&
	       !strcmp(name + length + 1, type->name);
}

static bool was_recorded(const struct kinds *kinds,
			 const struct ktrace_type *type)
{
	for (size_t i = 0; i < kinds->nr_before; i++)
		if (is_called(type, kinds->before[i].name))
			return true;
	return false;
}

static bool is_recorded(const struct ktrace_types *types, const char *name)
{
	for (size_t i = 0; i < ktrace_types_count(types); i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);

		if (ktrace_type_stacks(type) && is_called(type, name))
			return true;
	}
	return false;
}

#define ONE_ONLY \
	"%s was recorded with its stack in %s only: choose events that both traces have"

int kinds_check(const struct kinds *kinds, struct ktrace *trace)
{
	const struct ktrace_types *types = ktrace_get_types(trace);
	char name[512];

	for (size_t i = 0; i < kinds->nr_before; i++) {
		const struct kind *kind = &kinds->before[i];

		if (kind->counts && !is_recorded(types, kind->name))
			return error_set(-EINVAL, ONE_ONLY, kind->name,
					 "the trace before");
	}
	for (size_t i = 0; i < ktrace_types_count(types); i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);

		if (!counts(kinds, type) || was_recorded(kinds, type))
			continue;
		snprintf(name, sizeof(name), "%s:%s", type->system, type->name);
		return error_set(-EINVAL, ONE_ONLY, name, "the trace after");
	}
	return 0;
}

void kinds_free(struct kinds *kinds)
{
	for (size_t i = 0; i < kinds->nr_before; i++)
		free(kinds->before[i].name);
	free(kinds->before);
	free(kinds->counts);
	*kinds = (struct kinds){0};
}
