// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe in a program that does nothing: what others are compared with (bench/probes).
 *
 * Writing "OFFSET PATH" to the debugfs file ktrace-uprobe puts it at this offset of the file, anything
 * else takes it away.  Reading tells how often it was hit.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/uaccess.h>

#include "compat/uprobe.h"

static atomic_long_t hits;
static struct kt_uprobe uprobe;
static struct path probed_path;
static bool is_on;
static DEFINE_MUTEX(lock);

static KT_UPROBE_HANDLER(hit, unused, regs)
{
	atomic_long_inc(&hits);
	return 0;
}

static struct uprobe_consumer consumer = {.handler = hit};

static void take(void)
{
	if (!is_on)
		return;
	kt_uprobe_unregister(&uprobe, &consumer);
	kt_uprobes_synchronize();
	path_put(&probed_path);
	is_on = false;
}

static int put(char *text)
{
	char *word = strsep(&text, " ");
	unsigned long offset;
	int err = kstrtoul(word, 0, &offset);

	if (err || !text)
		return -EINVAL;
	err = kern_path(text, LOOKUP_FOLLOW, &probed_path);
	if (err)
		return err;
	atomic_long_set(&hits, 0);
	err = kt_uprobe_register(&uprobe, d_real_inode(probed_path.dentry),
				 offset, 0, &consumer);
	if (err)
		path_put(&probed_path);
	is_on = !err;
	return err;
}

static ssize_t file_write(struct file *file, const char __user *from,
			  size_t size, loff_t *at)
{
	char line[400];
	int err;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, size))
		return -EFAULT;
	line[size] = '\0';
	mutex_lock(&lock);
	take();
	err = strchr(line, '/') ? put(strim(line)) : 0;
	mutex_unlock(&lock);
	return err ?: (ssize_t)size;
}

static ssize_t file_read(struct file *file, char __user *to, size_t size,
			 loff_t *at)
{
	char line[24];
	int length =
		scnprintf(line, sizeof(line), "%ld\n", atomic_long_read(&hits));

	return simple_read_from_buffer(to, size, at, line, length);
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.read = file_read,
	.write = file_write,
};

static struct dentry *entry;

static int __init uprobe_init(void)
{
	entry = debugfs_create_file("ktrace-uprobe", 0600, NULL, NULL, &fops);
	return 0;
}
module_init(uprobe_init);

static void __exit uprobe_exit(void)
{
	debugfs_remove(entry);
	take();
}
module_exit(uprobe_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A probe in a program that does nothing");
