/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How a probe is armed, and how often it was hit and missed. */
#ifndef KT_CMD_COMMON_ARMED_H
#define KT_CMD_COMMON_ARMED_H

#include <ktrace/probes.h>

/* Prints "  [jump; 5 hits; missed: 1 nested]"; nothing, if no session records it. */
void armed_print(const struct ktrace_probe *probe);
/* Prints the members "armed", "refusal", "hits" and "missed" of an object. */
void armed_json(const struct ktrace_probe *probe);

#endif /* KT_CMD_COMMON_ARMED_H */
