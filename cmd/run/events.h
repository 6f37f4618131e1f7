/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The events that a session records: those that the user selects. */
#ifndef KT_CMD_RUN_EVENTS_H
#define KT_CMD_RUN_EVENTS_H

#include "common/select.h"
#include "decoded.h"
#include "stacks.h"

/*
 * Makes the selected events known and enables them, with their filters and stacks.  @stacks:
 * NULL: none.  @decoded: NULL: nothing is.  Adds their number to *@nr.  Returns an exit status; it
 * fails if no event is selected.
 */
int events_enable(struct ktrace_session *session, struct selection *selection,
		  struct stacks_wanted *stacks, const struct decoded *decoded,
		  size_t *nr);

#endif /* KT_CMD_RUN_EVENTS_H */
