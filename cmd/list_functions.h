/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef KT_CMD_LIST_FUNCTIONS_H
#define KT_CMD_LIST_FUNCTIONS_H

#include <stdbool.h>

struct ktrace_session;
struct patterns;

/*
 * Prints the functions that @patterns mean: those that can be recorded, with their
 * prototypes, and the others with the reason; if @ways, also how each is hooked.  Returns an
 * exit status.
 */
int list_functions(struct ktrace_session *session,
		   const struct patterns *patterns, bool json, bool ways);

#endif /* KT_CMD_LIST_FUNCTIONS_H */
