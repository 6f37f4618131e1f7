/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How many events there are at which time, while nobody knows how long the trace will be. */
#ifndef KT_SHOW_HTML_DENSITY_H
#define KT_SHOW_HTML_DENSITY_H

#include <stdint.h>

#define DENSITY_BUCKETS 2048

/* All zero: none. */
struct density {
	uint64_t width; /* of a bucket: ns, a power of two, or 0 */
	uint32_t nr;	/* of buckets, up to the last one that is used */
	uint64_t counts[DENSITY_BUCKETS];
};

/* If @time is beyond the last bucket, each becomes twice as wide. */
static inline void density_add(struct density *d, uint64_t time)
{
	d->width = d->width ?: 1;
	while (time / d->width >= DENSITY_BUCKETS) {
		for (uint32_t i = 0; i < DENSITY_BUCKETS / 2; i++)
			d->counts[i] = d->counts[2 * i] + d->counts[2 * i + 1];
		for (uint32_t i = DENSITY_BUCKETS / 2; i < DENSITY_BUCKETS; i++)
			d->counts[i] = 0;
		d->nr = (d->nr + 1) / 2;
		d->width *= 2;
	}
	d->counts[time / d->width]++;
	if (time / d->width >= d->nr)
		d->nr = time / d->width + 1;
}

#endif /* KT_SHOW_HTML_DENSITY_H */
