// SPDX-License-Identifier: GPL-2.0-only
/*
 * A complete source of events of a new kind, which have no tracepoints.  For tests only;
 * never installed.
 *
 *	knock:first, knock:second
 *
 * Writing COUNT to the file `knock' of the control tree hits each event COUNT times on each
 * CPU, in an interrupt.  A session's file `knock_limit' sets how many hits of both events
 * it still takes (0: all); the others are missed, and counted.
 *
 * The parameter `fails' makes something fail: `lacks': the source cannot serve on this
 * machine; `attach': the second event cannot be attached; `commit': nothing can be
 * committed.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "event/event.h"
#include "event/write.h"
#include "session/session.h"
#include "session/sources.h"
#include "session/node.h"

#define COUNT_MAX 10000

enum which {
	FIRST,
	SECOND,
	EVENTS,
};

/* One for each session. */
struct knocks {
	struct list_head node; /* in the list of those with an attached event */
	struct kt_enabled *attached[EVENTS];
	struct kt_enabled __rcu *hit[EVENTS]; /* the same, once committed */
	u64 limit;
	atomic64_t taken;
	atomic64_t missed;
};

struct knock {
	u32 number;
	u32 cpu;
};

static char fails[8];
module_param_string(fails, fails, sizeof(fails), 0600);

/* If not 0, loading fails after the source was registered for so many seconds. */
static unsigned int fails_after;
module_param(fails_after, uint, 0);

static LIST_HEAD(all);
static struct kt_event events[EVENTS];
static struct kt_source source;

/* A value that was written to a parameter ends with a newline. */
static bool fail(const char *what)
{
	return sysfs_streq(fails, what);
}

/* ---- hits ----------------------------------------------------------------- */

static void knock_record(struct knocks *knocks, struct kt_enabled *enabled,
			 u32 number)
{
	u64 limit = READ_ONCE(knocks->limit);
	struct kt_write write;
	struct knock *knock;

	if (limit && atomic64_inc_return(&knocks->taken) > limit) {
		atomic64_inc(&knocks->missed);
		return;
	}
	kt_probe_enter();
	knock = kt_write_begin(&write, enabled, sizeof(*knock), 0);
	if (knock) {
		knock->number = number;
		knock->cpu = smp_processor_id();
		kt_write_end(&write, 0);
	}
	kt_probe_exit();
}

static void knock_all(void *data)
{
	u32 number, count = *(u32 *)data;
	struct knocks *knocks;

	for (number = 0; number < count; number++) {
		rcu_read_lock();
		list_for_each_entry_rcu(knocks, &all, node) {
			enum which which;

			for (which = 0; which < EVENTS; which++) {
				struct kt_enabled *enabled =
					rcu_dereference(knocks->hit[which]);

				if (enabled)
					knock_record(knocks, enabled, number);
			}
		}
		rcu_read_unlock();
	}
}

/* ---- attaching ------------------------------------------------------------ */

static const char *knock_unsupported(void)
{
	return fail("lacks") ? "there is no door" : NULL;
}

static int knock_attach(struct kt_enabled *enabled)
{
	enum which which = enabled->event - events;
	struct knocks *knocks = enabled->state;

	if (which == SECOND && fail("attach"))
		return kt_refuse(enabled->session, -EIO, "the door is stuck");
	if (!knocks->attached[FIRST] && !knocks->attached[SECOND])
		list_add_rcu(&knocks->node, &all);
	knocks->attached[which] = enabled;
	return 0;
}

static int knock_commit(struct kt_session *session)
{
	struct knocks *knocks = kt_source_state(session, &source);
	enum which which;

	if (fail("commit"))
		return kt_refuse(session, -EIO, "nobody opens");
	for (which = 0; which < EVENTS; which++)
		rcu_assign_pointer(knocks->hit[which], knocks->attached[which]);
	return 0;
}

