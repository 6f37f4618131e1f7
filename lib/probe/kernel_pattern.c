// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Patterns of places in the kernel: kernel_pattern.h.
 *
 * They mean the functions that can be recorded as functions (<ktrace/session.h>): ftrace calls these,
 * so many of them are armed at once, and what the kernel would refuse is known before.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "kernel_pattern.h"

/* One pattern means so many functions at most. */
#define FUNCTIONS_MAX 2048

struct walk {
	const struct place *place;
	const char *pattern;
	size_t nr; /* without those that are refused */
	int (*use)(const struct place *place, void *data);
	void *data;
};

bool kernel_pattern_is(const struct place *place)
{
	return !place->path && !*place->line && !place->is_address &&
	       place_is_wild(place->function);
}

static int function_use(const struct ktrace_function *function, void *data)
{
	struct walk *walk = data;
	struct place place = *walk->place;
	bool too_long = strlen(function->name) >= sizeof(place.function) ||
			strlen(function->module) >= sizeof(place.module);

	if (!function->missing && !too_long && ++walk->nr > FUNCTIONS_MAX)
		return error_set(-E2BIG,
				 "`%s' means more than %d functions: ktrace "
				 "record -F records calls of any number",
				 walk->pattern, FUNCTIONS_MAX);
	snprintf(place.function, sizeof(place.function), "%s", function->name);
	snprintf(place.module, sizeof(place.module), "%s", function->module);
	place.lenient = true;
	place.is_one_of_many = true;
	if (function->missing)
		snprintf(place.refused, sizeof(place.refused), "%s",
			 function->missing);
	else if (too_long)
		snprintf(place.refused, sizeof(place.refused),
			 "its name is too long");
	return walk->use(&place, walk->data);
}

int kernel_pattern_places(struct ktrace_session *session,
			  const struct place *place,
			  int (*use)(const struct place *place, void *data),
			  void *data)
{
	char text[sizeof(place->module) + sizeof(place->function) + 1];
	const char *const pattern = text;
	struct walk walk = {
		.place = place,
		.pattern = pattern,
		.use = use,
		.data = data,
	};

	snprintf(text, sizeof(text), "%s%s%s", place->module,
		 *place->module ? ":" : "", place->function);
	return ktrace_session_functions_each(session, &pattern, 1, function_use,
					     &walk);
}
