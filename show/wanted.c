// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See wanted.h. */
#include <stdlib.h>
#include <string.h>

#include "wanted.h"

enum {
	TYPE_UNKNOWN,
	TYPE_WANTED,
	TYPE_LEFT_OUT,
};

static bool answers_reach(struct wanted *wanted, size_t number)
{
	size_t nr = number * 2 + 64;
	uint8_t *more;

	if (number < wanted->nr)
		return true;
	more = realloc(wanted->answers, nr);
	if (!more)
		return false;
	memset(more + wanted->nr, TYPE_UNKNOWN, nr - wanted->nr);
	wanted->answers = more;
	wanted->nr = nr;
	return true;
}

bool type_is_wanted(struct wanted *wanted, const struct ktrace_type *type,
		    bool (*want)(const struct ktrace_type *type, void *data),
		    void *data)
{
	uint8_t *answer;

	if (!want)
		return true;
	if (!answers_reach(wanted, type->number))
		return want(type, data);
	answer = &wanted->answers[type->number];
	if (*answer == TYPE_UNKNOWN)
		*answer = want(type, data) ? TYPE_WANTED : TYPE_LEFT_OUT;
	return *answer == TYPE_WANTED;
}

void wanted_destroy(struct wanted *wanted)
{
	free(wanted->answers);
}
