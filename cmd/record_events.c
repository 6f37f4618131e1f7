// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace record: what -e and -F ask for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>

#include "cmd.h"
#include "record.h"

#define FUNCTION "function:"

int record_rate_option(struct record *r, const char *text)
{
	char *end;
	unsigned long rate;

	errno = 0;
	rate = strtoul(text, &end, 10);
	if (*end || errno || !rate || rate > KTRACE_SAMPLE_RATE_MAX)
		return misused(&command_record,
			       "-F `%s': samples per second are wanted, 1 to "
			       "%d, or functions",
			       text, KTRACE_SAMPLE_RATE_MAX);
	r->rate = rate;
	return EXIT_OK;
}

/* A name of the system of functions that is none of its events. */
static bool is_function(const char *pattern)
{
	return !strncmp(pattern, FUNCTION, sizeof(FUNCTION) - 1) &&
	       !ktrace_pattern_match(pattern, "function", "entry") &&
	       !ktrace_pattern_match(pattern, "function", "exit");
}

/* NAME of "function:NAME", and "!NAME" of "!function:NAME"; NULL: no function is meant. */
static char *function_of(char *word)
{
	bool out = *word == '!';
	char *name = word + out + sizeof(FUNCTION) - 1;

	if (!is_function(word + out))
		return NULL;
	if (out)
		*--name = '!';
	return name;
}

/* Of -e: "function:NAME" is what -F NAME is; *@others gets the rest, with room for all of it. */
static int functions_take(struct record *r, char *words, char *others)
{
	char *word, *name, *end = others;
	size_t before = r->functions.nr;

	*others = '\0';
	while ((word = strsep(&words, ","))) {
		name = function_of(word);
		if (!name)
			end += sprintf(end, "%s%s", end == others ? "" : ",",
				       word);
		else if (patterns_option(&r->functions, &command_record, "-e",
					 "function", name))
			return EXIT_USAGE;
	}
	r->filterless = r->functions.nr > before;
	return r->filterless && !*others
		       ? EXIT_OK
		       : selection_option(&r->selection, &command_record,
					  others);
}

int record_event_option(struct record *r, char *words)
{
	char *others = malloc(strlen(words) + 1);
	int status;

	r->probe_last = false;
	if (!others)
		return failed("out of memory");
	status = functions_take(r, words, others);
	free(others);
	return status;
}
