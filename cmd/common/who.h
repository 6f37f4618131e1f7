/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Whose events of a trace the user wants: -p and -C of commands that show traces. */
#ifndef KT_CMD_COMMON_WHO_H
#define KT_CMD_COMMON_WHO_H

#include <stdbool.h>

#include <ktrace/output.h>

#include "cmd.h"

struct who {
	const char *comm; /* pattern; NULL: any */
	uint32_t *pids;	  /* processes or threads */
	size_t nr_pids;	  /* 0: any */
};

/* Adds "12,34".  Returns an exit status. */
int who_pids(struct who *who, const struct command *command, const char *list);
bool who_is_all(const struct who *who);
bool who_match_thread(const struct who *who, uint32_t tid, uint32_t tgid,
		      const char *comm);
bool who_match(const struct who *who, const struct ktrace_event *event);
void who_free(struct who *who);

#endif /* KT_CMD_COMMON_WHO_H */
