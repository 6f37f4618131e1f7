/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What differs between languages. */
#ifndef KT_LIB_PROBE_DEBUG_LANGUAGE_H
#define KT_LIB_PROBE_DEBUG_LANGUAGE_H

#include "debug_code.h"

/*
 * Does a call pass what has the type of @of as it would in C?  C++ passes the address of what
 * cannot be copied byte by byte, which is not always told.
 */
bool debug_is_passed_as_in_c(Dwarf_Die *of);

/* Is it written in C? */
bool debug_unit_is_c(Dwarf_Die *unit);
/* Is what is at the address? */
bool debug_is_c(struct debug_code *code, uint64_t address);

#endif /* KT_LIB_PROBE_DEBUG_LANGUAGE_H */
