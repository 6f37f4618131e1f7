/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* System calls by the names that people use. */
#ifndef KT_CMD_COMMON_CALLS_H
#define KT_CMD_COMMON_CALLS_H

#include <stdbool.h>

#include "select.h"

/*
 * Adds the events of a call ("openat", wildcards are allowed) or of a set of
 * calls ("%file").  -EINVAL: there is no such set.
 */
int calls_add(struct selection *s, const char *name, bool exclude);
/* The name of a set of calls.  NULL: no more. */
const char *calls_set_name(size_t index);

#endif /* KT_CMD_COMMON_CALLS_H */
