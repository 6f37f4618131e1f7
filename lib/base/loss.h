/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Causes of loss, by name and in words: one table, in which a new cause is one row. */
#ifndef KT_LIB_BASE_LOSS_H
#define KT_LIB_BASE_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include <ktrace/trace.h>

/* In files: the control tree's `overflow', the metadata, the JSON of stat. */
const char *loss_name(enum ktrace_lost cause);
/* Behind "12 events lost". */
const char *loss_cause(enum ktrace_lost cause);
/* Behind a count, in a summary; and what can be done about it (NULL: nothing). */
const char *loss_text(enum ktrace_lost cause);
const char *loss_remedy(enum ktrace_lost cause);

/* Are those events, not just task records? */
bool loss_is_event(enum ktrace_lost cause);
/* Can a recorder know of it?  Only readers find damage. */
bool loss_is_recorded(enum ktrace_lost cause);
/* Of all causes; @lost has KTRACE_LOST_NR elements. */
uint64_t loss_total(const uint64_t *lost);

#endif /* KT_LIB_BASE_LOSS_H */
