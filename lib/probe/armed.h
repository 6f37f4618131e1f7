/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What sessions have made of probes: their files `probed' (kernel/source/probe/README.md). */
#ifndef KT_LIB_PROBE_ARMED_H
#define KT_LIB_PROBE_ARMED_H

#include <ktrace/probes.h>

#include "base/table.h"
#include "base/text.h"

/* All zero: no lines. */
struct armed {
	struct text lines;
	struct table by_name; /* where a line begins, by "SYSTEM:EVENT" */
};

/* Reads the lines of all sessions; those that end meanwhile have none. */
int armed_read(struct ktrace_session *s, struct armed *armed);
/* Makes by_name, when all lines are there. */
int armed_index(struct armed *armed);
void armed_free(struct armed *armed);
/* The longest reason of a refusal, with its NUL (kernel/session/session.h). */
#define ARMED_REASON 256

/*
 * Sets how @probe is armed, its hits, and what it has missed.  Of several sessions, it is the way
 * where it is armed worst, and the sum of the numbers.  A reason stays in @reason.
 */
void armed_find(const struct armed *armed, struct ktrace_probe *probe,
		char reason[ARMED_REASON]);

#endif /* KT_LIB_PROBE_ARMED_H */
