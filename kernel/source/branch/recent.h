/* SPDX-License-Identifier: GPL-2.0-only */
/* The last branches of the running task, for events (event/branches.h). */
#ifndef KT_KERNEL_SOURCE_BRANCH_RECENT_H
#define KT_KERNEL_SOURCE_BRANCH_RECENT_H

#include <linux/types.h>

struct kt_branch_log;
struct mm_struct;
struct task_struct;

/* A task whose last branches events may have. */
struct branch_recent {
	struct hlist_node node;
	const struct kt_branch_log *log; /* NULL: it has not begun */
	struct task_struct
		*task; /* with a reference, so no other one has its address */
	struct mm_struct
		*mm; /* of the program that runs now; with a reference */
	u64 since;   /* the first entry of that program */
};

/* Called by the task itself.  @log stays until the end, and synchronize_rcu() behind it. */
void branch_recent_begin(struct branch_recent *recent,
			 const struct kt_branch_log *log);
/* By the task, which has executed another program, and has not run anything of it. */
void branch_recent_executed(struct branch_recent *recent);
/* May be called if it has not begun: false. */
bool branch_recent_end(struct branch_recent *recent);
/* No task is in the table any more. */
void branch_recent_free(struct branch_recent *recent);

int branch_recent_init(void);
void branch_recent_exit(void);

#endif /* KT_KERNEL_SOURCE_BRANCH_RECENT_H */
