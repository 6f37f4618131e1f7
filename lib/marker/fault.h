/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Memory that another process may take away: a mapped file that is shortened.
 * Touching it would end us; here it becomes our own memory instead, full of
 * zeros.
 */
#ifndef KT_LIB_MARKER_FAULT_H
#define KT_LIB_MARKER_FAULT_H

#include <stddef.h>

/* -ENOSPC: there are too many. */
int fault_guard(void *memory, size_t size);
/* Before it is unmapped. */
void fault_forget(void *memory);

#endif /* KT_LIB_MARKER_FAULT_H */
