/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The probes of -P: events that go with the recording. */
#ifndef KT_CMD_RUN_PROBES_H
#define KT_CMD_RUN_PROBES_H

#include <ktrace/probes.h>

#include "common/select.h"

/* All zero: none. */
struct probes {
	char **texts;
	const char **filters; /* NULL: none */
	size_t nr;
	char *file; /* of those that come: as in their texts; NULL: the kernel */
};

/*
 * The argument of a -x: the program or library in which the probes that follow are, by its path or
 * by its name in $PATH or among the libraries; `kernel': none.  Returns an exit status.
 */
int probes_file(struct probes *probes, const struct command *command,
		const char *name);
/* The path of that program; NULL: there is none, with a message.  To be freed. */
char *program_path(const char *name);

/* Adds the argument of a -P.  Returns an exit status. */
int probes_option(struct probes *probes, const struct command *command,
		  const char *text);
/* Adds a filter to the last one.  There must be one. */
void probes_filter(struct probes *probes, const char *filter);
/*
 * Makes their events, which are not enabled yet, and adds them to @selection.  Returns an exit
 * status.
 */
int probes_make(struct probes *probes, struct ktrace_session *session,
		struct selection *selection);
void probes_free(struct probes *probes);

/* The library has refused a text: prints its error, and names like that of a missing function. */
int probe_failed(char *const *texts, size_t nr, int err);

#endif /* KT_CMD_RUN_PROBES_H */
