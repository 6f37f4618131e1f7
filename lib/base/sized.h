/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Options that grow: a struct of the caller.  Its first member is its size at
 * the time when the caller was compiled.
 */
#ifndef KT_LIB_BASE_SIZED_H
#define KT_LIB_BASE_SIZED_H

#include <errno.h>
#include <string.h>

#include "error.h"

/*
 * Copies the members that the caller knew to @to, of @room bytes; the rest is
 * 0. @from NULL: everything is 0.  -EINVAL: the size was not set.  -E2BIG: a
 * newer caller asks for something that is not known here.
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
