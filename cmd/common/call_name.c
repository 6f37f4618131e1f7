// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <string.h>

#include <ktrace/syscall.h>

#include "call_name.h"

/*
 * When a call got a successor, the kernel gave it the old name, and programs a longer one: chown32,
 * clock_gettime64, oldstat, ugetrlimit.
 */
static bool is_successor(const char *known, const char *kernel)
{
	const char *at = strstr(known, kernel);

	/* Not _llseek: no call has the name llseek. */
	return at && strcmp(known, "_llseek") != 0;
}

bool call_name_other(const char *system, const char *name,
		     char other[CALL_NAME_MAX], bool *own)
{
	const struct ktrace_type type = {.system = (char *)system,
					 .name = (char *)name};
	const struct ktrace_call *call = ktrace_call_find(&type);
	const char *kernel;
	bool exit;

	*own = true;
	kernel = call ? ktrace_call_name(&type, &exit) : NULL;
	if (!kernel || !strcmp(call->shown, kernel))
		return false;
	/* Of native programs, the kernel's names are its own. */
	if (!strcmp(system, "compat_syscalls"))
		*own = !is_successor(call->shown, kernel);
	snprintf(other, CALL_NAME_MAX, "sys_%s_%s", exit ? "exit" : "enter",
		 call->shown);
	return true;
}
