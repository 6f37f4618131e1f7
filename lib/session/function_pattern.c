// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which functions a pattern means. */
#include <errno.h>
#include <string.h>

#include <ktrace/session.h>

#include "base/error.h"
#include "function_pattern.h"
#include "modules.h"
#include "pattern.h"

/* A system call has a function for each kind of program that may call it. */
static const char *const syscall_functions[] = {
	"__x64_sys_",
	"__ia32_sys_",
	"__ia32_compat_sys_",
};

const char *syscall_function_prefix(size_t i)
{
	return i < sizeof(syscall_functions) / sizeof(*syscall_functions)
		       ? syscall_functions[i]
		       : NULL;
}

/* The name of the system call that the function does; NULL: none. */
static const char *syscall_of(const char *name)
{
	const char *prefix;

	for (size_t i = 0; (prefix = syscall_function_prefix(i)); i++) {
		size_t length = strlen(prefix);

		if (!strncmp(name, prefix, length))
			return name + length;
	}
	return NULL;
}

const char *function_pattern_syscall(const char *pattern)
{
	size_t length = strlen(KTRACE_FUNCTIONS_OF_SYSCALLS);

	return strncmp(pattern, KTRACE_FUNCTIONS_OF_SYSCALLS, length)
		       ? NULL
		       : pattern + length;
}

bool ktrace_function_match(const char *pattern, const char *module,
			   const char *name)
{
	const char *colon = strchr(pattern, ':'), *call;
	char wanted[64];

	if (!colon)
		return kt_glob_match(pattern, name);
	if (function_pattern_syscall(pattern)) {
		call = syscall_of(name);
		return call &&
		       kt_glob_match(function_pattern_syscall(pattern), call);
	}
	if (!module)
		return false;
	if ((size_t)(colon - pattern) >= sizeof(wanted))
		return false;
	memcpy(wanted, pattern, colon - pattern);
	wanted[colon - pattern] = '\0';
	return kt_glob_match(wanted, module) && kt_glob_match(colon + 1, name);
}

int functions_match(const char *const *patterns, size_t nr, const char *module,
		    const char *name, bool *used)
{
	int meant = 0;

	for (size_t i = 0; i < nr; i++) {
		bool out = function_pattern_leaves_out(patterns[i]);

		if (!ktrace_function_match(patterns[i] + out, module, name))
			continue;
		used[i] = true;
		meant = out ? -1 : 1;
	}
	return meant;
}

int functions_some_wanted(const char *const *patterns, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!function_pattern_leaves_out(patterns[i]))
			return 0;
	return nr ? error_set(-EINVAL,
			      "`%s' leaves functions out: say which are wanted "
			      "before, such as '*,%s'",
			      *patterns, *patterns)
		  : 0;
}

/*
 * The name of the module that a pattern means, if it is one, and not the kernel itself.  False:
 * there is none, or it has wildcards.
 */
static bool module_of(const char *pattern, char *module, size_t size)
{
	const char *colon = strchr(pattern, ':');
	size_t length = colon ? colon - pattern : 0;

	if (!length || length >= size || function_pattern_syscall(pattern))
		return false;
	memcpy(module, pattern, length);
	module[length] = '\0';
	return !strpbrk(module, "*?[\\-") && strcmp(module, "vmlinux") != 0;
}

bool ktrace_function_waits(const char *pattern)
{
	char module[64];

	return module_of(pattern, module, sizeof(module)) &&
	       !module_is_loaded(module) && !module_is_builtin(module);
}

bool function_pattern_is_open(const char *pattern)
{
	if (function_pattern_syscall(pattern) ||
	    !strncmp(pattern, "vmlinux:", 8))
		return false;
	return strpbrk(pattern, "*?[\\") || ktrace_function_waits(pattern);
}
