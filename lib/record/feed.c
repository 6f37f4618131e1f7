// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The list of feeds, and how they end. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
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

int feed_thread(pthread_t *thread, void *(*run)(void *data), void *data)
{
	sigset_t all, before;
	int err;

	/* Signals are handled by the program's own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(thread, NULL, run, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err ? error_set(-err, "cannot start a thread: %s", strerror(err))
		   : 0;
}

static int complete(struct feed *feed, int err)
{
	int completed = 0;

	if (feed->ops->complete && !feed_error(feed))
		completed = feed->ops->complete(feed);
	return err ?: completed;
}

int feeds_finish(struct feed *const all[FEEDS_MAX], bool streamed)
{
	int err = 0;

	/* The first one last: see finish(). */
	for (size_t i = FEEDS_MAX; i-- > 0;) {
		int finished = all[i] ? all[i]->ops->finish(all[i]) : 0;

		err = err ?: finished;
		/* Who reads a stream has to have this when the events come. */
		if (all[i] && streamed)
			err = complete(all[i], err);
	}
	for (size_t i = 0; i < FEEDS_MAX; i++)
		if (all[i] && !streamed)
			err = complete(all[i], err);
	return err;
}
