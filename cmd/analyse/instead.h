/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Who ran on a CPU while a thread waited for it. */
#ifndef KT_CMD_ANALYSE_INSTEAD_H
#define KT_CMD_ANALYSE_INSTEAD_H

#include "runs.h"

#define INSTEAD_MAX 4

/* All zero: nobody. */
struct instead {
	unsigned int nr;
	unsigned int nr_others; /* threads, and how long they ran together: */
	uint64_t others;
	uint64_t idle;
	uint64_t unknown;
	/* Those that ran longest; @begin is 0, and @end how long they ran. */
	struct run of[INSTEAD_MAX];
};

/* 0 or -ENOMEM. */
int instead_find(struct instead *instead, const struct runs *runs, uint32_t cpu,
		 uint64_t begin, uint64_t end);
/* A copy, to be freed, which has no room but for those that ran.  NULL: out of memory. */
struct instead *instead_keep(const struct instead *instead);
void instead_print(const struct instead *instead);
/* Prints members of a JSON object. */
void instead_json(const struct instead *instead);

#endif /* KT_CMD_ANALYSE_INSTEAD_H */
