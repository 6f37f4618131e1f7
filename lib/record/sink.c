// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which sink a recording has. */
#include <errno.h>

#include "base/error.h"
#include "sink.h"

static const struct sink_ops *const sinks[] = {
#define SINK(name) &name##_sink,
	SINKS
#undef SINK
};

#define SINKS_NR (sizeof(sinks) / sizeof(*sinks))

int sink_create(const struct ktrace_recording_options *options,
		struct sink **sink)
{
	for (size_t i = 0; i < SINKS_NR; i++) {
		int err = sinks[i]->create(options, sink);

		if (err || *sink)
			return err;
	}
	return error_set(-EINVAL, "a recording needs a place to write to");
}
