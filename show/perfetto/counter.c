// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <string.h>

#include "perfetto/counter.h"

/* show/html/page/counter.js has the same events. */
static const struct counted {
	const char *system, *event, *value;
	const char *keys[2]; /* the fields that say of what */
	const char *words, *unit;
} all_counted[] = {
	{"power",
	 "cpu_frequency",
	 "state",
	 {"cpu_id"},
	 "frequency of CPU",
	 "kHz"},
	{"power", "clock_set_rate", "state", {"name"}, "clock", "Hz"},
	{"thermal",
	 "thermal_temperature",
	 "temp",
	 {"thermal_zone"},
	 "temperature",
	 "m\302\260C"},
	{"kmem", "rss_stat", "size", {"mm_id", "member"}, "memory of", "B"},
};

static const struct counted *counted_find(const struct ktrace_type *type)
{
	if (type->marker)
		return NULL;
	for (size_t i = 0; i < sizeof(all_counted) / sizeof(*all_counted);
	     i++) {
		const struct counted *c = &all_counted[i];

		if (!strcmp(type->system, c->system) &&
		    !strcmp(type->name, c->event))
			return c;
	}
	return NULL;
}

static const struct argument *argument_find(const struct arguments *arguments,
					    const char *name)
{
	for (uint32_t i = 0; i < arguments->nr; i++)
		if (!strcmp(arguments->list[i].name, name))
			return &arguments->list[i];
	return NULL;
}

static void name_add(struct counter *counter, const struct argument *of)
{
	size_t at = strlen(counter->name);
	char *end = counter->name + at;

	if (of->is_number)
		snprintf(end, sizeof(counter->name) - at, " %lld",
			 (long long)of->number);
	else
		snprintf(end, sizeof(counter->name) - at, " %.*s",
			 of->size > 64 ? 64 : (int)of->size, of->text);
}

bool counter_find(const struct ktrace_type *type,
		  const struct arguments *arguments, struct counter *counter)
{
	const struct counted *c = counted_find(type);
	const struct argument *value;
	size_t at;

	value = c ? argument_find(arguments, c->value) : NULL;
	if (!value || !value->is_number)
		return false;
	counter->value = value->number;
	snprintf(counter->name, sizeof(counter->name), "%s", c->words);
	for (int i = 0; i < 2 && c->keys[i]; i++) {
		const struct argument *key =
			argument_find(arguments, c->keys[i]);

		if (key)
			name_add(counter, key);
	}
	at = strlen(counter->name);
	snprintf(counter->name + at, sizeof(counter->name) - at, ", %s",
		 c->unit);
	return true;
}
