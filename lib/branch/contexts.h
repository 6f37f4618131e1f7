/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What traces branches, for the other files of this folder. */
#ifndef KT_LIB_BRANCH_CONTEXTS_H
#define KT_LIB_BRANCH_CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/branches.h>

#include "read/branches.h"
#include "symbol/program_tables.h"

struct contexts;

/* Who finds the branches if it is not the kernel module; as the functions of <ktrace/branches.h>. */
struct branch_finder {
	int (*follow)(struct contexts *contexts);
	int (*read)(struct contexts *contexts);
	void (*close)(struct contexts *contexts);
};

struct contexts {
	struct ktrace_branches branches;    /* what was read last */
	const struct branch_finder *finder; /* NULL: the module */
	void *found;			    /* that one's own */
	int *fds; /* a file `branches' for each thread that was asked for */
	size_t nr;
	bool ended; /* there are none any more */
	bool executes;
	uint32_t max; /* entries of a buffer */

	struct program_tables tables;
	bool followed; /* these are open */
	struct debug_server *servers;
};

/* Of branches that ktrace_branches_open() has opened.  NULL: they are those of a trace, or there are none. */
static inline struct contexts *contexts_of(struct ktrace_branches *branches)
{
	return branches && branches->traced ? (struct contexts *)branches
					    : NULL;
}

/* As ktrace_branches_read(), but nothing gets a name. */
int contexts_read(struct contexts *contexts);
/* What a buffer of a context has.  1, 0: there is no such thread or CPU, or -errno, with a message. */
int entries_read(const struct contexts *contexts, int context, uint32_t number,
		 struct branch_thread *thread);
/* As contexts_read(), if they are of CPUs. */
int cpus_read(struct contexts *contexts);
/* Nothing is traced any more.  What was read stays. */
void contexts_end(struct contexts *contexts);

/* A change of what was mapped.  1, 0: there is none any more, or -errno. */
int mapped_change_read(int fd, struct kt_branch_maps *read,
		       struct mapped_change *change);
/*
 * Reads what a thread of the context @fd had mapped, as far as entries before number @end need it.
 * 0 or -errno, with a message.
 */
int mapped_read(struct mapped *mapped, int fd, uint32_t thread, uint64_t end);
/*
 * Calls @put with an entry KT_STACK_NAME for each name that is wanted and can be found.  0 or -errno,
 * with a message.
 */
int mapped_names_write(const struct mapped_names *names,
		       struct program_tables *tables,
		       int (*put)(void *data, const void *bytes, size_t size),
		       void *data);
/* Finds the names of all that are wanted.  0 or -errno, with a message. */
int mapped_names_find(struct mapped_names *names,
		      struct program_tables *tables);

/* Opens what Intel's PT finds.  0 or -errno, with a message. */
int perf_live_open(const struct ktrace_branches_options *options,
		   struct ktrace_branches **branches);

#endif /* KT_LIB_BRANCH_CONTEXTS_H */
