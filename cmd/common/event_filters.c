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

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The name of the field that is missing, at @at. */
static void word_copy(char *word, size_t room, const char *at)
{
	size_t n = 0;

	while (n < room - 1 && is_word(at[n])) {
		word[n] = at[n];
		n++;
	}
	word[n] = '\0';
}

#define WORDS_MAX 64 /* a filter has no more comparisons */

/* A type that has the fields of a filter, whatever they are. */
struct made_type {
	struct ktrace_type type;
	struct ktrace_field fields[WORDS_MAX];
	char names[WORDS_MAX][64];
};

/* False: the word is none, or too long. */
static bool made_type_add(struct made_type *made, const char *at)
{
	uint32_t nr = made->type.nr_fields;
	char *name = made->names[nr % WORDS_MAX];

	if (nr == WORDS_MAX)
		return false;
	word_copy(name, sizeof(made->names[0]), at);
	if (!*name || (nr && !strcmp(name, made->names[nr - 1])))
		return false;
	made->fields[nr] = (struct ktrace_field){
		.name = name,
		.size = 8,
		.kind = KTRACE_INT,
	};
	made->type.nr_fields = nr + 1;
	return true;
}

/* The field of the comparison whose operator or value is at @at; NULL: there is none. */
static struct ktrace_field *made_type_field(struct made_type *made,
					    const char *text, size_t at)
{
	char name[64];

	while (at && !is_word(text[at - 1]))
		at--;
	while (at && is_word(text[at - 1]))
		at--;
	word_copy(name, sizeof(name), text + at);
	for (uint32_t i = 0; i < made->type.nr_fields; i++)
		if (!strcmp(made->names[i], name))
			return &made->fields[i];
	return NULL;
}

/* Is the text a filter of any type?  Each field is a number, or else an unsigned one, or a string. */
static int syntax_check(const char *text)
{
	struct made_type made = {
		.type = {.size = 8, .system = "", .name = ""},
	};
	struct ktrace_filter *filter;
	struct ktrace_field *field;
	char why[256];
	size_t at, furthest = 0;
	int err;

	made.type.fields = made.fields;
	while ((err = ktrace_filter_create(&made.type, text, &at, &filter))) {
		if (err == -ENOENT && made_type_add(&made, text + at))
			continue;
		field = err == -EINVAL ? made_type_field(&made, text, at)
				       : NULL;
		/* The kind of field with which most of the text is right tells best what is not. */
		if (at >= furthest)
			snprintf(why, sizeof(why), "%s", ktrace_last_error());
		if (at > furthest)
			furthest = at;
		if (!field || field->kind == KTRACE_STRING)
			return failed("filter `%s': %s", text, why);
		field->kind =
			field->kind == KTRACE_INT ? KTRACE_UINT : KTRACE_STRING;
	}
	ktrace_filter_destroy(filter);
	return EXIT_OK;
}

int event_filters_add(struct event_filters *filters, struct selection *s,
		      const struct command *command, const char *text)
{
	int err = selection_filter(s, text);

	if (err == -EEXIST)
		return misused(command,
			       "the -e before the filter `%s' has one: join "
			       "them with &&",
			       text);
	if (err && filters->general)
		return misused(command,
			       "the filters `%s' and `%s' are both for all "
			       "events: join them with &&",
			       filters->general, text);
	if (err)
		filters->general = text;
	filters->any = true;
	return syntax_check(text);
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

static int unfit(const struct ktrace_type *type, const char *text, size_t at,
		 int err)
{
	struct near near;
	char word[64];

	failed("filter `%s' does not fit %s:%s: %s", text, type->system,
	       type->name, ktrace_last_error());
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
		     const struct selection *s,
		     const struct ktrace_types *types,
		     const struct misfit *best)
{
	struct near near;
	char word[64];

	if (best->err != -ENOENT)
		return failed("filter `%s': %s", filters->general, best->why);
	word_copy(word, sizeof(word), filters->general + best->at);
	if (selection_has_field(s, types, word))
		return failed(
			"filter `%s': no event that is chosen has the field "
			"`%s' and those before it",
			filters->general, word);
	failed("filter `%s': no event that is chosen has the field `%s'",
	       filters->general, word);
	near_init(&near, word);
	selection_near_fields(s, types, &near);
	near_print(&near);
	return EXIT_FAILED;
}

/* Does the filter fit another type of the same name?  A program may have called a marker so. */
static bool namesake_fits(const struct ktrace_types *types,
			  const struct ktrace_type *type, const char *text)
{
	for (size_t i = 0; i < ktrace_types_count(types); i++) {
		const struct ktrace_type *other = ktrace_types_get(types, i);
		struct ktrace_filter *filter;

		if (other == type || strcmp(other->system, type->system) ||
		    strcmp(other->name, type->name) ||
		    ktrace_filter_create(other, text, NULL, &filter))
			continue;
		ktrace_filter_destroy(filter);
		return true;
	}
	return false;
}

/* What a look at all types has found of the general filter. */
struct general {
	bool used; /* a type has no other one */
	bool fits;
	struct misfit best;
};

/* Checks the filter of one type.  It is compiled again when there is an event of it. */
static int type_check(const struct event_filters *filters,
		      const struct selection *s,
		      const struct ktrace_types *types,
		      const struct ktrace_type *type, struct general *general)
{
	struct misfit *best = &general->best;
	struct ktrace_filter *filter = NULL;
	const char *text;
	size_t at;
	int err;

	if (general->fits && !selection_filter_of(s, type->system, type->name))
		return EXIT_OK;
	err = filter_make(filters, s, type, &text, &at, &filter);
	ktrace_filter_destroy(filter);
	if (text != filters->general)
		return err && !namesake_fits(types, type, text)
			       ? unfit(type, text, at, err)
			       : EXIT_OK;
	general->used = true;
	general->fits |= !err;
	if (err && misfit_is_worse(best, err, at)) {
		best->err = err;
		best->at = at;
		snprintf(best->why, sizeof(best->why), "%s",
			 ktrace_last_error());
	}
	return EXIT_OK;
}

int event_filters_check(const struct event_filters *filters,
			const struct selection *s,
			const struct ktrace_types *types)
{
	struct general general = {0};
	int status = EXIT_OK;

	for (size_t i = 0; !status && i < ktrace_types_count(types); i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);

		if (selection_match(s, type->system, type->name))
			status = type_check(filters, s, types, type, &general);
	}
	if (!status && general.best.err && !general.fits)
		status = unfit_all(filters, s, types, &general.best);
	if (!status && filters->general && !general.used)
		say("filter `%s' is for no event: all that are chosen have another "
		    "one",
		    filters->general);
	return status;
}

/* A general filter need not fit; what fits no type has been said, or is said when a stream ends. */
static void filter_find(struct event_filters *filters,
			const struct selection *s, struct event_filter *of,
			const struct ktrace_type *type)
{
	const char *text;
	size_t at;
	int err = filter_make(filters, s, type, &text, &at, &of->filter);

	of->kind = err ? NONE : text ? SOME : ALL;
	if (err && text != filters->general)
		say("filter `%s' does not fit %s:%s, so its events do not meet it: "
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
