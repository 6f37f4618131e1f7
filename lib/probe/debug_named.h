/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which types the names in a cast mean.  Several units, namespaces and classes may have one of the
 * same name, and BTF knows them all.
 */
#ifndef KT_LIB_PROBE_DEBUG_NAMED_H
#define KT_LIB_PROBE_DEBUG_NAMED_H

#include "debug_code.h"
#include "debug_space.h"

/*
 * From now on its name means this type, if it means none yet that is nearer to what is in the
 * spaces @around.  @own: it is in their unit.  -ENOMEM.
 */
int debug_named_keep(struct debug_code *code, const struct debug_spaces *around,
		     bool own, Dwarf_Die *die, __u32 type);
/*
 * @tag: as of expression_type_name.  0: none was kept; -EINVAL: nobody knows which one is meant,
 * with a message.
 */
int debug_named_find(struct debug_code *code, const char *tag,
		     const char *name);
/* Was one kept that is known without naming what it is in? */
bool debug_named_is_known(const struct debug_code *code, const char *tag,
			  const char *name);

#endif /* KT_LIB_PROBE_DEBUG_NAMED_H */
