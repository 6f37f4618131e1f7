// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file `programs': which files programs have mapped, to run what is in them, and where
 * user space gives the tables of these.
 *
 * A line for each file: its number, the process in which it was first seen, the mapping
 * there, and the path; or [vdso], or [jit] for code that the process has made.  Each reader
 * gets each line once, and can wait for the next one (poll).  The tables that were given through an open file go when it is closed.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "program/file.h"
#include "session/access.h"
#include "session/node.h"
#include "fs.h"
#include "programs_file.h"

#define PART_MAX (64u << 10)

static int programs_fop_open(struct inode *inode, struct file *file)
{
	struct kt_holder *holder;
	int err = kt_access_open();

	if (err)
		return err;
	holder = kzalloc(sizeof(*holder), GFP_KERNEL_ACCOUNT);
	if (!holder)
		return -ENOMEM;
	kt_holder_init(holder);
	file->private_data = holder;
	return 0;
}

static int programs_fop_release(struct inode *inode, struct file *file)
{
	kt_holder_exit(file->private_data);
	kfree(file->private_data);
	return 0;
}

static ssize_t programs_fop_read(struct file *file, char __user *to,
				 size_t size, loff_t *pos)
{
	ssize_t copied;
	char *part;

	size = min_t(size_t, size, PART_MAX);
	part = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!part)
		return -ENOMEM;
	copied = kt_holder_tell(file->private_data, part, size);
	if (!copied && kt_holder_has_news(file->private_data))
		copied = -EINVAL; /* no line fits */
	if (copied > 0 && copy_to_user(to, part, copied))
		copied = -EFAULT;
	kvfree(part);
	return copied;
}

static __poll_t programs_fop_poll(struct file *file, poll_table *wait)
{
	poll_wait(file, &kt_files_news, wait);
	return kt_holder_has_news(file->private_data) ? EPOLLIN | EPOLLRDNORM
						      : 0;
}

/* The bytes are copied first: nobody can change what was checked. */
static int table_add(struct kt_holder *holder, const struct kt_table *table,
		     struct file *of)
{
	void *bytes;

	if (of && !S_ISREG(file_inode(of)->i_mode))
		return -EINVAL;
	if (table->size < sizeof(struct kt_unwind_header))
		return -EBADMSG;
	if (table->size > KT_TABLES_MAX)
		return -ENOSPC;
	bytes = kvmalloc(table->size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!bytes)
		return -ENOMEM;
	if (copy_from_user(bytes, u64_to_user_ptr(table->bytes), table->size)) {
		kvfree(bytes);
		return -EFAULT;
	}
	return kt_holder_add(holder, of, bytes, table->size);
}

static long programs_fop_ioctl(struct file *file, unsigned int command,
			       unsigned long argument)
{
	struct kt_table table;
	struct file *of = NULL;
	int err;

	if (command != KT_ADD_TABLE)
		return -ENOTTY;
	if (copy_from_user(&table, (const void __user *)argument,
			   sizeof(table)))
		return -EFAULT;
	if (table.file != KT_TABLE_VDSO) {
		of = fget(table.file);
		if (!of)
			return -EBADF;
	}
	err = table_add(file->private_data, &table, of);
	if (of)
		fput(of);
	return err;
}

static const struct file_operations programs_fops = {
	.owner = THIS_MODULE,
	.open = programs_fop_open,
	.release = programs_fop_release,
	.read = programs_fop_read,
	.poll = programs_fop_poll,
	.unlocked_ioctl = programs_fop_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

const struct kt_kind kt_programs_file = {
	.name = "programs",
	.mode = KIND_BOTH,
	.fops = &programs_fops,
};
