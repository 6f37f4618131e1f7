// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that record memory that nobody has written.  The test that looks for such bytes
 * (base/poison.c) must find them, or it would find nothing at all.
 *
 *	ktrace_leak:slot	a slot of the ring, unwritten
 *	ktrace_leak:scratch	a part of the scratch area, unwritten
 *
 * They fire whenever a task ends.
 */
#include <linux/module.h>

#include "event/buffer.h"
#include "event/event.h"
#include "event/write.h"
#include "source/tracepoint/tracepoint.h"

#define LEAK_SIZE 64

static void leak_slot(struct kt_enabled *enabled)
{
	struct kt_write write;

	kt_probe_enter();
	if (kt_write_begin(&write, enabled, LEAK_SIZE, 0))
		kt_write_end(&write, 0);
	kt_probe_exit();
}

static void leak_scratch(struct kt_enabled *enabled)
{
	struct kt_ring *ring;
	struct kt_write write;
	void *payload, *slot;

	kt_probe_enter();
	ring = kt_ring_here(enabled);
	payload = kt_scratch_take(ring->owner, LEAK_SIZE);
	if (payload) {
		slot = kt_write_begin(&write, enabled, LEAK_SIZE, 0);
		if (slot) {
			memcpy(slot, payload, LEAK_SIZE);
			kt_write_end(&write, 0);
		}
		kt_scratch_give(ring->owner, payload);
	}
	kt_probe_exit();
}

static const struct kt_field fields[] = {
	{.type = "u8[64]",
	 .name = "bytes",
	 .size = LEAK_SIZE,
	 .len = LEAK_SIZE},
};

#define LEAK(what)                                    \
	static const struct kt_class class_##what = { \
		.fields = fields,                     \
		.nr_fields = ARRAY_SIZE(fields),      \
		.size = LEAK_SIZE,                    \
		.probe = leak_##what,                 \
		.print = "\"%u\", REC->bytes[0]",     \
	};                                            \
	static struct kt_event event_##what = {       \
		.system = "ktrace_leak",              \
		.name = #what,                        \
		.point = "sched_process_exit",        \
		.class = &class_##what,               \
		.source = &kt_tracepoint_source,      \
		.owner = THIS_MODULE,                 \
	}

LEAK(slot);
LEAK(scratch);

static struct kt_event *const events[] = {&event_slot, &event_scratch};

static struct kt_event_set set = {
	.owner = THIS_MODULE,
	.events = events,
	.nr_events = ARRAY_SIZE(events),
};

static int __init leak_init(void)
{
	return kt_events_register(&set);
}

static void __exit leak_exit(void)
{
	kt_events_unregister(&set);
}

module_init(leak_init);
module_exit(leak_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION(
	"ktrace: records memory that was not written, for its tests");
