// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_filters.h"
#include "near.h"

struct event_filter {
	enum {
		UNKNOWN,
		ALL,  /* its events are wanted */
		NONE, /* they do not meet the filter */
		SOME, /* @filter says which */
	} kind;
	struct ktrace_filter *filter;
};

void event_filters_add(struct event_filters *filters, struct selection *s,
		       const char *text)
{
	filters->any = true;
	if (selection_filter(s, text))
		filters->general = text;
}

/* Where a filter is wrong, for the type to which it fits best. */
struct misfit {
	int err;
	size_t at;
	char why[256];
};

/* A field that cannot be compared is nearer than one that is not there. */
static bool misfit_is_worse(const struct misfit *misfit, int err, size_t at)
{
	if (!misfit->err || at > misfit->at)
		return true;
	return at == misfit->at && misfit->err == -ENOENT && err != -ENOENT;
}

/* *@text: the filter that is for the type; NULL: none.  Returns as ktrace_filter_create(). */
static int filter_make(const struct event_filters *filters,
		       const struct selection *s,
		       const struct ktrace_type *type, const char **text,
		       size_t *at, struct ktrace_filter **filter)
{
	*text = selection_filter_of(s, type->system, type->name)
			?: filters->general;
	*at = 0;
	return *text ? ktrace_filter_create(type, *text, at, filter) : 0;
}

static struct event_filter *filter_room(struct event_filters *filters,
					uint32_t number)
{
	size_t more = number * 2ull + 64;
	struct event_filter *table;

	if (number < filters->nr)
		return &filters->by_number[number];
	table = realloc(filters->by_number, more * sizeof(*table));
	if (!table)
		return NULL;
	memset(table + filters->nr, 0, (more - filters->nr) * sizeof(*table));
	filters->by_number = table;
	filters->nr = more;
	return &table[number];
}

/* The name of the field that is missing, at @at. */
static void word_copy(char *word, size_t room, const char *at)
{
	size_t n = 0;

	while (n < room - 1 &&
	       (isalnum((unsigned char)at[n]) || at[n] == '_')) {
		word[n] = at[n];
		n++;
	}
	word[n] = '\0';
}

static int unfit(const struct ktrace_type *type, const char *text, size_t at,
		 int err)
{
	struct near near;
	char word[64];

	failed("-f `%s' does not fit %s:%s: %s", text, type->system, type->name,
	       ktrace_last_error());
	if (err != -ENOENT)
		return EXIT_FAILED;
	word_copy(word, sizeof(word), text + at);
	near_init(&near, word);
	near_fields(&near, type);
	near_print(&near);
	return EXIT_FAILED;
}

/* None of the types has what the general filter asks. */
static int unfit_all(const struct event_filters *filters,
		     const struct ktrace_types *types,
		     const struct misfit *best)
{
	struct near near;
	char word[64];

	if (best->err != -ENOENT)
		return failed("-f `%s': %s", filters->general, best->why);
	word_copy(word, sizeof(word), filters->general + best->at);
	failed("-f `%s': no event that is chosen has the field `%s' and those "
	       "before it",
	       filters->general, word);
	near_init(&near, word);
	for (size_t i = 0; i < ktrace_types_count(types); i++)
		near_fields(&near, ktrace_types_get(types, i));
	near_print(&near);
	return EXIT_FAILED;
}

/* Compiles the filter of one type.  *@best: the best of those that do not fit. */
static int type_check(struct event_filters *filters, const struct selection *s,
		      const struct ktrace_type *type, bool *fits,
		      struct misfit *best)
{
	struct event_filter *of = filter_room(filters, type->number);
	const char *text;
	size_t at;
	int err;

	if (!of)
		return failed("out of memory");
	err = filter_make(filters, s, type, &text, &at, &of->filter);
	of->kind = err ? NONE : text ? SOME : ALL;
	*fits |= !err && text == filters->general;
	if (err && text != filters->general)
		return unfit(type, text, at, err);
	if (err && misfit_is_worse(best, err, at)) {
		best->err = err;
		best->at = at;
		snprintf(best->why, sizeof(best->why), "%s",
			 ktrace_last_error());
	}
	return EXIT_OK;
}

int event_filters_check(struct event_filters *filters,
			const struct selection *s,
			const struct ktrace_types *types)
{
	struct misfit best = {0};
	int status = EXIT_OK;
	bool fits = false;

	for (size_t i = 0; !status && i < ktrace_types_count(types); i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);

		if (selection_match(s, type->system, type->name))
			status = type_check(filters, s, type, &fits, &best);
	}
	if (!status && best.err && !fits)
		status = unfit_all(filters, types, &best);
	return status;
}

/* Of a stream, types become known as they come. */
static void filter_find(struct event_filters *filters,
			const struct selection *s, struct event_filter *of,
			const struct ktrace_type *type)
{
	const char *text;
	size_t at;
	int err = filter_make(filters, s, type, &text, &at, &of->filter);

	of->kind = err ? NONE : text ? SOME : ALL;
	if (err && (err != -ENOENT || text != filters->general))
		say("-f `%s' does not fit %s:%s, so its events do not meet it: "
		    "%s",
		    text, type->system, type->name, ktrace_last_error());
}

bool event_filters_match(struct event_filters *filters,
			 const struct selection *s,
			 const struct ktrace_event *event)
{
	struct event_filter *of;

	if (!filters->any)
		return true;
	of = filter_room(filters, event->type->number);
	if (!of)
		return false;
	if (of->kind == UNKNOWN)
		filter_find(filters, s, of, event->type);
	return of->kind == ALL ||
	       (of->kind == SOME && ktrace_filter_match(of->filter, event));
}

void event_filters_forget(struct event_filters *filters)
{
	for (size_t i = 0; i < filters->nr; i++)
		ktrace_filter_destroy(filters->by_number[i].filter);
	free(filters->by_number);
	filters->by_number = NULL;
	filters->nr = 0;
}
