/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The last step of decoding Intel's PT: where threads left, and where they came back. */
#ifndef KT_LIB_BRANCH_PT_RESOLVE_H
#define KT_LIB_BRANCH_PT_RESOLVE_H

#include <stdint.h>

#include "read/branches.h"

/*
 * The entries of a thread have kinds of enum pt_entry_kind: they become system calls, and what the kernel has
 * sent elsewhere.  @ended: when the thread did, in ns; 0: it has not, or its end is not here.  0 or -ENOMEM, with
 * a message.
 */
int pt_resolve(struct branch_thread *thread, uint64_t ended);

#endif /* KT_LIB_BRANCH_PT_RESOLVE_H */
