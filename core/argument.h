/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What is the same for markers of programs and of kernel modules: what their
 * arguments are called, and how strings get into a payload.
 *
 * A payload has the arguments in their order, without gaps: numbers and arrays as they
 * are, of a string 4 bytes that say where it lies behind all that (offset, length with
 * its NUL << 16).
 */
#ifndef KT_CORE_ARGUMENT_H
#define KT_CORE_ARGUMENT_H

#include "env.h"

#define KT_ARGUMENTS_DATA_MAX \
	2560 /* of a payload: it may be on a small stack */
#define KT_ARGUMENT_STRING_MAX 1024

/*
 * The word in front of the next conversion of @format, which is moved behind it.
 * Returns its length; 0: there is none.
 */
u32 kt_argument_word(const char **format, const char **word);

/* What C calls an integer of @size bytes, 1, 2, 4 or 8. */
const char *kt_argument_integer(u32 size, bool is_signed);

/*
 * Copies the string at @from to @payload + @at; @array: of so many bytes at most, or 0.
 * @left strings are to follow, each of which gets a byte at least.  Returns its length,
 * with the NUL.  At @at there must be room for 8 bytes more than KT_ARGUMENTS_DATA_MAX.
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
