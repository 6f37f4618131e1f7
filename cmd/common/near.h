/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Finds names that are similar to one that does not exist. */
#ifndef KT_CMD_COMMON_NEAR_H
#define KT_CMD_COMMON_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#define NEAR_MAX 5

struct near {
	const char *word;
	size_t nr;
	const char *names[NEAR_MAX]; /* nearest first */
	unsigned int distances[NEAR_MAX];
};

void near_init(struct near *near, const char *word);
/* @name must live as long as @near. */
void near_add(struct near *near, const char *name);
/* Asks whether one of them was meant, on standard error.  False: there are none. */
bool near_print(const struct near *near);

#endif /* KT_CMD_COMMON_NEAR_H */