static void knock_detach(struct kt_enabled *enabled)
{
	enum which which = enabled->event - events;
	struct knocks *knocks = enabled->state;

	RCU_INIT_POINTER(knocks->hit[which], NULL);
	knocks->attached[which] = NULL;
	if (!knocks->attached[FIRST] && !knocks->attached[SECOND])
		list_del_rcu(&knocks->node);
}

static u64 knock_missed(const void *state, unsigned int reason)
{
	const struct knocks *knocks = state;

	return atomic64_read(&knocks->missed);
}

/* ---- files ---------------------------------------------------------------- */

static int knock_write(const struct kt_node *node, char *text)
{
	u32 count;

	if (kstrtou32(text, 10, &count) || count > COUNT_MAX)
		return kt_refuse(node->session, -EINVAL,
				 "a number up to %u is wanted", COUNT_MAX);
	on_each_cpu(knock_all, &count, true);
	return 0;
}

static int limit_write(const struct kt_node *node, char *text)
{
	struct knocks *knocks = kt_source_state_make(node->session, &source);
	u64 limit;

	if (!knocks)
		return kt_refuse(node->session, -ENOMEM, "no memory");
	if (kstrtou64(text, 10, &limit))
		return kt_refuse(node->session, -EINVAL,
				 "a number of hits is wanted");
	atomic64_set(&knocks->taken, 0);
	WRITE_ONCE(knocks->limit, limit);
	return 0;
}

static int limit_show(struct seq_file *m, const struct kt_node *node)
{
	const struct knocks *knocks = kt_source_state(node->session, &source);

	seq_printf(m, "%llu\n", knocks ? knocks->limit : 0);
	return 0;
}

static const struct kt_kind knock_file = {
	.name = "knock",
	.mode = S_IFREG | 0220,
	.write = knock_write,
};

static const struct kt_kind limit_file = {
	.name = "knock_limit",
	.mode = S_IFREG | 0660,
	.show = limit_show,
	.write = limit_write,
};

/* ---- what there is -------------------------------------------------------- */

static const struct kt_kind *const root_files[] = {&knock_file, NULL};
static const struct kt_kind *const session_files[] = {&limit_file, NULL};

static struct kt_source source = {
	.name = "knock",
	.owner = THIS_MODULE,
	.root_files = root_files,
	.session_files = session_files,
	.state_size = sizeof(struct knocks),
	.unsupported = knock_unsupported,
	.attach = knock_attach,
	.commit = knock_commit,
	.detach = knock_detach,
	.synchronize = synchronize_rcu,
	.missed = knock_missed,
};

static const struct kt_field fields[] = {
	{.type = "u32", .name = "number", .size = 4},
	{.type = "u32", .name = "cpu", .offset = 4, .size = 4},
};

static const struct kt_class class = {
	.fields = fields,
	.nr_fields = ARRAY_SIZE(fields),
	.size = sizeof(struct knock),
	.print = "\"number=%u cpu=%u\", REC->number, REC->cpu",
};

#define KNOCK(_name)                                               \
	{                                                          \
		.system = "knock", .name = _name, .class = &class, \
		.source = &source, .owner = THIS_MODULE,           \
	}

static struct kt_event events[EVENTS] = {KNOCK("first"), KNOCK("second")};
static struct kt_event *const list[] = {&events[FIRST], &events[SECOND]};

static struct kt_event_set set = {
	.owner = THIS_MODULE,
	.events = list,
	.nr_events = ARRAY_SIZE(list),
};

static int __init knock_init(void)
{
	int err;

	kt_source_register(&source);
	if (fails_after) {
		ssleep(fails_after);
		kt_source_unregister(&source);
		return -EIO;
	}
	err = kt_events_register(&set);
	if (err)
		kt_source_unregister(&source);
	return err;
}

static void __exit knock_exit(void)
{
	kt_events_unregister(&set);
	kt_source_unregister(&source);
}

module_init(knock_init);
module_exit(knock_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ktrace: a source of events that its tests fire");
