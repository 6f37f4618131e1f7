// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "common/value.h"
#include "stacks.h"

static const struct {
	const char *name;
	enum ktrace_stacks whose;
} words[] = {
	{"kernel", KTRACE_STACKS_KERNEL},
	{"user", KTRACE_STACKS_USER},
	{"both", KTRACE_STACKS_BOTH},
};

/* Splits "PATTERN,... if FILTER". */
static int wish_fill(struct stacks_wish *wish, const char *patterns)
{
	const char *end = strstr(patterns, " if ");
	char *list = end ? strndup(patterns, end - patterns) : strdup(patterns);
	int err;

	wish->filter = end ? strdup(end + strlen(" if ")) : NULL;
	if (!list || (end && !wish->filter))
		err = -ENOMEM;
	else
		err = selection_add(&wish->selection, list);
	free(list);
	return err;
}

int stacks_want(struct stacks_wanted *stacks, enum ktrace_stacks whose,
		const char *patterns)
{
	struct stacks_wish *wish =
		reallocarray(stacks->wishes, stacks->nr + 1, sizeof(*wish));

	if (!wish)
		return -ENOMEM;
	stacks->wishes = wish;
	wish += stacks->nr++;
	*wish = (struct stacks_wish){.whose = whose};
	return wish_fill(wish, patterns);
}

int stacks_option(struct stacks_wanted *stacks, const struct command *command,
		  const char *argument)
{
	const char *patterns = "*", *text = "kernel";
	enum ktrace_stacks whose = 0;
	size_t length;

	if (argument)
		text = argument + (*argument == '=');
	else
		stacks->bare = true;
	length = strcspn(text, ":");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (length == strlen(words[i].name) &&
		    !strncmp(text, words[i].name, length))
			whose = words[i].whose;
	if (!whose)
		return misused(command, "-g=%.*s: it is kernel, user or both",
			       (int)length, text);
	if (text[length])
		patterns = text + length + 1;
	/* To the kernel, each line is about another event. */
	if (strchr(patterns, '\n'))
		return misused(command, "-g: patterns and filter are one line");
	switch (stacks_want(stacks, whose, patterns)) {
	case 0:
		return EXIT_OK;
	case -ENOMEM:
		return failed("out of memory");
	default:
		return misused(command, "-g=%s names no event", text);
	}
}

int stacks_branches_option(struct stacks_wanted *stacks,
			   const struct command *command, const char *argument)
{
	uint64_t number;

	if (number_parse(argument, &number) || !number ||
	    number > KTRACE_BRANCHES_OF_EVENT)
		return misused(command,
			       "--branches `%s': 1 to %d branches are wanted",
			       argument, KTRACE_BRANCHES_OF_EVENT);
	stacks->branches = number;
	return EXIT_OK;
}

int stacks_branches_by_option(struct stacks_wanted *stacks,
			      const struct command *command,
			      const char *argument)
{
	if (strcmp(argument, "step") && strcmp(argument, "lbr"))
		return misused(command,
			       "--branches-by `%s': step or lbr is wanted",
			       argument);
	stacks->branches_by =
		*argument == 's' ? BRANCHES_BY_STEP : BRANCHES_BY_LBR;
	return EXIT_OK;
}

bool stacks_are_wanted(const struct stacks_wanted *stacks)
{
	return stacks->nr;
}

bool stacks_of_programs_are_wanted(const struct stacks_wanted *stacks)
{
	for (size_t i = 0; i < stacks->nr; i++)
		if (stacks->wishes[i].whose & KTRACE_STACKS_USER)
			return true;
	return stacks->branches;
}

/* What functions have their stacks with. */
static const struct ktrace_known entry = {.system = "function",
					  .name = "entry"};

/* Each pattern is to fit an event that is recorded. */
static int patterns_check(const struct selection *stacks,
			  const struct selection *selection, bool functions,
			  const struct ktrace_known *known, size_t nr)
{
	for (size_t i = 0; i < stacks->nr; i++) {
		const char *pattern = stacks->choices[i].pattern;
		bool used =
			functions &&
			ktrace_pattern_match(pattern, entry.system, entry.name);

		for (size_t k = 0; k < nr && !used; k++)
			used = !known[k].stackless &&
			       selection_match(selection, known[k].system,
					       known[k].name) &&
			       ktrace_pattern_match(pattern, known[k].system,
						    known[k].name);
		if (!used)
			return failed("-g: `%s' fits none of the events that "
				      "are recorded (-e, or function:entry "
				      "with -F)",
				      pattern);
	}
	return EXIT_OK;
}

