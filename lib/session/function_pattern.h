/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a pattern of functions means, see ktrace_function_match() in <ktrace/session.h>. */
#ifndef KT_LIB_SESSION_FUNCTION_PATTERN_H
#define KT_LIB_SESSION_FUNCTION_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* Has it a "!" in front, which leaves out what it means? */
static inline bool function_pattern_leaves_out(const char *pattern)
{
	return *pattern == '!';
}

/* The pattern without the "!". */
static inline const char *function_pattern_bare(const char *pattern)
{
	return pattern + function_pattern_leaves_out(pattern);
}

/* The pattern of system calls, if it means their functions; otherwise NULL. */
const char *function_pattern_syscall(const char *pattern);

/* May it mean functions of modules that are loaded later, too? */
bool function_pattern_is_open(const char *pattern);

/* With what begins a function that does a system call?  NULL: there are no more. */
const char *syscall_function_prefix(size_t i);

/*
 * Do patterns mean this function?  1: yes; 0: no; -1: the last one that means it leaves it out.
 * Sets the bits of @used of those that mean it.
 */
int functions_match(const char *const *patterns, size_t nr, const char *module,
		    const char *name, bool *used);

/* -EINVAL: all of them leave functions out. */
int functions_some_wanted(const char *const *patterns, size_t nr);

#endif /* KT_LIB_SESSION_FUNCTION_PATTERN_H */
