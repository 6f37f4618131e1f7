// SPDX-License-Identifier: GPL-2.0-only
/*
 * A console with a lock, and markers at places where printing is dangerous.  For tests
 * only; never installed.
 *
 *	echo COUNT >/sys/module/ktrace_console/parameters/locked
 *		hits a marker COUNT times while holding the console's lock
 *	echo 1 >/sys/module/ktrace_console/parameters/nested
 *		prints a line; while it is stored, a marker is hit; that prints a line
 *		too, and so on
 *
 * Other parameters:
 *
 *	deadlocks	how often the console was called while the CPU held its lock
 *	lines		how many lines of the marker the console has written
 *	hits		how often the nested marker was hit
 */
#include <linux/console.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <ktrace/marker.h>

static DEFINE_RAW_SPINLOCK(lock);
static int holder = -1; /* the CPU that hits the marker */

static int deadlocks, lines, hits;
module_param(deadlocks, int, 0400);
module_param(lines, int, 0400);
module_param(hits, int, 0400);

static void console_write(struct console *console, const char *text,
			  unsigned int length)
{
	unsigned long flags;

	if (READ_ONCE(holder) == raw_smp_processor_id()) {
		deadlocks++;
		return;
	}
	raw_spin_lock_irqsave(&lock, flags);
	if (strnstr(text, "ktrace_console:locked: ", length))
		lines++;
	raw_spin_unlock_irqrestore(&lock, flags);
}

static struct console console = {
	.name = "ktrace",
	.write = console_write,
	.flags = CON_ENABLED,
	.index = -1,
};

static int locked_set(const char *value, const struct kernel_param *param)
{
	unsigned int count, i;
	unsigned long flags;
	int err = kstrtouint(value, 0, &count);

	if (err)
		return err;
	raw_spin_lock_irqsave(&lock, flags);
	WRITE_ONCE(holder, raw_smp_processor_id());
	for (i = 0; i < count; i++)
		KTRACE(locked, "number %u", i);
	WRITE_ONCE(holder, -1);
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

static const struct kernel_param_ops locked_ops = {.set = locked_set};
module_param_cb(locked, &locked_ops, NULL, 0200);

/* Called for each message while it is stored. */
static void probe_console(void *data, const char *text, size_t length)
{
	if (!strnstr(text, "ktrace_console:", length))
		return;
	hits++;
	KTRACE(nested, "hit %d", hits);
}

static void point_find(struct tracepoint *tp, void *found)
{
	if (!strcmp(tp->name, "console"))
		*(struct tracepoint **)found = tp;
}

static int nested_set(const char *value, const struct kernel_param *param)
{
	struct tracepoint *tp = NULL;
	int err;

	for_each_kernel_tracepoint(point_find, &tp);
	if (!tp)
		return -ENOENT;
	err = tracepoint_probe_register(tp, probe_console, NULL);
	if (err)
		return err;
	pr_info("ktrace_console: begin\n");
	tracepoint_probe_unregister(tp, probe_console, NULL);
	tracepoint_synchronize_unregister();
	return 0;
}

static const struct kernel_param_ops nested_ops = {.set = nested_set};
module_param_cb(nested, &nested_ops, NULL, 0200);

static int __init delicate_init(void)
{
	register_console(&console);
	return 0;
}

static void __exit delicate_exit(void)
{
	unregister_console(&console);
}

module_init(delicate_init);
module_exit(delicate_exit);
MODULE_DESCRIPTION("A console with a lock, for ktrace's tests");
MODULE_LICENSE("GPL");
