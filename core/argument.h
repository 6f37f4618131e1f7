/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What markers of programs and of kernel modules have in common: the names of
 * their arguments, and how strings get into a payload.
 *
 * A payload has the arguments in their order, without gaps: numbers and arrays
 * as they are, and 4 bytes for a string.  These have the place of the string,
 * which is behind all arguments (offset, length with its NUL << 16).
 */
#ifndef KT_CORE_ARGUMENT_H
#define KT_CORE_ARGUMENT_H

#include "env.h"

#define KT_ARGUMENTS_DATA_MAX \
	2560 /* of a payload: it may be on a small stack */
#define KT_ARGUMENT_STRING_MAX 1024

/*
 * Finds the word in front of the next conversion of @format, and moves @format
 * behind the conversion.  Returns the length of the word; 0: there is none.
 */
u32 kt_argument_word(const char **format, const char **word);

/* The C type of an integer of @size bytes: 1, 2, 4 or 8. */
const char *kt_argument_integer(u32 size, bool is_signed);

/*
 * Copies the string at @from to @payload + @at; @array: its size in bytes if it
 * is an array, else 0. @left strings follow, and each gets at least one byte.
 * Returns the length with the NUL.  At @at there must be room for 8 bytes more
 * than KT_ARGUMENTS_DATA_MAX.
 */
static inline u32 kt_argument_string(u8 *payload, u32 at, u64 from, u32 array,
				     u32 left)
{
	static const char missing[] = "(null)", unread[] = "(fault)";
	u32 max = array && array < KT_ARGUMENT_STRING_MAX
			  ? array
			  : KT_ARGUMENT_STRING_MAX;
	u32 room = KT_ARGUMENTS_DATA_MAX - at - left - 1;
	long length;

	if (!from) {
		from = (unsigned long)missing;
		max = sizeof(missing) - 1;
	}
	if (max > room)
		max = room;
	length = env_copy_string(payload + at, from, max, true);
	if (unlikely(length < 0)) {
		max = room < sizeof(unread) - 1 ? room : sizeof(unread) - 1;
		memcpy(payload + at, unread, max);
		length = max;
	}
	payload[at + length] = '\0';
	return length + 1;
}

#endif /* KT_CORE_ARGUMENT_H */
