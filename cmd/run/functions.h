/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The functions of the kernel that a session records. */
#ifndef KT_CMD_RUN_FUNCTIONS_H
#define KT_CMD_RUN_FUNCTIONS_H

#include <ktrace/session.h>

/*
 * Chooses the functions and enables their events.  If a pattern means none, says which
 * names are similar.  Returns an exit status.
 */
int functions_enable(struct ktrace_session *session,
		     const struct ktrace_functions *functions);

#endif /* KT_CMD_RUN_FUNCTIONS_H */
