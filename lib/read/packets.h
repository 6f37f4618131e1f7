/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The headers of a stream's packets, without what is in the packets: a hundred bytes are read of
 * each 64 KiB.  This shows no more than intact headers do; stream.h reads also what is damaged.
 */
#ifndef KT_LIB_READ_PACKETS_H
#define KT_LIB_READ_PACKETS_H

#include "stream.h"

/* Reads @size bytes at @position.  Returns their number or a negative errno. */
ssize_t source_read(const struct stream_source *source, uint64_t position,
		    void *bytes, size_t size);

struct packets {
	const struct ktrace *trace;
	const struct stream_source *source;
	uint64_t next;		 /* where the next packet begins */
	uint64_t nr;		 /* that were found */
	uint64_t position;	 /* of the last one */
	struct kt_packet packet; /* its header */
};

void packets_init(struct packets *packets, const struct ktrace *trace,
		  const struct stream_source *source);
/*
 * Finds the next header.  1, or 0 at the end of the source.  -EBADMSG: what is there does not follow
 * the packet before; or another negative errno.
 */
int packets_next(struct packets *packets);

#endif /* KT_LIB_READ_PACKETS_H */
