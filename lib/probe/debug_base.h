/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Numbers: the types of debugging information that lead to no others. */
#ifndef KT_LIB_PROBE_DEBUG_BASE_H
#define KT_LIB_PROBE_DEBUG_BASE_H

#include "debug_code.h"

/* As GCC calls it, so that all units have the same names. */
const char *debug_base_name(Dwarf_Die *type);
/*
 * Each unit has numbers of its own, but expressions compare them.  `char' may have a sign in one
 * unit and none in another.  0: it is a new one.
 */
int debug_base_same(const struct debug_code *code, Dwarf_Die *type);
/* Returns its number.  -ENOMEM; -EINVAL: BTF has no such numbers. */
int debug_base_add(struct debug_code *code, Dwarf_Die *type);
/* One of this name that the kernel has, or a new one.  < 0: -errno. */
int debug_base_begin(struct debug_code *code, const char *name, uint32_t size,
		     int encoding);
/* Those that expressions and casts name are always there.  < 0: -errno. */
int debug_bases_begin(struct debug_code *code);

#endif /* KT_LIB_PROBE_DEBUG_BASE_H */
