/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a test expects of a walk. */
#ifndef KT_TESTS_UNWIND_WALKED_CHECK_H
#define KT_TESTS_UNWIND_WALKED_CHECK_H

#include "check.h"
#include "walked.h"

static inline void walked_check(const struct walked *walked,
				enum kt_stack_end end, const u64 *frames,
				u32 nr)
{
	CHECK_EQ(walked->end, end);
	CHECK_EQ(walked->nr, nr);
	for (u32 i = 0; i < nr; i++)
		CHECK_EQ(walked->frames[i], frames[i]);
}

/* Has the walk ended so, with these frames? */
#define WALKED_FRAMES(walked, end, ...)                           \
	walked_check((walked), (end), (const u64[]){__VA_ARGS__}, \
		     sizeof((const u64[]){__VA_ARGS__}) / sizeof(u64))

#endif /* KT_TESTS_UNWIND_WALKED_CHECK_H */
