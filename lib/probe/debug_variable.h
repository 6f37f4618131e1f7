/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What variables of the source are at an instruction, by debugging information.
 *
 * A name means what is nearest: in the blocks that the instruction is in, from the innermost on,
 * up to the function; then outside of functions (debug_global.h).  If a function was put into
 * another one there, that is not around it: what a name means does not depend on the compiler.
 */
#ifndef KT_LIB_PROBE_DEBUG_VARIABLE_H
#define KT_LIB_PROBE_DEBUG_VARIABLE_H

#include "debug_location.h"
#include "session/expression.h"

/*
 * Begins *@e with the variable; its types are those of debug_type_btf().  @code must stay open as
 * long as *@e is used.  -ENOENT: there is none of this name in scope; -EINVAL: it cannot be had
 * here.  With a message that says what can be had.
 *
 * Where a function begins, its parameters are where a call passes them, whatever the debugging
 * information says: code that is not optimised puts them elsewhere first.
 */
int debug_variable_begin(struct debug_code *code,
			 const struct debug_where *where, const char *name,
			 struct expression *e);

/* Valid during the call that has it. */
struct debug_variable {
	const char *name;
	uint32_t type; /* of debug_type_btf() */
	bool is_parameter;
	bool is_here; /* debug_variable_begin() gives it */
};

/*
 * Calls @use with each variable that the blocks and the function around the instruction have; the
 * innermost first, of one name the one that it means.  Something other than 0 that it returns ends
 * this, and is returned.
 */
int debug_variables_each(struct debug_code *code,
			 const struct debug_where *where,
			 int (*use)(const struct debug_variable *variable,
				    void *data),
			 void *data);

/*
 * The type of the function that begins at the address (struct btf_type, BTF_KIND_FUNC_PROTO of
 * debug_type_btf()).  -ENOENT: none begins there.  With a message.
 */
int debug_variable_proto(struct debug_code *code, uint64_t address,
			 const struct btf_type **proto);

#endif /* KT_LIB_PROBE_DEBUG_VARIABLE_H */
