/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Options that grow with the version of the library: the first member of a
 * struct is its size when the caller was compiled.
 */
#ifndef KT_LIB_BASE_SIZED_H
#define KT_LIB_BASE_SIZED_H

#include <errno.h>
#include <string.h>

#include "error.h"

/*
 * Copies the members that the caller's version has to @to, which has @room
 * bytes. The rest of @to is 0; everything is 0 if @from is NULL.  -EINVAL: the
 * size was not set.  -E2BIG: a newer caller has set a member that is not known
 * here.
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
