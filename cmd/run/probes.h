/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The probes of -P: events that go with the recording. */
#ifndef KT_CMD_RUN_PROBES_H
#define KT_CMD_RUN_PROBES_H

#include <ktrace/probes.h>

#include "common/option.h"
#include "common/select.h"

/* A -P. */
struct probe_option {
	const char *text;
	const char *file;   /* of the -x before it; NULL: the kernel */
	const char *filter; /* NULL: none */
};

/* All zero: none. */
struct probes {
	struct probe_option *list;
	size_t nr;
	const char *file; /* of those that come */
	const char **debug_files;
	size_t nr_debug_files;
};

/*
 * The argument of a -x: the program or library in which the probes that follow are, by its path or
 * by its name in $PATH or among the libraries; `kernel': none.  Returns an exit status.
 */
int probes_file(struct probes *probes, const struct command *command,
		const char *name);

/* Adds the argument of a --vmlinux.  Returns an exit status. */
int probes_debug_file(struct probes *probes, const char *path);
/* The session takes debugging information from these.  Returns an exit status. */
int probes_debug_files_use(const struct probes *probes,
			   struct ktrace_session *session);

/* Adds the argument of a -P.  Returns an exit status. */
int probes_option(struct probes *probes, const struct command *command,
		  const char *text);
/* The same of a text from elsewhere. */
int probes_append(struct probes *probes, const char *text);
/* Is what was said about probes about one?  Returns an exit status. */
int probes_are_said(const struct probes *probes, const struct command *command);
/* Adds a filter to the last one.  There must be one. */
void probes_filter(struct probes *probes, const char *filter);
/*
 * Makes their events, which are not enabled yet, and adds them to @selection.  @pid, which may be 0:
 * whose root the paths of programs are of.  Returns an exit status.
 */
int probes_make(struct probes *probes, struct ktrace_session *session,
		struct selection *selection, pid_t pid);
/*
 * Their texts, with the paths of their files; a NULL is behind them.  NULL: a message has been
 * printed.  @pid, which may be 0: whose root the paths are of.
 */
char **probes_texts(const struct probes *probes, pid_t pid);
/* May be NULL. */
void probes_texts_free(char **texts);
void probes_free(struct probes *probes);

/* Counts places that are left out, and functions some of whose returns are.  All zero: none. */
struct left_out {
	char *const *texts;
	uint64_t text; /* they are of this */
	size_t nr;
	char first[400]; /* which one, and why */
	size_t nr_tail;	 /* functions with tail calls, which are not recorded */
	char first_tail[400];
};

/* Is it left out?  Then it is counted; so are its tail calls otherwise. */
bool probe_is_left_out(struct left_out *left, const struct ktrace_probe *probe);
/* Says what was counted, if anything was. */
void left_out_tell(struct left_out *left);

/*
 * Before a recording is stopped: which probes were refused when their module came, and which still
 * wait for it.  Returns an exit status.
 */
int probes_tell(struct ktrace_session *session);
#define OPTION_VMLINUX_ROW(its_id)                                            \
	OPTION(0, "vmlinux", "FILE",                                          \
	       "the kernel's debugging information, or that of a module, is " \
	       "in this file",                                                \
	       .kind = ARGUMENT_FILE, .id = its_id)

/* Which of the texts the library's last error is about; NULL: none of them. */
const char *probe_blamed(char *const *texts, size_t nr);
/* The library has refused a text: prints its error, and names like that of a missing function. */
int probe_failed(char *const *texts, size_t nr, int err);

#endif /* KT_CMD_RUN_PROBES_H */
