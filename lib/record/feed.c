// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The list of feeds, and how a feed fails. */
#include <unistd.h>

#include "feed.h"

const struct feed_ops *const feeds[] = {
#define FEED(name) &name##_feed,
	FEEDS
#undef FEED
		NULL,
};

_Static_assert(sizeof(feeds) / sizeof(*feeds) <= FEEDS_MAX + 1,
	       "a recording has room for each");

void feed_fail(struct feed *feed, int err)
{
	uint64_t one = 1;
	int none = 0;

	__atomic_compare_exchange_n(&feed->error, &none, err, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	if (write(feed->failed, &one, sizeof(one)) < 0)
		return; /* it is raised already */
}
