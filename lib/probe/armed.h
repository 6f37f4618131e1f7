/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What sessions have made of probes: their files `probed' (kernel/source/probe/README.md). */
#ifndef KT_LIB_PROBE_ARMED_H
#define KT_LIB_PROBE_ARMED_H

#include <ktrace/probes.h>

#include "base/text.h"

/* Appends the lines of all sessions; those that end meanwhile have none. */
int armed_read(struct ktrace_session *s, struct text *lines);
/* Sets how @probe is armed, and what it has missed. */
void armed_find(const struct text *lines, struct ktrace_probe *probe);

#endif /* KT_LIB_PROBE_ARMED_H */
