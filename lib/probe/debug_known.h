/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Types of the kernel's own type information (debug_type_base()), by their names.  A name that two
 * of them have tells none.
 */
#ifndef KT_LIB_PROBE_DEBUG_KNOWN_H
#define KT_LIB_PROBE_DEBUG_KNOWN_H

#include "debug_code.h"

/* Before the others; @code has such information.  0 or -ENOMEM. */
int known_read(struct debug_code *code);
/* The only one of this name, of a group of kinds.  0: there is none, or there are several. */
__u32 known_find(struct debug_code *code, const char *name, int group);
/*
 * The same type, which need not be made again, with all that it leads to.  0: there is none, or it is
 * a number.
 */
__u32 known_same(struct debug_code *code, Dwarf_Die *type);

#endif /* KT_LIB_PROBE_DEBUG_KNOWN_H */
