/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Probes on trial: whether the kernel takes them, and how it stops there. */
#ifndef KT_CMD_PROBE_TRIAL_H
#define KT_CMD_PROBE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
/* The reason why it did not start. */
const char *trial_reason(void);

/* How the kernel stops there. */
struct way {
	const char *name, *words;
	bool may_improve; /* after a while */
};

/* A text may mean several places, and each is armed, or refused, in its own way. */
struct trial_place {
	char *system, *name; /* of its event */
	char *place, *fields;
	uint64_t address;      /* 0: its module is not loaded */
	const struct way *way; /* NULL: it is not armed */
	int err; /* of a refusal by the kernel; 0: there was none */
	char refused[300];
};

/* All zero but for the session: no places. */
struct trial {
	struct ktrace_session *session;
	struct trial_place *list;
	size_t nr;
	size_t nr_refused;
};

/* As trial_enable(), but @data is the trial, which gets the place. */
int trial_add(const struct ktrace_probe *probe, void *data);
/*
 * Arms all, or those that the kernel does not refuse, sees how that is done, and takes them away.
 * @wait: until the kernel has made the best of it.  A negative errno, with the kernel's reason: they
 * cannot be armed, though none is refused alone.
 */
int trial_run(struct trial *trial, bool wait);
/* Not the session. */
void trial_free(struct trial *trial);

/* NULL: none is there. */
const struct trial_place *trial_at(const struct trial *trial, uint64_t address);
/* Was the error of trial_start() for what is at the place? */
bool trial_is_of_place(int err);

#endif /* KT_CMD_PROBE_TRIAL_H */
