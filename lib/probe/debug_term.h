/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Values that are known only when a probe is hit, and what can be done with them, as far as words
 * can say it (kernel/source/probe/README.md).
 */
#ifndef KT_LIB_PROBE_DEBUG_TERM_H
#define KT_LIB_PROBE_DEBUG_TERM_H

#include <stdbool.h>
#include <stdint.h>

#define DEBUG_WORDS 160

/*
 * Words, or the register times @scale if there are none, or nothing if there is none; and
 * @number.  @left: all of that is still to be shifted so many bits to the left.
 */
struct debug_term {
	char words[DEBUG_WORDS];
	const char *of;
	uint64_t scale;
	uint64_t number;
	unsigned int left;
};

bool debug_term_is_number(const struct debug_term *t);
/* All of it as words.  All: false: words cannot say it, or not as few as there is room for. */
bool debug_term_write(const struct debug_term *t, char words[DEBUG_WORDS]);
bool debug_term_settle(struct debug_term *t);

bool debug_term_add(struct debug_term *t, const struct debug_term *other);
bool debug_term_multiply(struct debug_term *t, uint64_t by);
bool debug_term_and(struct debug_term *t, uint64_t mask);
bool debug_term_shift_left(struct debug_term *t, uint64_t by);
bool debug_term_shift_right(struct debug_term *t, uint64_t by, bool is_signed);
/* What is above the lowest bits becomes zero, or a copy of the highest of them. */
bool debug_term_narrow(struct debug_term *t, unsigned int bits, bool is_signed);

bool debug_words_add(char words[DEBUG_WORDS], const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool debug_number_add(char words[DEBUG_WORDS], uint64_t number);

#endif /* KT_LIB_PROBE_DEBUG_TERM_H */
