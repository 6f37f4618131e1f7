// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "call_scope.h"

static bool patterns_match(const struct patterns *patterns, const char *name,
			   bool *used)
{
	bool found = false;

	for (size_t i = 0; i < patterns->nr; i++)
		if (!fnmatch(patterns->list[i], name, 0))
			used[i] = found = true;
	return found;
}

static enum ktrace_span_part part_of(const struct ktrace_type *type, void *data)
{
	struct call_scope *scope = data;
	bool root = patterns_match(scope->roots, type->name, scope->used);

	if (patterns_match(scope->cut, type->name,
			   scope->used + scope->roots->nr))
		return KTRACE_SPAN_CUT;
	if (root)
		return KTRACE_SPAN_ROOT;
	return scope->roots->nr ? KTRACE_SPAN_INSIDE : KTRACE_SPAN_TOP;
}

static int patterns_check(const struct patterns *patterns,
			  const struct command *command)
{
	for (size_t i = 0; i < patterns->nr; i++)
		if (strchr(patterns->list[i], ':'))
			return misused(command,
				       "`%s': a trace does not say in which "
				       "module a function is: leave it out",
				       patterns->list[i]);
	return EXIT_OK;
}

int call_scope_init(struct call_scope *scope, const struct command *command,
		    const struct patterns *roots, const struct patterns *cut)
{
	int status =
		patterns_check(roots, command) ?: patterns_check(cut, command);

	if (status)
		return status;
	scope->scope.size = sizeof(scope->scope);
	scope->scope.part = part_of;
	scope->scope.data = scope;
	scope->roots = roots;
	scope->cut = cut;
	scope->used = calloc(roots->nr + cut->nr + 1, sizeof(*scope->used));
	return scope->used ? EXIT_OK : failed("out of memory");
}

int call_scope_check(const struct call_scope *scope)
{
	size_t nr = scope->roots->nr + scope->cut->nr;
	int status = EXIT_OK;

	for (size_t i = 0; i < nr; i++)
		if (!scope->used[i])
			status = failed(
				"no call of a function `%s' is in the trace",
				i < scope->roots->nr
					? scope->roots->list[i]
					: scope->cut
						  ->list[i - scope->roots->nr]);
	return status;
}

void call_scope_free(struct call_scope *scope)
{
	free(scope->used);
}
