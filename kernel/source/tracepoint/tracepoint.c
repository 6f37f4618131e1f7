// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source of the kernel's tracepoints, for the probes that are generated here.  The
 * probe of an event's class is attached to the event's tracepoint.
 *
 * A probe runs as soon as it is registered, so there is no commit.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/tracepoint.h>

#include "event/event.h"
#include "event/tracepoints.h"
#include "session/session.h"
#include "session/sources.h"
#include "tracepoint.h"

int kt_tracepoint_refuse(const struct kt_enabled *enabled, int err)
{
	return kt_refuse(enabled->session, err,
			 "%s:%s: the kernel does not let us attach to its "
			 "tracepoint: error %d",
			 enabled->event->system, enabled->event->name, err);
}
EXPORT_SYMBOL_GPL(kt_tracepoint_refuse);

int kt_tracepoint_attach(struct kt_enabled *enabled)
{
	const struct kt_event *event = enabled->event;
	int err = tracepoint_probe_register(kt_entry_tracepoint(event->entry),
					    event->class->probe, enabled);

	return err ? kt_tracepoint_refuse(enabled, err) : 0;
}

void kt_tracepoint_detach(struct kt_enabled *enabled)
{
	const struct kt_event *event = enabled->event;

	tracepoint_probe_unregister(kt_entry_tracepoint(event->entry),
				    event->class->probe, enabled);
}

struct kt_source kt_tracepoint_source = {
	.name = "tracepoint",
	.owner = THIS_MODULE,
	.attach = kt_tracepoint_attach,
	.detach = kt_tracepoint_detach,
	.synchronize = kt_tracepoints_synchronize,
	.points = &kt_tracepoints,
	.traced = true,
};
EXPORT_SYMBOL_GPL(kt_tracepoint_source);

void kt_tracepoint_init(void)
{
	kt_source_register(&kt_tracepoint_source);
}

void kt_tracepoint_exit(void)
{
	kt_source_unregister(&kt_tracepoint_source);
}
