/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How values are distributed, in memory that does not grow with their number.
 *
 * Values up to 127 are counted one by one.  Above, each power of two is divided into
 * 64 buckets, so that a quantile is wrong by less than 1 %: half a bucket, 1/128.
 * Least, most and sum are exact.  Only buckets that have a value take memory; there are
 * at most 3776.
 */
#ifndef KT_CMD_COMMON_HISTOGRAM_H
#define KT_CMD_COMMON_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

struct histogram_bucket {
	uint32_t index;
	uint64_t count;
};

/* Zero is empty. */
struct histogram {
	uint64_t count;
	uint64_t total;
	uint64_t min;
	uint64_t max;
	struct histogram_bucket *buckets; /* by index */
	size_t nr;
	size_t room;
};

/* 0 or -ENOMEM. */
int histogram_add(struct histogram *h, uint64_t value);
/* The value that @percent of all are not above; 0: there is none. */
uint64_t histogram_quantile(const struct histogram *h, unsigned int percent);
void histogram_free(struct histogram *h);

#endif /* KT_CMD_COMMON_HISTOGRAM_H */
