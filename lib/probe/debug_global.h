/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Variables outside of functions.
 *
 * A name means what is in the namespaces and classes around the function, from the inside out, then
 * what is in none.  What is in others can be meant only if it is the only one of its name.
 */
#ifndef KT_LIB_PROBE_DEBUG_GLOBAL_H
#define KT_LIB_PROBE_DEBUG_GLOBAL_H

#include "debug_code.h"

struct debug_global {
	Dwarf_Die die;
	bool any;
	bool declared; /* it is only a declaration */
};

/*
 * What @name means in a @function (NULL: in none) at the @address: in the function's unit; if that
 * only declares it, or has none, in another one.  -EINVAL: nobody knows which one is meant, or it
 * is a member; with a message.
 */
int debug_global_find(struct debug_code *code, Dwarf_Die *function,
		      uint64_t address, const char *name,
		      struct debug_global *global);

/*
 * Programs that are optimised as a whole have two entries for a variable: the source's, and in
 * another unit one that says where it is.  Makes @variable the latter, if there is one.
 */
void debug_global_place(struct debug_code *code, uint64_t address,
			Dwarf_Die *variable);

#endif /* KT_LIB_PROBE_DEBUG_GLOBAL_H */
