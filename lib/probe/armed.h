/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What sessions have made of probes: their files `probed' (kernel/source/probe/README.md). */
#ifndef KT_LIB_PROBE_ARMED_H
#define KT_LIB_PROBE_ARMED_H

#include <ktrace/probes.h>

#include "base/text.h"

/* Appends the lines of all sessions; those that end meanwhile have none. */
int armed_read(struct ktrace_session *s, struct text *lines);
/* The longest reason of a refusal, with its NUL (kernel/session/session.h). */
#define ARMED_REASON 256

/*
 * Sets how @probe is armed, and what it has missed; of several sessions, that of the one where it is
 * armed worst.  A reason stays in @reason.
 */
void armed_find(const struct text *lines, struct ktrace_probe *probe,
		char reason[ARMED_REASON]);

#endif /* KT_LIB_PROBE_ARMED_H */
