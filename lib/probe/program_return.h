/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where the code of a function returns: instead of its return address, these are probed. */
#ifndef KT_LIB_PROBE_PROGRAM_RETURN_H
#define KT_LIB_PROBE_PROGRAM_RETURN_H

#include <stddef.h>
#include <stdint.h>

#include "place.h"
#include "symbol/program_functions.h"

struct program_returns {
	uint64_t *offsets; /* behind the beginning of the function */
	size_t nr;
	/*
	 * So many instructions more may end the call by a jump to another function, which returns then
	 * (a tail call), or are returns of a part that is elsewhere (NAME.cold).  Jumps by a register
	 * count, unless they are known to be those of a table.
	 */
	unsigned int tail_calls;
	const char *to; /* where the first one jumps; NULL: not known */
};

/*
 * Reads the whole function, whose end the symbols must tell.  -EINVAL, -EIO, -ENOMEM, with a message;
 * -EINVAL also if nothing in it returns.  @path is for that.  To be freed also then.
 */
int program_returns_find(const struct program_functions *f, const char *path,
			 const struct place *function,
			 struct program_returns *returns);
void program_returns_free(struct program_returns *returns);

#endif /* KT_LIB_PROBE_PROGRAM_RETURN_H */
