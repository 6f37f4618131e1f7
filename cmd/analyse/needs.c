// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "common/value.h"
#include "needs.h"

/* Is it one of @events, which are separated by `|'? */
static bool is_one_of(const struct ktrace_type *type, const char *events)
{
	char name[256], pattern[64];
	size_t size;

	if (type->marker)
		return false;
	snprintf(name, sizeof(name), "%s:%s", type->system, type->name);
	for (; *events; events += size + (events[size] == '|')) {
		size = strcspn(events, "|");
		snprintf(pattern, sizeof(pattern), "%.*s", (int)size, events);
		if (!fnmatch(pattern, name, 0))
			return true;
	}
	return false;
}

static bool need_is_met(const struct need *need,
			const struct ktrace_types *types)
{
	for (size_t i = 0; i < ktrace_types_count(types); i++)
		if (is_one_of(ktrace_types_get(types, i), need->events))
			return true;
	return false;
}

unsigned int needs_missing(const struct needs *needs,
			   const struct ktrace_types *types, bool *fails)
{
	unsigned int missing = 0, groups = 0, met = 0;

	*fails = false;
	for (int i = 0; i < NEEDS_MAX && needs->list[i].events; i++) {
		const struct need *need = &needs->list[i];

		groups |= 1u << need->group;
		if (need_is_met(need, types)) {
			met |= 1u << need->group;
			continue;
		}
		missing |= 1u << i;
		*fails |= !need->without;
	}
	*fails |= ((groups & ~met) >> 1) != 0;
	return missing;
}

bool need_seen(struct need_seen *seen, const struct ktrace_types *types,
	       const char *events)
{
	for (; !seen->met && seen->nr < ktrace_types_count(types); seen->nr++)
		seen->met =
			is_one_of(ktrace_types_get(types, seen->nr), events);
	return seen->met;
}

/* Is there no result without it, or without one of its group? */
static bool need_fails(const struct needs *needs, unsigned int missing, int i)
{
	const struct need *need = &needs->list[i];

	if (!(missing & 1u << i) || (need->without && !need->group))
		return false;
	for (int j = 0; j < NEEDS_MAX && needs->list[j].events; j++)
		if (need->without && needs->list[j].group == need->group &&
		    !(missing & 1u << j))
			return false;
	return true;
}

static void missing_say(const struct needs *needs, unsigned int missing,
			char *text, size_t size)
{
	const char *before = "";

	*text = '\0';
	for (int i = 0; i < NEEDS_MAX && needs->list[i].events; i++) {
		size_t at = strlen(text);

		if (!need_fails(needs, missing, i))
			continue;
		snprintf(text + at, size - at, "%s%.*s", before,
			 (int)strcspn(needs->list[i].events, "|"),
			 needs->list[i].events);
		before = ", ";
	}
}

int needs_fail(const struct needs *needs, unsigned int missing)
{
	char text[512];

	missing_say(needs, missing, text, sizeof(text));
	return failed("%s cannot be told without the events %s, which the "
		      "trace does not have: ktrace record -a %s",
		      needs->what, text, needs->record);
}

void needs_print(const struct needs *needs, unsigned int missing)
{
	for (int i = 0; i < NEEDS_MAX && needs->list[i].events; i++)
		if (missing & 1u << i)
			printf("%14s  the trace does not have %.*s: %s\n", "",
			       (int)strcspn(needs->list[i].events, "|"),
			       needs->list[i].events, needs->list[i].without);
	if (missing)
		printf("%14s  all of them: ktrace record -a %s\n", "",
		       needs->record);
}

void needs_json(const struct needs *needs, unsigned int missing)
{
	const char *before = "";

	fputs("\"missing\":[", stdout);
	for (int i = 0; i < NEEDS_MAX && needs->list[i].events; i++) {
		if (!(missing & 1u << i))
			continue;
		printf("%s{\"events\":", before);
		print_json(stdout, needs->list[i].events);
		fputs(",\"without\":", stdout);
		print_json(stdout, needs->list[i].without);
		putchar('}');
		before = ",";
	}
	putchar(']');
}
