// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/loss.h"
#include "cmd.h"
#include "misses.h"
#include "value.h"

struct ktrace_miss *misses_copy(const struct ktrace_miss *misses, size_t nr)
{
	size_t room = nr * sizeof(*misses), len;
	struct ktrace_miss *copy;
	char *names;

	for (size_t i = 0; i < nr; i++)
		room += strlen(misses[i].source) + 1 +
			strlen(misses[i].reason ?: "") + 1;
	copy = nr ? malloc(room) : NULL;
	if (!copy)
		return NULL;
	names = (char *)(copy + nr);
	for (size_t i = 0; i < nr; i++) {
		copy[i] = misses[i];
		len = strlen(misses[i].source) + 1;
		copy[i].source = memcpy(names, misses[i].source, len);
		names += len;
		if (!misses[i].reason)
			continue;
		len = strlen(misses[i].reason) + 1;
		copy[i].reason = memcpy(names, misses[i].reason, len);
		names += len;
	}
	return copy;
}

bool misses_any(const struct ktrace_miss *misses, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (misses[i].count)
			return true;
	return false;
}

/* "function: calls in ...".  The caller frees it; NULL: out of memory. */
static char *text_of(const struct ktrace_miss *miss)
{
	const char *known = miss_text(miss->source, miss->reason);
	char *text, *shown;

	if (asprintf(&text, "%s: %s", miss->source,
		     known	    ? known
		     : miss->reason ? miss->reason
				    : "hits that it could not record") < 0)
		return NULL;
	/* The names come from the trace. */
	shown = escape_text(text);
	free(text);
	return shown;
}

void misses_print(const struct ktrace_miss *misses, size_t nr)
{
	printf("\n%14s\n", "missed");
	for (size_t i = 0; i < nr; i++) {
		char *text = misses[i].count ? text_of(&misses[i]) : NULL;

		if (text)
			printf("%14s  %s\n", count_text(misses[i].count).s,
			       text);
		free(text);
	}
}

void misses_json(const struct ktrace_miss *misses, size_t nr)
{
	fputs("\"missed\":[", stdout);
	for (size_t i = 0; i < nr; i++) {
		fputs(i ? ",{\"source\":" : "{\"source\":", stdout);
		print_json(stdout, misses[i].source);
		if (misses[i].reason) {
			fputs(",\"reason\":", stdout);
			print_json(stdout, misses[i].reason);
		}
		printf(",\"count\":%lu}", misses[i].count);
	}
	putchar(']');
}

void misses_say(const struct ktrace_miss *misses, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		char *text = misses[i].count ? text_of(&misses[i]) : NULL;

		if (text)
			say("missed %s of %s", count_text(misses[i].count).s,
			    text);
		free(text);
	}
}
