/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Memory that somebody else may take away: a file that is mapped and then made shorter.
 * Touching it would end us; here it becomes memory of our own instead, full of zeros.
 */
#ifndef KT_LIB_MARKER_FAULT_H
#define KT_LIB_MARKER_FAULT_H

#include <stddef.h>

/* -ENOSPC: there are too many. */
int fault_guard(void *memory, size_t size);
/* Before it is unmapped. */
void fault_forget(void *memory);

#endif /* KT_LIB_MARKER_FAULT_H */
