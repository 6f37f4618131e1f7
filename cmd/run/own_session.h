/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A session that only this process uses: NAME-PID. */
#ifndef KT_CMD_RUN_OWN_SESSION_H
#define KT_CMD_RUN_OWN_SESSION_H

#include <ktrace/session.h>

/*
 * Makes and claims it.  Those of this name whose processes were killed are removed, because nobody
 * else knows them.  Returns an exit status; if it fails, *@session may be there.
 */
int own_session_open(const char *name, struct ktrace_session **session);
/* NULL is none. */
void own_session_close(struct ktrace_session *session);

#endif /* KT_CMD_RUN_OWN_SESSION_H */
