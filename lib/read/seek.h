/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Beginning in the middle of a trace: packets that end before are skipped by their headers.
 *
 * What was skipped may have named tasks.  When an event is shown, and its task is not sure, the
 * skipped packets are read backwards until the latest name is found: a packet is read once, and only
 * if somebody needs what may be in it.  The name of a task is the latest of what its records and
 * headers of packets tell, as if all had been read in order.
 *
 * Only streams of the kernel are skipped.  If one of them is damaged, or programs have streams of their
 * own, which tell of tasks in their own way, all is read.
 */
#ifndef KT_LIB_READ_SEEK_H
#define KT_LIB_READ_SEEK_H

#include "base/table.h"
#include "stream.h"
#include "task.h"

/* A packet that may tell of tasks. */
struct skipped {
	const struct stream_source *source;
	uint64_t position;
	uint64_t end; /* clock */
};

struct seek {
	uint64_t clock; /* what is told behind this is told to the cursor */
	struct skipped *packets; /* the latest first */
	size_t nr;
	size_t read;		/* so many of them were read */
	struct table histories; /* what they have told, by tid */
	uint8_t *bytes;		/* of the packet that is read */
	struct telling *batch;
	size_t batch_room;
};

/* Can packets of this trace be skipped? */
bool seek_is_possible(const struct ktrace *trace);
/*
 * Skips what ends before @from (ns) in all streams, of which nothing was read.  -EBADMSG: all must be
 * read, nothing was skipped; or another negative errno.
 */
int seek_begin(struct seek *seek, struct ktrace *trace,
	       struct stream *const *streams, size_t nr, uint64_t from);
/*
 * Copies process and name of a task, as they were told last before @clock.  1; 0: nothing was told; or
 * a negative errno.
 */
int seek_task(struct seek *seek, const struct ktrace *trace, uint32_t tid,
	      uint64_t clock, uint32_t *tgid, char comm[KT_COMM_LEN + 1]);
void seek_free(struct seek *seek);

#endif /* KT_LIB_READ_SEEK_H */
