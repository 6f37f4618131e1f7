// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Who runs (core/env.h), for the core's filters: the task of the event that is judged.  A file of its
 * own, because tests and bench/ring.c, which write rings, have another one.
 */
#include "filter.h"
#include "judged.h"

void env_current_task(u32 *tid, u32 *tgid, char *comm)
{
	const struct ktrace_event *event = judged_event;

	*tid = event->tid;
	*tgid = event->tgid;
	memset(comm, 0, KT_COMM_LEN);
	memcpy(comm, event->comm, strnlen(event->comm, KT_COMM_LEN));
}
