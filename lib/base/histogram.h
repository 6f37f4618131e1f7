/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The distribution of values, in memory that does not depend on their number.
 *
 * Values up to 127 are counted exactly.  Above, each power of two is divided
 * into 64 buckets, so that the error of a quantile is less than 1 %: half a
 * bucket, 1/128. Minimum, maximum and sum are exact
 * (a sum that does not fit is UINT64_MAX).  Only buckets with values
 * need memory; there are at most 3776 of them.
 */
#ifndef KT_LIB_BASE_HISTOGRAM_H
#define KT_LIB_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

struct histogram_bucket {
	uint32_t index;
	uint64_t count;
};

/* All zero: empty. */
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
/* Adds all values of the other one.  0 or -ENOMEM. */
int histogram_merge(struct histogram *h, const struct histogram *other);
/* The least value that so much of all values, in 1/1000, does not exceed; 0: no values. */
uint64_t histogram_permille(const struct histogram *h, unsigned int permille);
static inline uint64_t histogram_quantile(const struct histogram *h,
					  unsigned int percent)
{
	return histogram_permille(h, 10 * percent);
}
/*
 * How many values are at least @from and less than @to, which are 0 or powers of two; @to 0:
 * without end.
 */
uint64_t histogram_between(const struct histogram *h, uint64_t from,
			   uint64_t to);
void histogram_free(struct histogram *h);

#endif /* KT_LIB_BASE_HISTOGRAM_H */
