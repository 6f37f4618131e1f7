// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file `stacks' of a session: all stacks that it has stored.  It only grows, until the
 * buffers are emptied, so a reader goes on where it has stopped.  The file `stack': which
 * events have stacks (session/stacks.c).
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "event/depot.h"
#include "session/access.h"
#include "session/node.h"
#include "session/session.h"
#include "session/stacks.h"
#include "fs.h"
#include "stacks_file.h"

#define PART_MAX (64u << 10)

static int stacks_fop_open(struct inode *inode, struct file *file)
{
	return kt_access_open();
}

/* Copies up to @size bytes from @from on. */
static ssize_t part_copy(struct kt_session *session, void *to, size_t size,
			 loff_t from)
{
	const struct kt_depot *depot;
	size_t end;

	lockdep_assert_held(&kt_mutex);
	if (session->dead)
		return -ENODEV;
	depot = session->depot;
	if (!depot)
		return 0;
	end = kt_depot_show(session->depot);
	if (from >= end)
		return 0;
	size = min_t(u64, size, end - from);
	memcpy(to, (const char *)depot->words + from, size);
	return size;
}

/* The copy to the program may wait for a page, so the lock is not held meanwhile. */
static ssize_t stacks_fop_read(struct file *file, char __user *to, size_t size,
			       loff_t *pos)
{
	const struct kt_node *node = kt_node_of(file_inode(file));
	ssize_t copied;
	void *part;

	size = min_t(size_t, size, PART_MAX);
	part = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!part)
		return -ENOMEM;
	mutex_lock(&kt_mutex);
	copied = part_copy(node->session, part, size, *pos);
	mutex_unlock(&kt_mutex);
	if (copied > 0 && copy_to_user(to, part, copied))
		copied = -EFAULT;
	if (copied > 0)
		*pos += copied;
	kvfree(part);
	return copied;
}

static const struct file_operations stacks_fops = {
	.owner = THIS_MODULE,
	.open = stacks_fop_open,
	.read = stacks_fop_read,
	.llseek = default_llseek,
};

const struct kt_kind kt_stacks_file = {
	.name = "stacks",
	.mode = KIND_READ,
	.fops = &stacks_fops,
};

/* ---- which events have them ------------------------------------------------ */

static int stack_show(struct seq_file *m, const struct kt_node *node)
{
	kt_stack_file_show(m, node->session);
	return 0;
}

static int stack_write(const struct kt_node *node, char *text)
{
	return kt_stack_file_write(node->session, text);
}

const struct kt_kind kt_stack_file = {
	.name = "stack",
	.mode = KIND_BOTH,
	.show = stack_show,
	.show_size = 16 * PAGE_SIZE,
	.write = stack_write,
	.write_max = 256 << 10,
};
