// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Filters of events of a trace.  The core compiles and runs them, as in the kernel; here is only which
 * fields of a type they may compare (kernel/event/gate.c has the same for the kernel's events).
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/filter.h>

#include "base/error.h"
#include "filter.h"
#include "judged.h"

#define SHOWN_MAX 40 /* of the text at which it is wrong */

__thread const struct ktrace_event *judged_event;

struct ktrace_filter {
	uint32_t size; /* of payloads, at least */
	struct kt_filter program;
};

static bool is_number(const struct ktrace_field *field)
{
	uint32_t size = field->size;

	return field->kind <= KTRACE_POINTER && field->base != KTRACE_FLOAT &&
	       (size == 1 || size == 2 || size == 4 || size == 8);
}

static uint8_t field_kind(const struct ktrace_field *field)
{
	if (field->kind == KTRACE_STRING && field->place == KTRACE_DATA_LOC)
		return KT_FILTER_DYNAMIC;
	if (field->place != KTRACE_FIXED)
		return KT_FILTER_OPAQUE;
	if (field->kind == KTRACE_STRING)
		return KT_FILTER_STRING;
	if (!is_number(field))
		return KT_FILTER_OPAQUE;
	return field->kind == KTRACE_INT ? KT_FILTER_SIGNED
					 : KT_FILTER_UNSIGNED;
}

/* What kt_filter_compile() asks. */
struct search {
	const struct ktrace_type *type;
	const char *text;
	size_t missing; /* where in that the last name is that was not found */
};

static bool field_lookup(void *data, const char *name, size_t length,
			 struct kt_filter_field *found)
{
	struct search *search = data;

	for (uint32_t i = 0; i < search->type->nr_fields; i++) {
		const struct ktrace_field *field = &search->type->fields[i];

		if (strlen(field->name) != length ||
		    memcmp(field->name, name, length))
			continue;
		*found = (struct kt_filter_field){
			.offset = field->offset,
			.size = field->size,
			.kind = field_kind(field),
		};
		/* The core has smaller numbers; no payload is that large. */
		return field->offset <= UINT16_MAX && field->size <= UINT16_MAX;
	}
	/* A name that is not in the text, as that of a field beside another one, is nowhere: too far. */
	search->missing = (uintptr_t)name - (uintptr_t)search->text;
	return false;
}

int ktrace_filter_create(const struct ktrace_type *type, const char *text,
			 size_t *at, struct ktrace_filter **result)
{
	struct ktrace_filter *filter = malloc(sizeof(*filter));
	struct search search = {
		.type = type, .text = text, .missing = SIZE_MAX};
	struct kt_filter_error error = {.at = text};
	int err;

	if (at)
		*at = 0;
	if (!filter)
		return error_set(-ENOMEM, "out of memory");
	filter->size = type->size;
	err = kt_filter_compile(&filter->program, text, field_lookup, &search,
				type->size, &error);
	if (!err) {
		*result = filter;
		return 0;
	}
	free(filter);
	if (at)
		*at = error.at - text;
	/* Fields of the task are found later, so a name may only seem to be missing. */
	if (err == -EINVAL && (size_t)(error.at - text) == search.missing)
		err = -ENOENT;
	return error_set(err, "at character %zu, \"%.*s\": %s",
			 (size_t)(error.at - text) + 1, SHOWN_MAX, error.at,
			 error.what);
}

bool ktrace_filter_match(const struct ktrace_filter *filter,
			 const struct ktrace_event *event)
{
	if (event->size < filter->size)
		return false;
	judged_event = event;
	return kt_filter_run(&filter->program, event->payload, event->size,
			     event->cpu);
}

void ktrace_filter_destroy(struct ktrace_filter *filter)
{
	free(filter);
}
