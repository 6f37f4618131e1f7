/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which events are recorded with stacks, and with whose: -g[=WHOSE[:PATTERN,...[ if FILTER]]], as
 * often as wanted.  An event gets the stacks of all that fit, but has one filter at most.
 *
 * And how many of the program's last branches all events have, and what finds them: --branches N,
 * --branches-by WHO.
 */
#ifndef KT_CMD_RUN_STACKS_H
#define KT_CMD_RUN_STACKS_H

#include "common/select.h"

/* One -g. */
struct stacks_wish {
	enum ktrace_stacks whose;
	struct selection selection;
	char *filter; /* NULL: all have a stack */
};

/* All zero: none. */
struct stacks_wanted {
	struct stacks_wish *wishes;
	size_t nr;
	bool bare;	       /* there was a -g that did not say whose */
	bool functions;	       /* their entries are recorded, too (-F) */
	unsigned int branches; /* 0: none */
	enum {
		BRANCHES_BY_ANY,
		BRANCHES_BY_STEP,
		BRANCHES_BY_LBR,
	} branches_by;
	uint64_t size; /* bytes for all of them; 0: as usual */
};

/* @patterns: as behind the colon of -g.  0, -EINVAL or -ENOMEM. */
int stacks_want(struct stacks_wanted *stacks, enum ktrace_stacks whose,
		const char *patterns);
/* Takes the argument of -g; NULL: there is none.  Returns an exit status. */
int stacks_option(struct stacks_wanted *stacks, const struct command *command,
		  const char *argument);
/* Takes the argument of --branches.  Returns an exit status. */
int stacks_branches_option(struct stacks_wanted *stacks,
			   const struct command *command, const char *argument);
/* The same of --branches-by. */
int stacks_branches_by_option(struct stacks_wanted *stacks,
			      const struct command *command,
			      const char *argument);
bool stacks_are_wanted(const struct stacks_wanted *stacks);
/* Are frames of programs wanted, of stacks or of branches? */
bool stacks_of_programs_are_wanted(const struct stacks_wanted *stacks);
/*
 * To be called before the events are enabled.  @selection: those that are recorded.  Returns an
 * exit status; it fails if a pattern fits none of them, or if an event would have two conditions.
 */
int stacks_enable(struct ktrace_session *session,
		  const struct stacks_wanted *stacks,
		  const struct selection *selection,
		  const struct ktrace_known *known, size_t nr);
/*
 * What entries of functions are to have; 0: no stacks.  @alone: no other events are recorded.
 * Returns an exit status; it fails if there is a filter for them.
 */
int stacks_of_functions(const struct stacks_wanted *stacks, bool alone,
			enum ktrace_stacks *whose);
void stacks_wanted_free(struct stacks_wanted *stacks);

#endif /* KT_CMD_RUN_STACKS_H */
