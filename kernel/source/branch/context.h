/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A context: which threads' or CPUs' branches somebody wants, and the buffers that they are in.
 *
 * What buffers take is charged to who asked, as locked memory (RLIMIT_MEMLOCK), until the context
 * ends.  If the limit is reached, a thread that comes then has no buffer, which is counted.
 */
#ifndef KT_KERNEL_SOURCE_BRANCH_CONTEXT_H
#define KT_KERNEL_SOURCE_BRANCH_CONTEXT_H

#include <linux/types.h>

struct branch_context;
struct branch_producer;
struct kt_branches;
struct kt_branch_maps;

struct branch_wish {
	pid_t pid; /* in the namespace of who asks; 0: all programs on some CPUs */
	bool threads, children, mappings, events;
	bool all_cpus;
	unsigned int cpu; /* without all_cpus */
	u32 size;	  /* bytes of a buffer: a power of two */
	bool unlimited;	  /* in locked memory */
	const struct branch_producer *producer; /* one that can serve */
	unsigned int modes;			/* bits of enum branch_mode */
};

/*
 * An error: -ESRCH, -ENOMEM, -EINVAL: this task runs no program; -EDQUOT: the limit of locked memory
 * would be passed; -ENOSYS: mappings cannot be followed; -ENODEV: there is no such CPU;
 * -E2BIG: so large buffers of all CPUs would pass what a context may have; or why the kernel does not tell
 * of tasks.  *@refused: it is the producer's error.  Takes kt_mutex.
 */
struct branch_context *branch_context_open(const struct branch_wish *wish,
					   bool *refused);
/* Takes kt_mutex. */
void branch_context_close(struct branch_context *context);
const struct branch_producer *branch_context_producer(
	const struct branch_context *context);
/* Carries out KT_READ_BRANCHES. */
int branch_context_read(struct branch_context *context,
			struct kt_branches *branches);
/* Carries out KT_READ_MAPPINGS. */
int branch_context_mappings(struct branch_context *context,
			    struct kt_branch_maps *maps);

#endif /* KT_KERNEL_SOURCE_BRANCH_CONTEXT_H */
