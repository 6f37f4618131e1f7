// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds the mutex of the kernel's own tracer, to test who waits for it.  For tests only;
 * never installed.
 *
 *	echo 1 >/sys/kernel/debug/ktrace-hold/hold
 *
 * holds it until the writer is killed.  The file `held' shows whether it is held.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>

#include "base/symbol.h"

static struct mutex *event_mutex;
static struct dentry *dir;
static bool held;

static ssize_t hold_write(struct file *file, const char __user *from,
			  size_t size, loff_t *pos)
{
	mutex_lock(event_mutex);
	WRITE_ONCE(held, true);
	while (!fatal_signal_pending(current))
		schedule_timeout_killable(HZ);
	WRITE_ONCE(held, false);
	mutex_unlock(event_mutex);
	return -EINTR;
}

static const struct file_operations hold_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = hold_write,
};

static int __init hold_init(void)
{
	event_mutex = (struct mutex *)kt_symbol("event_mutex");
	if (!event_mutex)
		return -ENOENT;
	dir = debugfs_create_dir("ktrace-hold", NULL);
	debugfs_create_file("hold", 0200, dir, NULL, &hold_fops);
	debugfs_create_bool("held", 0400, dir, &held);
	return 0;
}

static void __exit hold_exit(void)
{
	debugfs_remove(dir);
}

module_init(hold_init);
module_exit(hold_exit);
MODULE_DESCRIPTION("Holds a mutex, for ktrace's tests");
MODULE_LICENSE("GPL");
