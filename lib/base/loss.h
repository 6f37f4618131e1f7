/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Causes of loss and their texts: one table, one row for each cause. */
#ifndef KT_LIB_BASE_LOSS_H
#define KT_LIB_BASE_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include <ktrace/trace.h>

/* The name in files: in the control tree, metadata and JSON of stat. */
const char *loss_name(enum ktrace_lost cause);
/* The text that follows "12 events lost". */
const char *loss_cause(enum ktrace_lost cause);
/*
 * For a summary: the text that follows a count, and advice (NULL: there is
 * none).
 */
const char *loss_text(enum ktrace_lost cause);
const char *loss_remedy(enum ktrace_lost cause);

/*
 * What a source has missed for that reason: the text that follows the source's name.  NULL: not
 * known here.
 */
const char *miss_text(const char *source, const char *reason);

/* False for task records, which are not events. */
bool loss_is_event(enum ktrace_lost cause);
/* Can a recorder know of it?  Damage is found only by readers. */
bool loss_is_recorded(enum ktrace_lost cause);
/* The sum over all causes; @lost has KTRACE_LOST_NR elements. */
uint64_t loss_total(const uint64_t *lost);

#endif /* KT_LIB_BASE_LOSS_H */
