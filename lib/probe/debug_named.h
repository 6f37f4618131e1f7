/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which types the names in a cast mean.  Several units and namespaces may have one of the same
 * name, and BTF knows them all.
 */
#ifndef KT_LIB_PROBE_DEBUG_NAMED_H
#define KT_LIB_PROBE_DEBUG_NAMED_H

#include "debug_code.h"

/* From now on its name means this type, if it means none yet.  -ENOMEM. */
int debug_named_keep(struct debug_code *code, Dwarf_Die *die, __u32 type);
/* @tag: as of expression_type_name.  0: none was kept. */
int debug_named_find(struct debug_code *code, const char *tag,
		     const char *name);

#endif /* KT_LIB_PROBE_DEBUG_NAMED_H */
