// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions with known arguments and results, called when asked.  For tests only; never
 * installed.
 *
 * A write to debugfs ktrace-callee/run is one command, of which any number may run:
 *
 *	calls COUNT	each of the functions, COUNT times
 *	types		each of callee_typed.c, once
 *	pointees	each of callee_pointed.c, once
 *	jump COUNT	jump_first(), which ends with a jump to another function, as that
 *			does, COUNT times
 *	deep DEPTH	callee_deep(), which calls itself DEPTH times
 *	sleep		callee_sleep(), until the writer is killed
 *	pause MS	callee_pause(), which takes so long
 *	patch		callee_error() is replaced, as by a live patch, until the module goes
 *	nest COUNT	callee_outer(), which calls two others, and one of these by
 *			itself, COUNT times
 *	alter COUNT	altered_text(), which changes what its argument points to
 *	warn		warning_outer(), below which the kernel warns
 *	hold		altered_sleep(), which does the same and sleeps until the writer is
 *			killed
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "callee.h"
#include "compat/function.h"

CALLEE u64 callee_six(u8 a, u16 b, u32 c, u64 d, const char *e, s64 f);
CALLEE int callee_error(int number);
CALLEE void callee_nothing(u64 number);
CALLEE u64 callee_deep(u64 depth);
CALLEE int callee_sleep(void);
CALLEE void callee_pause(unsigned int ms);
CALLEE int callee_outer(int number);
CALLEE int callee_middle(int number);
CALLEE int callee_inner(int number);

CALLEE u64 callee_six(u8 a, u16 b, u32 c, u64 d, const char *e, s64 f)
{
	return a + b + c + d + strlen(e) + f;
}

CALLEE int callee_error(int number)
{
	return -number;
}

CALLEE void callee_nothing(u64 number)
{
}

static CALLEE int callee_same(int number)
{
	return number + 1;
}

CALLEE u64 callee_deep(u64 depth)
{
	u64 deeper = depth ? callee_deep(depth - 1) : 0;

	/* Not a tail call. */
	barrier();
	return depth ? deeper + 1 : 0;
}

CALLEE int callee_sleep(void)
{
	while (!signal_pending(current))
		msleep_interruptible(1000);
	return -EINTR;
}

CALLEE void callee_pause(unsigned int ms)
{
	ktime_t end = ktime_add_ms(ktime_get(), ms);

	while (ktime_before(ktime_get(), end))
		cpu_relax();
}

CALLEE int callee_inner(int number)
{
	return -number;
}

CALLEE int callee_middle(int number)
{
	int result = callee_inner(number + 1);

	barrier();
	return result - 1;
}

CALLEE int callee_outer(int number)
{
	int result = callee_middle(number);

	barrier();
	return result + callee_inner(2 * number);
}

/* No functions callee_*: tests know how many of these there are. */
CALLEE int altered_text(char *text, int number);
CALLEE int altered_sleep(char *text);

CALLEE int altered_text(char *text, int number)
{
	memset(text, 'x', strlen(text));
	return -number;
}

CALLEE int altered_sleep(char *text)
{
	memset(text, 'x', strlen(text));
	while (!signal_pending(current))
		msleep_interruptible(1000);
	return -EINTR;
}

CALLEE int warning_inner(int number);
CALLEE int warning_outer(int number);

CALLEE int warning_inner(int number)
{
	WARN(1, "ktrace: a test warns\n");
	return -number;
}

CALLEE int warning_outer(int number)
{
	int result = warning_inner(number + 1);

	barrier();
	return result - 1;
}

/* The text is gone when this returns. */
static int alter(unsigned long count, bool sleep)
{
	char text[16];

	while (count--) {
		strscpy(text, "at the entry", sizeof(text));
		altered_text(text, 7);
	}
	strscpy(text, "held", sizeof(text));
	return sleep ? altered_sleep(text) : 0;
}

static CALLEE int patched_error(int number)
{
	return number + 1;
}

/* A hook that lets the function go on elsewhere, as a live patch does. */
static void patch_hit(unsigned long ip, unsigned long caller,
		      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	kt_function_registers(fregs)->ip = (unsigned long)patched_error;
}

static struct ftrace_ops patch = {
	.func = patch_hit,
	.flags = FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED | FTRACE_OPS_FL_IPMODIFY,
};

static bool patched;

static int patch_make(void)
{
	char name[] = "callee_error";
	int err = patched ? -EBUSY : 0;

	err = err ?: ftrace_set_filter(&patch, name, strlen(name), 1);
	err = err ?: register_ftrace_function(&patch);
	patched = patched || !err;
	return err;
}

static struct dentry *dir;

static int run(const char *text)
{
	unsigned long count;

	if (sysfs_streq(text, "sleep"))
		return callee_sleep();
	if (sysfs_streq(text, "patch"))
		return patch_make();
	if (sysfs_streq(text, "types"))
		return typed_all();
	if (sysfs_streq(text, "pointees"))
		return pointed_all(dir);
	if (sysfs_streq(text, "warn"))
		return warning_outer(1) == -3 ? 0 : -EIO;
	if (sscanf(text, "jump %lu", &count) == 1) {
		while (count--) {
			if (jump_all(10) != -12)
				return -EIO;
		}
		return 0;
	}
	if (sscanf(text, "deep %lu", &count) == 1)
		return callee_deep(count) == count ? 0 : -EIO;
	if (sscanf(text, "pause %lu", &count) == 1) {
		callee_pause(count);
		return 0;
	}
	if (sscanf(text, "nest %lu", &count) == 1) {
		while (count--) {
			callee_outer(10);
			callee_inner(30);
		}
		return 0;
	}
	if (sysfs_streq(text, "hold"))
		return alter(0, true);
	if (sscanf(text, "alter %lu", &count) == 1)
		return alter(count, false);
	if (sscanf(text, "calls %lu", &count) != 1)
		return -EINVAL;
	while (count--) {
		callee_six(1, 2, 3, 4, "five", -6);
		callee_error(EINVAL);
		callee_nothing(7);
		callee_same(8);
		callee_same_other(9);
	}
	return 0;
}

static ssize_t run_write(struct file *file, const char __user *from,
			 size_t size, loff_t *pos)
{
	char text[32] = "";
	int err;

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, size))
		return -EFAULT;
	err = run(text);
	return err ?: size;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = run_write,
};

static int __init callee_init(void)
{
	dir = debugfs_create_dir("ktrace-callee", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	return 0;
}

static void __exit callee_exit(void)
{
	debugfs_remove(dir);
	if (patched)
		unregister_ftrace_function(&patch);
}

module_init(callee_init);
module_exit(callee_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ktrace: functions that its tests call");
