// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "utf8.h"

size_t utf8_length(const uint8_t *s, size_t n)
{
	size_t len, i;

	if (s[0] < 0x80)
		return 1;
	len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || len > n)
		return 0;
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Overlong forms, surrogates, and values above the last code point. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

bool utf8_is_control(const uint8_t *s)
{
	return *s < ' ' || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0);
}
