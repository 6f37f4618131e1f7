/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Processes, and what they start: found by sched:sched_process_fork. */
#ifndef KT_CMD_COMMON_FAMILY_H
#define KT_CMD_COMMON_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"

/* All zero: nobody. */
struct family {
	struct table members;
};

/* 0 or -ENOMEM. */
int family_add(struct family *f, uint32_t pid);
bool family_has(const struct family *f, uint32_t pid);
/* The thread is no more: its number may be that of a stranger. */
void family_remove(struct family *f, uint32_t tid);
void family_free(struct family *f);

#endif /* KT_CMD_COMMON_FAMILY_H */
