// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which sink a recording has. */
#include <errno.h>
#include <string.h>

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

int sink_explain(const struct sink *sink, int err)
{
	switch (err) {
	case -ENOSPC:
	case -EDQUOT:
		return error_set(
			err,
			"%s: the disk is full: what was written until then can "
			"be read; make room, or choose another place with -o",
			sink->name);
	case -EFBIG:
		return error_set(
			err,
			"%s: the file system or `ulimit -f' allows no larger "
			"file: what was written until then can be read",
			sink->name);
	case -EPIPE:
		return error_set(
			err,
			"%s: whoever read it has ended, and so has the "
			"recording",
			sink->name);
	case -ETIMEDOUT:
		return error_set(err,
				 "%s: its reader takes nothing, and what was "
				 "left of the recording is not in it",
				 sink->name);
	case -EBADMSG:
		return error_set(err, "the buffers hold damaged packets: "
				      "please report this as a bug of ktrace");
	default:
		return error_set(err,
				 "%s: cannot write: %s: what was written until "
				 "then can be read",
				 sink->name, strerror(-err));
	}
}
