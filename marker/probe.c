// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Probes come and go: the calls of <ktrace/marker_probe.h>. */
#include "handler.h"
#include "marker.h"
#include "object.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int ktrace_marker_probe_register(struct ktrace_marker_probe *probe)
{
	char patterns[RECORDER_PATTERNS];
	int err, handler;

	if (!probe->pattern || !probe->hit)
		return -EINVAL;
	err = handler_patterns(probe->pattern, patterns);
	if (err)
		return err;
	markers_lock();
	handler = handler_add(probe, patterns);
	if (handler > 0)
		markers_handle(1u << handler, patterns);
	markers_unlock();
	return handler < 0 ? handler : 0;
}

EXPORT int ktrace_marker_probe_unregister(struct ktrace_marker_probe *probe)
{
	unsigned int handler;

	if (handlers_inside())
		return -EDEADLK;
	markers_lock();
	handler = handler_find(probe);
	if (handler) {
		handler_retire(handler);
		markers_handle(1u << handler, NULL);
	}
	markers_unlock();
	if (!handler)
		return -ENOENT;
	handlers_wait(0);
	markers_lock();
	handler_remove(handler);
	markers_unlock();
	return 0;
}
