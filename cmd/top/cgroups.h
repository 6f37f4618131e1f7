/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The control groups of processes that run: from /proc/PID/cgroup, because no event tells them.
 *
 * A process that has ended before anybody looked has none that is known.
 */
#ifndef KT_CMD_TOP_CGROUPS_H
#define KT_CMD_TOP_CGROUPS_H

#include <stdint.h>

#include "base/table.h"

struct cgroups {
	const char *proc; /* the directory; "/proc" */
	struct table by_pid;
	uint64_t round;
};

/* Looks again at each process that is asked for, from now on. */
void cgroups_round(struct cgroups *c);
/* The path, or "(not known)"; valid until cgroups_forget().  NULL: out of memory. */
const char *cgroups_find(struct cgroups *c, uint32_t pid);
/* Those that nobody has asked for since cgroups_round(). */
void cgroups_forget(struct cgroups *c);
void cgroups_free(struct cgroups *c);

#endif /* KT_CMD_TOP_CGROUPS_H */
