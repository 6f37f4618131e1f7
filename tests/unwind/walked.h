/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The result of a walk, as tests look at it. */
#ifndef KT_TESTS_UNWIND_WALKED_H
#define KT_TESTS_UNWIND_WALKED_H

#include "unwind.h"

struct walked {
	u32 nr;
	enum kt_stack_end end;
	u64 absent;
	u64 guesses[2]; /* bit N: frame N was found by rbp alone */
	u64 frames[KT_STACK_MAX];
};

/* If the label of a file is the mapping's bias, frames are plain addresses. */
static inline void walked_take(const struct kt_unwind_space *space,
			       struct kt_unwind_cache *cache,
			       const struct kt_unwind_start *start, u32 depth,
			       struct walked *walked)
{
	struct kt_unwind_ended ended;

	walked->nr = kt_unwind_program(space, cache, start, depth,
				       walked->frames, &ended);
	walked->end = ended.end;
	walked->absent = ended.absent;
	walked->guesses[0] = walked->guesses[1] = 0;
	for (u32 i = 0; i < walked->nr; i++) {
		if (!(walked->frames[i] & KT_FRAME_GUESS))
			continue;
		walked->frames[i] &= ~KT_FRAME_GUESS;
		walked->guesses[i / 64] |= 1ull << i % 64;
	}
}

#endif /* KT_TESTS_UNWIND_WALKED_H */
