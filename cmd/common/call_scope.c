// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>

#include "call_scope.h"

static bool patterns_match(struct call_scope *scope, enum scope_role role,
			   const char *function)
{
	const struct patterns *patterns = &scope->patterns[role];
	bool found = false;

	for (size_t i = 0; i < patterns->nr; i++)
		if (ktrace_function_match(patterns->list[i], NULL, function))
			scope->used[role][i] = found = true;
	return found;
}

/* The name of the system call whose events have this type; NULL: none. */
static const char *syscall_of(const struct ktrace_type *type)
{
	const char *name = type->name;

	if (strcmp(type->system, "syscalls") &&
	    strcmp(type->system, "compat_syscalls"))
		return NULL;
	if (!strncmp(name, "sys_enter_", strlen("sys_enter_")))
		return name + strlen("sys_enter_");
	return strncmp(name, "sys_exit_", strlen("sys_exit_"))
		       ? NULL
		       : name + strlen("sys_exit_");
}

static bool is_function(const struct ktrace_type *type)
{
	return !strcmp(type->system, "function") ||
	       !strcmp(type->system, "return") || !strcmp(type->system, "call");
}

static enum ktrace_span_part syscall_part(struct call_scope *scope,
					  const struct ktrace_type *type)
{
	const char *call = syscall_of(type);
	char name[128];

	if (!call)
		return KTRACE_SPAN_INSIDE;
	/* As its function would be called. */
	snprintf(name, sizeof(name), "__x64_sys_%s", call);
	return patterns_match(scope, SCOPE_AROUND, name) ? KTRACE_SPAN_AROUND
							 : KTRACE_SPAN_INSIDE;
}

static enum ktrace_span_part part_of(const struct ktrace_type *type, void *data)
{
	struct call_scope *scope = data;
	bool is[SCOPE_ROLES];

	if (!is_function(type))
		return syscall_part(scope, type);
	/* All are asked: each pattern shall know that it is used. */
	for (int role = 0; role < SCOPE_ROLES; role++)
		is[role] = patterns_match(scope, role, type->name);
	if (is[SCOPE_CUT])
		return KTRACE_SPAN_CUT;
	if (is[SCOPE_AROUND])
		return KTRACE_SPAN_AROUND;
	if (is[SCOPE_ROOT])
		return KTRACE_SPAN_ROOT;
	return scope->patterns[SCOPE_ROOT].nr ? KTRACE_SPAN_INSIDE
					      : KTRACE_SPAN_TOP;
}

static int patterns_check(const struct patterns *patterns,
			  const struct command *command)
{
	for (size_t i = 0; i < patterns->nr; i++)
		if (strchr(patterns->list[i], ':') &&
		    strncmp(patterns->list[i], KTRACE_FUNCTIONS_OF_SYSCALLS,
			    strlen(KTRACE_FUNCTIONS_OF_SYSCALLS)))
			return misused(command,
				       "`%s': a trace does not say in which "
				       "module a function is: leave it out",
				       patterns->list[i]);
	return EXIT_OK;
}

/* What is called there is recorded in any case, so leaving it out is cutting it. */
static int roots_option(struct patterns *roots, const struct command *command,
			char *words)
{
	int status = patterns_option(roots, command, "-f", "function", words);

	for (size_t i = 0; !status && i < roots->nr; i++)
		if (*roots->list[i] == '!')
			return misused(command,
				       "-f `%s': functions that are not wanted "
				       "are named by --no",
				       roots->list[i]);
	return status;
}

int call_scope_option(struct call_scope *scope, const struct command *command,
		      int option, char *words)
{
	struct patterns *patterns = scope->patterns;

	switch (option) {
	case 'f':
		return roots_option(&patterns[SCOPE_ROOT], command, words);
	case CALLS_IN:
		return patterns_option(&patterns[SCOPE_AROUND], command, "--in",
				       "function", words);
	case CALLS_NO:
		return patterns_option(&patterns[SCOPE_CUT], command, "--no",
				       "function", words);
	case CALLS_NO_IRQ:
		scope->scope.no_interrupts = true;
		scope->pauses |= KTRACE_PAUSE_INTERRUPTS;
		return EXIT_OK;
	case CALLS_NO_SLEEP:
		scope->pauses |= KTRACE_PAUSE_SLEEP;
		return EXIT_OK;
	default:
		return option_forgotten(command, option);
	}
}

static bool is_wanted(const struct call_scope *scope)
{
	for (int role = 0; role < SCOPE_ROLES; role++)
		if (scope->patterns[role].nr)
			return true;
	return scope->scope.depth || scope->scope.no_interrupts;
}

int call_scope_init(struct call_scope *scope, const struct command *command)
{
	int status = EXIT_OK;

	if (!is_wanted(scope))
		return EXIT_OK;
	scope->scope.size = sizeof(scope->scope);
	scope->scope.part = part_of;
	scope->scope.data = scope;
	scope->scope.within = scope->patterns[SCOPE_AROUND].nr;
	for (int role = 0; !status && role < SCOPE_ROLES; role++) {
		status = patterns_check(&scope->patterns[role], command);
		scope->used[role] = calloc(scope->patterns[role].nr + 1,
					   sizeof(*scope->used[role]));
		if (!status && !scope->used[role])
			status = failed("out of memory");
	}
	return status;
}

int call_scope_check(const struct call_scope *scope)
{
	int status = EXIT_OK;

	for (int role = 0; scope->scope.part && role < SCOPE_ROLES; role++) {
		const struct patterns *patterns = &scope->patterns[role];

		for (size_t i = 0; i < patterns->nr; i++)
			if (!scope->used[role][i])
				status = failed("no call of a function `%s' is "
						"in the trace",
						patterns->list[i]);
	}
	return status;
}

int call_scope_spans(const struct call_scope *scope, struct ktrace_spans *spans)
{
	ktrace_spans_pauses(spans, scope->pauses);
	return scope->scope.part ? ktrace_spans_scope(spans, &scope->scope) : 0;
}

bool call_scope_wants(const struct call_scope *scope,
		      const struct ktrace_span *span)
{
	return (!scope->patterns[SCOPE_ROOT].nr &&
		!scope->patterns[SCOPE_AROUND].nr) ||
	       span->kind == KTRACE_SPAN_FUNCTION;
}

void call_scope_free(struct call_scope *scope)
{
	for (int role = 0; role < SCOPE_ROLES; role++) {
		patterns_free(&scope->patterns[role]);
		free(scope->used[role]);
	}
}
