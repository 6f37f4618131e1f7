// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/modules.h>

#include "call_name.h"
#include "cmd.h"
#include "near.h"
#include "select.h"

/* The choice's pattern becomes the selection's.  -ENOMEM. */
static int choice_add(struct selection *s, const struct choice *choice)
{
	struct choice *choices =
		realloc(s->choices, (s->nr + 1) * sizeof(*choices));

	if (choices)
		s->choices = choices;
	if (choices && !s->set)
		s->set = ktrace_patterns_new();
	if (!choices || !s->set || !choice->pattern ||
	    ktrace_patterns_add(s->set, choice->pattern)) {
		free(choice->pattern);
		return -ENOMEM;
	}
	choices[s->nr++] = *choice;
	s->calls |= choice->calls;
	return 0;
}

static int patterns_add(struct selection *s, const char *patterns, bool calls,
			bool optional)
{
	while (true) {
		size_t len = strcspn(patterns, ",");
		bool exclude = *patterns == '!';
		struct choice choice = {
			.exclude = exclude,
			.calls = calls,
			.optional = optional,
			.group = s->groups,
		};

		if (len <= exclude)
			return -EINVAL;
		choice.pattern = strndup(patterns + exclude, len - exclude);
		if (choice_add(s, &choice))
			return -ENOMEM;
		if (!patterns[len])
			break;
		patterns += len + 1;
	}
	s->groups++;
	return 0;
}

int selection_add(struct selection *s, const char *patterns)
{
	return patterns_add(s, patterns, false, false);
}

int selection_add_calls(struct selection *s, const char *patterns,
			bool optional)
{
	return patterns_add(s, patterns, true, optional);
}

int selection_option(struct selection *s, const struct command *command,
		     const char *patterns)
{
	if (selection_add(s, patterns))
		return misused(command, "-e `%s' names no event", patterns);
	return EXIT_OK;
}

/* What excludes has no filter. */
static bool is_last_positive(const struct selection *s, size_t index)
{
	return s->choices[index].group == s->groups - 1 &&
	       !s->choices[index].exclude;
}

int selection_filter(struct selection *s, const char *filter)
{
	int err = -EINVAL;

	for (size_t i = 0; i < s->nr; i++) {
		if (!is_last_positive(s, i))
			continue;
		if (s->choices[i].filter)
			return -EEXIST;
		err = 0;
	}
	for (size_t i = 0; !err && i < s->nr; i++)
		if (is_last_positive(s, i))
			s->choices[i].filter = filter;
	return err;
}

int selection_append(struct selection *s, struct selection *from)
{
	int err = 0;

	for (size_t i = 0; i < from->nr; i++) {
		struct choice choice = from->choices[i];

		choice.group += s->groups;
		if (err)
			free(choice.pattern);
		else
			err = choice_add(s, &choice);
	}
	s->groups += from->groups;
	from->nr = 0;
	selection_free(from);
	return err;
}

void selection_free(struct selection *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->choices[i].pattern);
	ktrace_patterns_free(s->set);
	free(s->choices);
	free(s->patterns);
	memset(s, 0, sizeof(*s));
}

static bool selection_has_positive(const struct selection *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (!s->choices[i].exclude)
			return true;
	return false;
}

bool selection_is_all(const struct selection *s)
{
	return !s->nr;
}

const char *const *selection_patterns(struct selection *s, size_t *nr)
{
	static const char *const everything[] = {"*"};

	*nr = 1;
	if (!selection_has_positive(s))
		return everything;
	free(s->patterns);
	s->patterns = calloc(s->nr, sizeof(*s->patterns));
	if (!s->patterns)
		return everything;
	*nr = 0;
	for (size_t i = 0; i < s->nr; i++)
		if (!s->choices[i].exclude)
			s->patterns[(*nr)++] = s->choices[i].pattern;
	return s->patterns;
}

/* Which choices mean an event. */
struct search {
	const struct selection *s;
	bool named;	  /* by the name that programs know */
	bool calls_count; /* else choices about calls do not */
	void (*use)(size_t index, void *data);
	void *data;
};

static bool search_use(size_t index, void *data)
{
	const struct search *search = data;
	bool calls = search->s->choices[index].calls;

	if (calls ? search->calls_count : !search->named)
		search->use(index, search->data);
	return false;
}

