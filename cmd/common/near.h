/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Finds names that are similar to one that does not exist. */
#ifndef KT_CMD_COMMON_NEAR_H
#define KT_CMD_COMMON_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#include <ktrace/types.h>

#define NEAR_MAX       5
#define NEAR_NAME_SIZE 128 /* longer ones are like no word */

struct near {
	const char *word;
	size_t nr;
	char names[NEAR_MAX][NEAR_NAME_SIZE]; /* nearest first */
	unsigned int distances[NEAR_MAX];
};

void near_init(struct near *near, const char *word);
void near_add(struct near *near, const char *name);
/* Adds the names of the type's fields, each once. */
void near_fields(struct near *near, const struct ktrace_type *type);
/* Asks whether one of them was meant, on standard error.  False: there are none. */
bool near_print(const struct near *near);

#endif /* KT_CMD_COMMON_NEAR_H */
