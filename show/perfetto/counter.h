/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events that tell the new value of something: frequencies, temperatures, memory. */
#ifndef KT_SHOW_PERFETTO_COUNTER_H
#define KT_SHOW_PERFETTO_COUNTER_H

#include "viewer.h"

struct counter {
	char name[160]; /* what has this value, and its unit */
	int64_t value;
};

/* False: the event, whose fields @arguments has, is none of these. */
bool counter_find(const struct ktrace_type *type,
		  const struct arguments *arguments, struct counter *counter);

#endif /* KT_SHOW_PERFETTO_COUNTER_H */
