// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Many patterns that are asked for many events (<ktrace/session.h>). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/table.h"
#include "pattern.h"

bool ktrace_pattern_match(const char *pattern, const char *system,
			  const char *name)
{
	return kt_event_match(pattern, system, name);
}

/* One that is "SYSTEM:NAME" without wildcards. */
struct exact {
	const char *pattern;
	const char *name;
	size_t index;
};

struct general {
	const char *pattern;
	size_t index;
};

struct ktrace_patterns {
	struct arena arena;
	struct table exact; /* by the hash of the name */
	struct general *general;
	size_t nr_general, nr;
};

struct ktrace_patterns *ktrace_patterns_new(void)
{
	struct ktrace_patterns *set = calloc(1, sizeof(*set));

	if (!set)
		error_set(-ENOMEM, "out of memory");
	return set;
}

void ktrace_patterns_free(struct ktrace_patterns *set)
{
	if (!set)
		return;
	table_free(&set->exact);
	arena_destroy(&set->arena);
	free(set->general);
	free(set);
}

static bool is_exact(const char *pattern)
{
	return strchr(pattern, ':') && !strpbrk(pattern, "*?[\\");
}

static int exact_add(struct ktrace_patterns *set, const char *pattern)
{
	struct exact *exact = arena_alloc(&set->arena, sizeof(*exact));
	const char *name = strchr(pattern, ':') + 1;

	if (!exact)
		return -ENOMEM;
	*exact = (struct exact){pattern, name, set->nr};
	return table_add(&set->exact, table_hash(name, strlen(name)), exact);
}

static int general_add(struct ktrace_patterns *set, const char *pattern)
{
	struct general *more =
		array_grow(set->general, set->nr_general, sizeof(*more));

	if (!more)
		return -ENOMEM;
	set->general = more;
	more[set->nr_general++] = (struct general){pattern, set->nr};
	return 0;
}

int ktrace_patterns_add(struct ktrace_patterns *set, const char *pattern)
{
	int err = is_exact(pattern) ? exact_add(set, pattern)
				    : general_add(set, pattern);

	if (err)
		return error_set(err, "out of memory");
	set->nr++;
	return 0;
}

static bool exact_match(const struct exact *exact, const char *system,
			const char *name)
{
	size_t length = exact->name - 1 - exact->pattern;

	return !strcmp(exact->name, name) &&
	       (!system ||
		(!strncmp(exact->pattern, system, length) && !system[length]));
}

static bool general_match(const struct general *general, const char *system,
			  const char *name)
{
	const char *colon = strchr(general->pattern, ':');

	if (system)
		return kt_event_match(general->pattern, system, name);
	return !colon || kt_glob_match(colon + 1, name);
}

bool ktrace_patterns_match(const struct ktrace_patterns *set,
			   const char *system, const char *name,
			   bool (*use)(size_t index, void *data), void *data)
{
	uint64_t hash = table_hash(name, strlen(name));
	const struct table_slot *slot = NULL;

	while ((slot = table_next(&set->exact, hash, slot))) {
		const struct exact *exact = slot->value;

		if (exact_match(exact, system, name) &&
		    (!use || use(exact->index, data)))
			return true;
	}
	for (size_t i = 0; i < set->nr_general; i++) {
		const struct general *general = &set->general[i];

		if (general_match(general, system, name) &&
		    (!use || use(general->index, data)))
			return true;
	}
	return false;
}
