/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Guards memory that another process may take away by shortening a mapped file.
 * Without a guard a fault would end this process.  With it the memory is
 * replaced by memory of our own, full of zeros.
 */
#ifndef KT_LIB_MARKER_FAULT_H
#define KT_LIB_MARKER_FAULT_H

#include <stddef.h>

/* Begins to guard.  -ENOSPC: too many areas. */
int fault_guard(void *memory, size_t size);
/* Call it before the memory is unmapped. */
void fault_forget(void *memory);

#endif /* KT_LIB_MARKER_FAULT_H */
