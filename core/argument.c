// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See argument.h. */
#include "argument.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The last word of [from, to) that can be a name. */
static u32 last_word(const char *from, const char *to, const char **word)
{
	const char *end;

	while (to > from && !is_word(to[-1]))
		to--;
	end = to;
	while (to > from && is_word(to[-1]))
		to--;
	while (to < end && is_digit(*to))
		to++;
	*word = to;
	return end - to;
}

u32 kt_argument_word(const char **format, const char **word)
{
	const char *p = *format;
	u32 length;

	while (*p && (*p != '%' || p[1] == '%'))
		p += *p == '%' ? 2 : 1;
	length = last_word(*format, p, word);
	if (*p)
		p++;
	while (*p && strchr("-+ #0123456789.*hlLqjzt", *p))
		p++;
	*format = *p ? p + 1 : p;
	return length;
}

u32 kt_argument_string(u8 *payload, u32 at, u64 from, u32 array, u32 left)
{
	static const char missing[] = "(null)", unread[] = "(fault)";
	u32 max = array && array < KT_ARGUMENT_STRING_MAX ? array
							: KT_ARGUMENT_STRING_MAX;
	u32 room = KT_ARGUMENTS_DATA_MAX - at - left - 1;
	long length;

	if (!from) {
		from = (uintptr_t)missing;
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
