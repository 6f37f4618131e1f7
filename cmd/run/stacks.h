/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which events are recorded with stacks, and with whose: -g[=WHOSE[:PATTERN,...]], as often as
 * wanted.  An event gets the stacks of all that fit.
 */
#ifndef KT_CMD_RUN_STACKS_H
#define KT_CMD_RUN_STACKS_H

#include "common/select.h"

/* All zero: none. */
struct stacks_wanted {
	struct selection kernel, user; /* without patterns: no event's */
	bool bare; /* there was a -g that did not say whose */
};

/* Takes the argument of -g; NULL: there is none.  Returns an exit status. */
int stacks_option(struct stacks_wanted *stacks, const struct command *command,
		  const char *argument);
bool stacks_are_wanted(const struct stacks_wanted *stacks);
bool stacks_of_programs_are_wanted(const struct stacks_wanted *stacks);
/*
 * To be called before the events are enabled.  @selection: those that are recorded.  Returns an
 * exit status; it fails if a pattern fits none of them.
 */
int stacks_enable(struct ktrace_session *session, struct stacks_wanted *stacks,
		  const struct selection *selection,
		  const struct ktrace_known *known, size_t nr);
void stacks_wanted_free(struct stacks_wanted *stacks);

#endif /* KT_CMD_RUN_STACKS_H */
