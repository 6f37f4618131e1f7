/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Numbers that look random and are the same in each run.  Knuth's multiplier, The
 * Art of Computer Programming, 2, 3.3.4; the low bits are left out, they repeat.
 */
#ifndef KT_TESTS_RND_H
#define KT_TESTS_RND_H

#include <stdint.h>

static uint64_t seed = 1;

/* A number below @n. */
static inline uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % n;
}

#endif /* KT_TESTS_RND_H */