/* Calls @use with each choice that means the event; with some of them twice. */
static void choices_each(const struct selection *s, const char *system,
			 const char *name,
			 void (*use)(size_t index, void *data), void *data)
{
	struct search search = {
		.s = s, .calls_count = true, .use = use, .data = data};
	char known[CALL_NAME_MAX];
	bool other;

	if (!s->nr)
		return;
	other = s->calls &&
		call_name_other(system, name, known, &search.calls_count);
	ktrace_patterns_match(s->set, system, name, search_use, &search);
	if (!other)
		return;
	search.named = search.calls_count = true;
	ktrace_patterns_match(s->set, system, known, search_use, &search);
}

/* What the choices say of one event. */
struct verdict {
	const struct selection *selection;
	bool wanted, excluded;
	size_t last; /* of those that want it, the number, from 1 on */
};

static void verdict_add(size_t index, void *data)
{
	struct verdict *v = data;

	if (v->selection->choices[index].exclude) {
		v->excluded = true;
	} else {
		v->wanted = true;
		if (index >= v->last)
			v->last = index + 1;
	}
}

static struct verdict verdict_of(const struct selection *s, const char *system,
				 const char *name)
{
	struct verdict v = {.selection = s};

	choices_each(s, system, name, verdict_add, &v);
	return v;
}

bool selection_match(const struct selection *s, const char *system,
		     const char *name)
{
	const struct verdict v = verdict_of(s, system, name);

	if (v.excluded)
		return false;
	return v.wanted || !selection_has_positive(s);
}

const char *selection_filter_of(const struct selection *s, const char *system,
				const char *name)
{
	const struct verdict v = verdict_of(s, system, name);

	return v.last ? s->choices[v.last - 1].filter : NULL;
}

bool selection_has_field(const struct selection *s,
			 const struct ktrace_types *types, const char *name)
{
	for (size_t i = 0; i < ktrace_types_count(types); i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);

		if (selection_match(s, type->system, type->name) &&
		    ktrace_field_find(type, name))
			return true;
	}
	return false;
}

void selection_near_fields(const struct selection *s,
			   const struct ktrace_types *types, struct near *near)
{
	for (size_t i = 0; i < ktrace_types_count(types); i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);

		if (selection_match(s, type->system, type->name))
			near_fields(near, type);
	}
}

bool selection_wants(const struct ktrace_type *type, void *data)
{
	return selection_match(data, type->system, type->name);
}

/* Patterns that match nothing */

struct event_name {
	const char *system;
	const char *name;
};

static bool missing_explain(const struct choice *c,
			    const struct ktrace_session *session)
{
	const struct ktrace_missing *missing;
	size_t nr = ktrace_session_missing(session, &missing);

	for (size_t i = 0; i < nr; i++) {
		if (!ktrace_pattern_match(c->pattern, missing[i].system,
					  missing[i].name))
			continue;
		failed("%s:%s cannot be recorded: %s", missing[i].system,
		       missing[i].name, missing[i].reason);
		return true;
	}
	return false;
}

/* All names "SYSTEM:NAME" that could be meant, recordable or not. */
struct names {
	char **list;
	size_t nr;
};

static void names_add(struct names *names, const char *system, const char *name)
{
	char **list = realloc(names->list, (names->nr + 1) * sizeof(*list));

	if (!list)
		return;
	names->list = list;
	if (asprintf(&list[names->nr], "%s:%s", system, name) > 0)
		names->nr++;
}

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_collect(struct names *names, const struct event_name *events,
			  size_t nr_events, bool modules_too)
{
	const struct ktrace_modules_event *more;
	struct ktrace_modules *modules;
	size_t nr;

	for (size_t i = 0; i < nr_events; i++)
		names_add(names, events[i].system, events[i].name);
	if (modules_too && !ktrace_modules_open(&modules)) {
		nr = ktrace_modules_events(modules, &more);
		for (size_t i = 0; i < nr; i++)
			names_add(names, more[i].system, more[i].name);
		ktrace_modules_close(modules);
	}
	if (names->nr)
		qsort(names->list, names->nr, sizeof(*names->list),
		      name_compare);
}

