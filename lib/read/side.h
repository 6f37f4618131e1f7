/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Streams of a trace that are none of packets: `streamN'.  The metadata says what is in them. */
#ifndef KT_LIB_READ_SIDE_H
#define KT_LIB_READ_SIDE_H

#include <stdbool.h>
#include <stdint.h>

struct ktrace;

/* A recorder writes one. */
#define SIDES_MAX 16

struct side_stream {
	uint32_t number;
	int fd; /* all of it is there when the trace is complete */
};

/* Is it to be read?  If not, warns that it is left out: this reader does not know its kind. */
bool side_is_known(struct ktrace *trace, uint32_t number);
/* Drops those that are not to be read: the metadata, which says so, has come behind them. */
void sides_check(struct ktrace *trace);
/* Adds a stream, and takes over @fd; drops it if there are too many.  0 or -ENOMEM; then @fd is closed. */
int side_add(struct ktrace *trace, uint32_t number, int fd);
/* NULL: there is none. */
const struct side_stream *side_find(const struct ktrace *trace,
				    uint32_t number);
void sides_free(struct ktrace *trace);

#endif /* KT_LIB_READ_SIDE_H */
