/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a thread had mapped to be run, and from which of its branches on: so addresses have a meaning
 * when the thread has ended, has executed another program, or has mapped something else there.
 *
 * A program that maps a hundred libraries does so at its beginning, and most branches of a buffer are
 * of later: so only the last changes are kept.  The first two are, too: at first a thread that is made
 * to execute a program has what its parent had, and the second change is that program.
 */
#ifndef KT_KERNEL_SOURCE_BRANCH_MAPPINGS_H
#define KT_KERNEL_SOURCE_BRANCH_MAPPINGS_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "unwind.h"

struct kt_maps;

#define BRANCH_MAPPINGS_FIRST 2u
#define BRANCH_MAPPINGS_LAST  16u
/* Of all that share a room: 64 MiB.  Threads that share maps are counted, each. */
#define BRANCH_MAPPINGS_ROOM ((64l << 20) / sizeof(struct kt_unwind_map))

struct branch_mappings {
	atomic_long_t *
		room; /* how many maps more may be kept; NULL: nothing is kept */
	u32 nr;	      /* how often they were found changed */
	struct branch_mapping {
		u64 since; /* the number of the first entry that has them */
		const struct kt_maps *maps; /* NULL: not known */
	} kept[BRANCH_MAPPINGS_FIRST + BRANCH_MAPPINGS_LAST];
};

/*
 * To be called before entry @since is made, with the caller's lock held.  @now: what is mapped; NULL:
 * not known.  What is no longer kept is put into *@dropped, for kt_maps_put() without the lock.  If
 * that is not NULL, nothing can be dropped, and the change is kept the next time.
 */
void branch_mappings_notice(struct branch_mappings *mappings, u64 since,
			    const struct kt_maps *now,
			    const struct kt_maps **dropped);
/*
 * With that lock held, too: change *@number, or the next one that is still kept; sets *@number.
 * False: there is none.  The maps have a reference for the caller.
 */
bool branch_mappings_get(const struct branch_mappings *mappings, u32 *number,
			 struct branch_mapping *mapping);
/* Nobody uses them any more. */
void branch_mappings_free(struct branch_mappings *mappings);

#endif /* KT_KERNEL_SOURCE_BRANCH_MAPPINGS_H */
