/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Arrays that grow by one element at a time. */
#ifndef KT_LIB_BASE_GROW_H
#define KT_LIB_BASE_GROW_H

#include <stddef.h>
#include <stdlib.h>

/*
 * The array, which has @nr elements of this size, with room for one more; it may be NULL if it has
 * none.  The room doubles whenever the number is a power of two, so nobody has to keep it.
 * NULL: no memory, and the array is as it was.
 */
static inline void *array_grow(void *array, size_t nr, size_t size)
{
	return nr & (nr - 1) ? array : reallocarray(array, nr * 2 + 1, size);
}

#endif /* KT_LIB_BASE_GROW_H */
