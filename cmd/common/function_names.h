/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Names of the kernel's functions, for completion, and for what was perhaps meant. */
#ifndef KT_CMD_COMMON_FUNCTION_NAMES_H
#define KT_CMD_COMMON_FUNCTION_NAMES_H

#include <stddef.h>

/* @module: NULL for the kernel's own.  Both are valid during the call. */
typedef void function_name_use(void *data, const char *name,
			       const char *module);

/* Calls @use with each function, as far as they can be read. */
void function_names_each(function_name_use *use, void *data);

/*
 * Patterns may mean no function: prints names that are like those of them that do not, and
 * how to find a function that is inlined.  Patterns with wildcards, or with a module, are like none.
 */
void function_names_near(const char *const *patterns, size_t nr);

#endif /* KT_CMD_COMMON_FUNCTION_NAMES_H */
