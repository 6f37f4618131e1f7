/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Probes on trial: whether the kernel takes them, and how it stops there. */
#ifndef KT_CMD_PROBE_TRIAL_H
#define KT_CMD_PROBE_TRIAL_H

#include <stdbool.h>

#include <ktrace/probes.h>

/* Who has named the files with the kernel's debugging information, for all that is tried. */
struct probes;
void trial_debug_files(const struct probes *probes);
/* These, for another session.  Returns an exit status. */
int trial_debug_files_use(struct ktrace_session *session);

/*
 * A session of our own, in which probes can be tried: they go with it.  NULL: failed, with a
 * message.
 */
struct ktrace_session *trial_open(void);
void trial_close(struct ktrace_session *session);
/* Of ktrace_session_probes_add(); @data is the session. */
int trial_enable(const struct ktrace_probe *probe, void *data);
/* 0, or a negative errno with the kernel's reason. */
int trial_start(struct ktrace_session *session);

/* How the kernel stops there. */
struct way {
	const char *name, *words;
	bool may_improve; /* after a while */
};

/* NULL: it is not armed. */
const struct way *way_find(struct ktrace_session *session);
/* Waits until the kernel has made the best of it. */
const struct way *way_wait(struct ktrace_session *session);

#endif /* KT_CMD_PROBE_TRIAL_H */
