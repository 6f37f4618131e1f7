/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Addresses in lists of symbols.  These have 200,000 lines, and strtoull() takes 580 instructions
 * for an address, five times as many.
 */
#ifndef KT_LIB_BASE_HEX_H
#define KT_LIB_BASE_HEX_H

#include <stdint.h>

/*
 * The hexadecimal digits at @p, without sign or "0x".  *@end is what follows them: @p, if there
 * are none.  Of more than 16 digits the last 16 count.
 */
static inline uint64_t hex_read(const char *p, const char **end)
{
	uint64_t value = 0;

	for (;; p++) {
		unsigned int digit = (unsigned char)*p - '0';

		if (digit > 9) {
			digit = ((unsigned char)*p | 0x20) - 'a';
			if (digit > 5)
				break;
			digit += 10;
		}
		value = value << 4 | digit;
	}
	*end = p;
	return value;
}

#endif /* KT_LIB_BASE_HEX_H */
