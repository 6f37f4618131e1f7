/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* System calls by the names that people use, and how much of their data is wanted. */
#ifndef KT_CMD_COMMON_CALLS_H
#define KT_CMD_COMMON_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "select.h"

/*
 * Adds the events of a call ("openat", wildcards are allowed) or of a set of
 * calls ("%file").  -EINVAL: there is no such set.
 */
int calls_add(struct selection *s, const char *name, bool exclude);
/* The calls by which 32-bit programs make this one, by number; NULL: no more.  They are added with it. */
const char *calls_maker(const char *name, size_t index);
#define CALLS_STRING 32 /* bytes of data, as with strace */

/* Takes the argument of @option, such as "-s".  Returns an exit status. */
int calls_string_option(const struct command *command, const char *option,
			const char *text, uint32_t *bytes);
/* The name of a set of calls.  NULL: no more. */
const char *calls_set_name(size_t index);

#endif /* KT_CMD_COMMON_CALLS_H */
