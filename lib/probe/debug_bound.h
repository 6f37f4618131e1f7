/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Bounds of types (BTF) that a file has told of.  Who follows a type to what it names, or goes
 * through all that is in it, does not look whether that ends.
 */
#ifndef KT_LIB_PROBE_DEBUG_BOUND_H
#define KT_LIB_PROBE_DEBUG_BOUND_H

#include "debug_code.h"

/*
 * To be called when types were added.  Where one would lead back to itself, or to too much, it
 * leads to void then.  -ENOMEM.
 */
int debug_types_bound(struct debug_code *code);

#endif /* KT_LIB_PROBE_DEBUG_BOUND_H */
