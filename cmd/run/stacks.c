// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <string.h>

#include "cmd.h"
#include "stacks.h"

static const struct {
	const char *name;
	enum ktrace_stacks whose;
} words[] = {
	{"kernel", KTRACE_STACKS_KERNEL},
	{"user", KTRACE_STACKS_USER},
	{"both", KTRACE_STACKS_BOTH},
};

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
	if ((whose & KTRACE_STACKS_KERNEL &&
	     selection_add(&stacks->kernel, patterns)) ||
	    (whose & KTRACE_STACKS_USER &&
	     selection_add(&stacks->user, patterns)))
		return misused(command, "-g=%s names no event", text);
	return EXIT_OK;
}

static bool fits(const struct selection *stacks,
		 const struct ktrace_known *event)
{
	return !selection_is_all(stacks) &&
	       selection_match(stacks, event->system, event->name);
}

bool stacks_are_wanted(const struct stacks_wanted *stacks)
{
	return !selection_is_all(&stacks->kernel) ||
	       !selection_is_all(&stacks->user);
}

bool stacks_of_programs_are_wanted(const struct stacks_wanted *stacks)
{
	return !selection_is_all(&stacks->user);
}

/* Each pattern is to fit an event that is recorded. */
static int patterns_check(const struct selection *stacks,
			  const struct selection *selection,
			  const struct ktrace_known *known, size_t nr)
{
	for (size_t i = 0; i < stacks->nr; i++) {
		const char *pattern = stacks->choices[i].pattern;
		bool used = false;

		for (size_t k = 0; k < nr && !used; k++)
			used = selection_match(selection, known[k].system,
					       known[k].name) &&
			       ktrace_pattern_match(pattern, known[k].system,
						    known[k].name);
		if (!used)
			return failed("-g: `%s' fits none of the events that "
				      "are recorded (-e)",
				      pattern);
	}
	return EXIT_OK;
}

/* For ktrace_session_stacks(). */
struct wish {
	const struct stacks_wanted *stacks;
	const struct selection *selection;
	int whose;
};

static bool event_wants(const struct ktrace_known *event, void *data)
{
	const struct wish *wish = data;
	int whose = 0;

	if (!selection_match(wish->selection, event->system, event->name))
		return false;
	if (fits(&wish->stacks->kernel, event))
		whose |= KTRACE_STACKS_KERNEL;
	if (fits(&wish->stacks->user, event))
		whose |= KTRACE_STACKS_USER;
	return whose == wish->whose;
}

int stacks_enable(struct ktrace_session *session, struct stacks_wanted *stacks,
		  const struct selection *selection,
		  const struct ktrace_known *known, size_t nr)
{
	struct wish wish = {stacks, selection, 0};
	int status;

	if (!stacks_are_wanted(stacks))
		return EXIT_OK;
	status = patterns_check(&stacks->kernel, selection, known, nr)
			 ?: patterns_check(&stacks->user, selection, known, nr);
	for (size_t i = 0; !status && i < sizeof(words) / sizeof(*words); i++) {
		wish.whose = words[i].whose;
		if (ktrace_session_stacks(session, words[i].whose, event_wants,
					  &wish))
			status = failed_in_library();
	}
	return status;
}

void stacks_wanted_free(struct stacks_wanted *stacks)
{
	selection_free(&stacks->kernel);
	selection_free(&stacks->user);
}
