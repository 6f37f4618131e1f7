/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The option --debuginfod: debug files of programs from servers. */
#ifndef KT_CMD_COMMON_DEBUGINFOD_H
#define KT_CMD_COMMON_DEBUGINFOD_H

#include <ktrace/debuginfod.h>

#include "common/option.h"

/* All zero: nobody is asked. */
struct debuginfod {
	struct ktrace_debuginfod options;
	bool wanted;
	/* Does somebody want to wait no longer?  NULL: nobody can. */
	bool (*interrupted)(void *data);
	void *data;

	bool progress;	/* a line on the terminal */
	uint64_t shown; /* ns: when it was */
};

/* The row's handler.  Returns an exit status. */
int debuginfod_option(struct debuginfod *d);
/* For the library: NULL if the option was not given. */
const struct ktrace_debuginfod *debuginfod_options(struct debuginfod *d);
/* To be called before it is used, and after a command was started: it changes the environment. */
void debuginfod_patience(const struct debuginfod *d);

#define OPTION_DEBUGINFOD_ROW(its_id)                                      \
	OPTION(0, "debuginfod", NULL,                                      \
	       "ask the servers of $DEBUGINFOD_URLS for debug files that " \
	       "are not here",                                             \
	       .id = its_id)

#endif /* KT_CMD_COMMON_DEBUGINFOD_H */