static void nearest_print(const char *pattern, const struct names *names)
{
	const char *last = "", *system = "";
	char systems[256][64];
	struct near near;
	size_t nr = 0;

	near_init(&near, pattern);
	for (size_t i = 0; i < names->nr; i++) {
		size_t len = strcspn(names->list[i], ":");

		/* Systems, too: "shed" is similar to "sched". */
		if ((strncmp(system, names->list[i], len) || system[len]) &&
		    nr < 256 && len < sizeof(systems[0])) {
			memcpy(systems[nr], names->list[i], len);
			systems[nr][len] = '\0';
			system = systems[nr++];
			if (!strchr(pattern, ':'))
				near_add(&near, system);
		}
		if (strcmp(last, names->list[i]))
			near_add(&near, names->list[i]);
		last = names->list[i];
	}
	if (!near_print(&near))
		fputs("        `ktrace list' shows what there is.\n", stderr);
}

static void choice_use(size_t index, void *data)
{
	struct selection *s = data;

	s->choices[index].used = true;
}

static void choices_use(struct selection *s, const char *system,
			const char *name)
{
	choices_each(s, system, name, choice_use, s);
}

static int selection_check(struct selection *s, const struct event_name *events,
			   size_t nr_events,
			   const struct ktrace_session *session)
{
	struct names names = {0};
	int status = EXIT_OK;

	for (size_t i = 0; i < nr_events; i++)
		choices_use(s, events[i].system, events[i].name);
	for (size_t i = 0; i < s->nr; i++) {
		struct choice *c = &s->choices[i];

		if (c->used || c->exclude || c->optional)
			continue;
		status = EXIT_FAILED;
		if (session && missing_explain(c, session))
			continue;
		failed("there is no event `%s'%s", c->pattern,
		       session ? "" : " in this trace");
		if (!names.nr)
			names_collect(&names, events, nr_events,
				      session != NULL);
		nearest_print(c->pattern, &names);
	}
	for (size_t i = 0; i < names.nr; i++)
		free(names.list[i]);
	free(names.list);
	return status;
}

/* As selection_check(), of the names that @get finds by number. */
static int selection_check_each(struct selection *s, size_t nr,
				struct event_name (*get)(const void *events,
							 size_t index),
				const void *events,
				const struct ktrace_session *session)
{
	struct event_name *names;
	int status;

	if (!s->nr)
		return EXIT_OK;
	names = calloc(nr + 1, sizeof(*names));
	if (!names)
		return failed("out of memory");
	for (size_t i = 0; i < nr; i++)
		names[i] = get(events, i);
	status = selection_check(s, names, nr, session);
	free(names);
	return status;
}

static struct event_name type_name(const void *types, size_t index)
{
	const struct ktrace_type *type = ktrace_types_get(types, index);

	return (struct event_name){type->system, type->name};
}

int selection_check_types(struct selection *s, const struct ktrace_types *types)
{
	return selection_check_each(s, ktrace_types_count(types), type_name,
				    types, NULL);
}

static struct event_name known_name(const void *events, size_t index)
{
	const struct ktrace_known *known = events;

	return (struct event_name){known[index].system, known[index].name};
}

int selection_check_known(struct selection *s, const struct ktrace_known *known,
			  size_t nr, const struct ktrace_session *session)
{
	return selection_check_each(s, nr, known_name, known, session);
}

int selection_drop_unknown(struct selection *s,
			   const struct ktrace_known *known, size_t nr,
			   void (*tell)(const char *pattern, void *data),
			   void *data)
{
	struct selection left = {.groups = s->groups};
	size_t positive = 0, dropped = 0;
	int err = 0;

	for (size_t i = 0; i < nr; i++)
		choices_use(s, known[i].system, known[i].name);
	for (size_t i = 0; i < s->nr; i++) {
		const struct choice *c = &s->choices[i];

		positive += c->used && !c->exclude;
		if (c->used || c->exclude || c->optional)
			continue;
		dropped++;
		tell(c->pattern, data);
	}
	for (size_t i = 0; i < s->nr; i++) {
		const struct choice *c = &s->choices[i];
		bool stays = c->exclude ? positive || !dropped : c->used;

		if (stays && !err)
			err = choice_add(&left, c);
		else
			free(c->pattern);
	}
	s->nr = 0;
	selection_free(s);
	*s = left;
	return err;
}
