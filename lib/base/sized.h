/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Options that grow: a struct of the caller's whose first member says how large it was
 * when the caller was compiled.
 */
#ifndef KT_LIB_BASE_SIZED_H
#define KT_LIB_BASE_SIZED_H

#include <errno.h>
#include <string.h>

#include "error.h"

/*
 * To @to, of @room bytes, what the caller knew of it; the rest is 0.  @from NULL: all of
 * it.  -EINVAL: the size was not set.  -E2BIG: a caller who is newer asks for something
 * that is not here.
 */
static inline int sized_copy(void *to, size_t room, const void *from)
{
	const unsigned char *bytes = from;
	size_t size = room;

	memset(to, 0, room);
	if (!from)
		return 0;
	memcpy(&size, from, sizeof(size));
	if (size < sizeof(size))
		return error_set(-EINVAL, "the options' size is not set");
	for (size_t i = room; i < size; i++)
		if (bytes[i])
			return error_set(-E2BIG,
					 "this libktrace is older than the "
					 "program, and has not got one of the "
					 "options that it asks for");
	memcpy(to, from, size < room ? size : room);
	return 0;
}

#endif /* KT_LIB_BASE_SIZED_H */