/* What an event is to have. */
struct share {
	int whose;
	const char *filter;
};

static struct share share_of(const struct stacks_wanted *stacks,
			     const struct ktrace_known *event)
{
	struct share share = {0};

	for (size_t i = 0; i < stacks->nr; i++) {
		const struct stacks_wish *wish = &stacks->wishes[i];

		if (!selection_match(&wish->selection, event->system,
				     event->name))
			continue;
		share.whose |= wish->whose;
		if (wish->filter)
			share.filter = wish->filter;
	}
	return share;
}

/* The kernel has one condition for both stacks of an event. */
static int filters_check(const struct stacks_wanted *stacks,
			 const struct selection *selection,
			 const struct ktrace_known *known, size_t nr)
{
	for (size_t k = 0; k < nr; k++) {
		struct share share = share_of(stacks, &known[k]);
		const struct stacks_wish *wish;

		if (!share.filter ||
		    !selection_match(selection, known[k].system, known[k].name))
			continue;
		for (wish = stacks->wishes; wish < stacks->wishes + stacks->nr;
		     wish++)
			if (selection_match(&wish->selection, known[k].system,
					    known[k].name) &&
			    (!wish->filter ||
			     strcmp(wish->filter, share.filter)))
				return failed(
					"-g: stacks of %s:%s are wanted with `if %s' and %s%s%s: "
					"an event has one condition",
					known[k].system, known[k].name,
					share.filter,
					wish->filter ? "with `if " : "without",
					wish->filter ?: "",
					wish->filter ? "'" : "");
	}
	return EXIT_OK;
}

/* For ktrace_session_stacks(). */
struct round {
	const struct stacks_wanted *stacks;
	const struct selection *selection;
	int whose;
	const char *filter;
};

static bool event_wants(const struct ktrace_known *event, void *data)
{
	const struct round *round = data;
	struct share share;

	if (!selection_match(round->selection, event->system, event->name))
		return false;
	/* stacks_of_functions() is about it. */
	if (round->stacks->functions && !strcmp(event->system, entry.system) &&
	    !strcmp(event->name, entry.name))
		return false;
	share = share_of(round->stacks, event);
	return share.whose == round->whose && share.filter == round->filter;
}

/* Branches go with what an event has otherwise, also if that is nothing. */
static int rounds_run(struct ktrace_session *session, struct round *round)
{
	bool branches = round->stacks->branches && !round->filter;

	round->whose = branches ? 0 : KTRACE_STACKS_KERNEL;
	for (; round->whose <= KTRACE_STACKS_BOTH; round->whose++)
		if (ktrace_session_stacks(session, round->whose, round->filter,
					  event_wants, round))
			return failed_in_library();
	return EXIT_OK;
}

int stacks_enable(struct ktrace_session *session,
		  const struct stacks_wanted *stacks,
		  const struct selection *selection,
		  const struct ktrace_known *known, size_t nr)
{
	struct round round = {stacks, selection, 0, NULL};
	int status = EXIT_OK;

	if (!stacks->nr && !stacks->branches)
		return EXIT_OK;
	for (size_t i = 0; !status && i < stacks->nr; i++)
		status = patterns_check(&stacks->wishes[i].selection, selection,
					stacks->functions, known, nr);
	if (!status)
		status = filters_check(stacks, selection, known, nr);
	if (!status)
		status = rounds_run(session, &round);
	for (size_t i = 0; !status && i < stacks->nr; i++) {
		round.filter = stacks->wishes[i].filter;
		if (round.filter)
			status = rounds_run(session, &round);
	}
	return status;
}

int stacks_of_functions(const struct stacks_wanted *stacks, bool alone,
			enum ktrace_stacks *whose)
{
	const struct share share = share_of(stacks, &entry);
	int status = EXIT_OK;

	*whose = share.whose;
	if (share.filter)
		return failed("-g: `if %s': which calls of functions have a "
			      "stack cannot be chosen: all have one",
			      share.filter);
	for (size_t i = 0; alone && !status && i < stacks->nr; i++)
		status = patterns_check(&stacks->wishes[i].selection, NULL,
					true, NULL, 0);
	return status;
}

void stacks_wanted_free(struct stacks_wanted *stacks)
{
	for (size_t i = 0; i < stacks->nr; i++) {
		selection_free(&stacks->wishes[i].selection);
		free(stacks->wishes[i].filter);
	}
	free(stacks->wishes);
}
