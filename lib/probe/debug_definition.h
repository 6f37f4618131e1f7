/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where structs are defined that a unit only declares. */
#ifndef KT_LIB_PROBE_DEBUG_DEFINITION_H
#define KT_LIB_PROBE_DEBUG_DEFINITION_H

#include "debug_code.h"

/*
 * *@type, a declaration, becomes a definition of the same name in the same namespaces and classes;
 * of several units, any one.  False: the file has none.
 */
bool debug_definition_find(struct debug_code *code, Dwarf_Die *type);

#endif /* KT_LIB_PROBE_DEBUG_DEFINITION_H */
