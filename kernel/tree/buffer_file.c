// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of a CPU's buffer: mmap, poll, ioctl.  An open file keeps its session and all of
 * the session's buffers (event/buffer.h).  And the file that says which CPUs have one.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "buffer_file.h"
#include "compat/fs.h"
#include "event/buffer.h"
#include "fs.h"
#include "session/access.h"
#include "session/gone.h"
#include "session/node.h"
#include "session/session.h"
#include "session/stacks.h"

static struct kt_buffer *file_buffer(struct file *file)
{
	return file->private_data;
}

static int buffer_fop_open(struct inode *inode, struct file *file)
{
	const struct kt_node *node = kt_node_of(inode);
	struct kt_session *session = node->session;
	int err = kt_access_open();

	if (err)
		return err;
	mutex_lock(&kt_mutex);
	err = session->dead ? -ENODEV
			    : kt_buffer_open(&session->buffers, node->cpu);
	if (err == -EBUSY)
		kt_refuse(session, err, "process %d is recording already",
			  session->buffers.owner);
	else if (err == -ENOMEM)
		kt_refuse(session, err, "no memory for the buffer");
	if (err)
		kt_session_blame(session, file);
	else
		file->private_data = session->buffers.cpus[node->cpu];
	mutex_unlock(&kt_mutex);
	return err;
}

static int buffer_fop_release(struct inode *inode, struct file *file)
{
	kt_buffer_release(&kt_node_of(inode)->session->buffers);
	return 0;
}

/* Read-only forever: VM_MAYWRITE is cleared, so that mprotect() cannot make it writable. */
static int buffer_fop_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct kt_buffer *buffer = file_buffer(file);
	unsigned long pages = buffer->nr_pages, nr = vma_pages(vma);

	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	if (vma->vm_pgoff > pages || nr > pages - vma->vm_pgoff)
		return -EINVAL;
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYWRITE | VM_MAYEXEC);
	/*
	 * Map all pages now, so that reading the buffer later causes no page faults, which
	 * might be traced.
	 */
	return vm_insert_pages(vma, vma->vm_start,
			       buffer->pages + vma->vm_pgoff, &nr);
}

static __poll_t buffer_fop_poll(struct file *file, poll_table *wait)
{
	struct kt_buffer *buffer = file_buffer(file);
	struct kt_control *control = buffer->ring->control;

	poll_wait(file, &buffer->readers, wait);
	if (READ_ONCE(control->produced) != READ_ONCE(control->consumed))
		return EPOLLIN | EPOLLRDNORM;
	return 0;
}

static long buffer_fop_ioctl(struct file *file, unsigned int command,
			     unsigned long data)
{
	struct kt_buffer *buffer = file_buffer(file);
	struct kt_control *control = buffer->ring->control;
	u64 __user *arg = (u64 __user *)data;
	u64 seq;

	switch (command) {
	case KT_GET_SIZE:
		return put_user((u64)buffer->ring->control->packets
					<< KT_PACKET_SHIFT,
				arg);
	case KT_GET_PRODUCED:
		/* Pair A of core/ring.h, for a reader that does not use the mapping. */
		return put_user(smp_load_acquire(&control->produced), arg);
	case KT_GET_CONSUMED:
		return put_user(READ_ONCE(control->consumed), arg);
	case KT_PUT_CONSUMED:
		return get_user(seq, arg) ? -EFAULT
					  : kt_buffer_consume(buffer, seq);
	case KT_FLUSH:
		return kt_buffer_flush(buffer);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations buffer_fops = {
	.owner = THIS_MODULE,
	.open = buffer_fop_open,
	.release = buffer_fop_release,
	.mmap = buffer_fop_mmap,
	.poll = buffer_fop_poll,
	.unlocked_ioctl = buffer_fop_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

/* ---- the directory ------------------------------------------------------------- */

static bool cpu_shown(const struct kt_session *session, unsigned int cpu)
{
	return cpumask_test_cpu(cpu, session->buffers.wanted) &&
	       (cpu_present(cpu) || session->buffers.cpus[cpu]);
}

static const struct kt_kind buffer_file = {
	.mode = KIND_READ,
	.fops = &buffer_fops,
};

static bool buffers_find(const struct kt_node *dir, const char *name,
			 size_t length, struct kt_node *child)
{
	char canonical[KT_CHILD_NAME_SIZE];
	unsigned int cpu;

	if (length >= sizeof(canonical) || sscanf(name, "cpu%u", &cpu) != 1 ||
	    cpu >= nr_cpu_ids || !cpu_possible(cpu) ||
	    !cpu_shown(dir->session, cpu))
		return false;
	if (snprintf(canonical, sizeof(canonical), "cpu%u", cpu) != length ||
	    memcmp(canonical, name, length))
		return false;
	child->kind = &buffer_file;
	child->cpu = cpu;
	return true;
}

static bool buffers_next(const struct kt_node *dir, unsigned long *pos,
			 char *name)
{
	for (; *pos < nr_cpu_ids; ++*pos) {
		if (!cpu_possible(*pos) || !cpu_shown(dir->session, *pos))
			continue;
		snprintf(name, KT_CHILD_NAME_SIZE, "cpu%lu", *pos);
		return true;
	}
	return false;
}

const struct kt_kind kt_buffers_dir = {
	.name = "buffers",
	.mode = KIND_DIR,
	.find = buffers_find,
	.next = buffers_next,
};

/* ---- which CPUs, and of what size ------------------------------------------------ */

int kt_buffer_settings(struct kt_session *session, enum kt_mode mode,
		       u32 packets, const struct cpumask *wanted)
{
	int err;

	if (mode == session->buffers.mode &&
	    packets == session->buffers.packets &&
	    cpumask_equal(wanted, session->buffers.wanted))
		return 0;
	if (session->enabled)
		return kt_refuse(session, -EBUSY,
				 "the session is enabled: disable it first");
	err = kt_buffers_change(&session->buffers, mode, packets, wanted);
	if (err)
		return kt_refuse(session, err,
				 "process %d has the buffers open",
				 session->buffers.owner);
	kt_gone_forget(session);
	kt_stacks_forget(session);
	return 0;
}

static int cpus_show(struct seq_file *m, const struct kt_node *node)
{
	const struct cpumask *wanted = node->session->buffers.wanted;

	if (cpumask_equal(wanted, cpu_possible_mask))
		seq_puts(m, "all\n");
	else
		seq_printf(m, "%*pbl\n", cpumask_pr_args(wanted));
	return 0;
}

static int cpus_parse(struct kt_session *session, char *text,
		      struct cpumask *cpus)
{
	int err;

	if (!strcmp(text, "all")) {
		cpumask_copy(cpus, cpu_possible_mask);
		return 0;
	}
	err = cpulist_parse(text, cpus);
	if ((err && err != -ERANGE) || (!err && cpumask_empty(cpus)))
		return kt_refuse(
			session, -EINVAL,
			"numbers of CPUs are wanted, like 0,2-3, or all");
	if (err || !cpumask_subset(cpus, cpu_possible_mask))
		return kt_refuse(session, -ENODEV, "the machine has CPUs %*pbl",
				 cpumask_pr_args(cpu_possible_mask));
	return 0;
}

static int cpus_write(const struct kt_node *node, char *text)
{
	struct kt_session *session = node->session;
	cpumask_var_t cpus;
	int err;

	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	err = cpus_parse(session, strim(text), cpus);
	if (!err)
		err = kt_buffer_settings(session, session->buffers.mode,
					 session->buffers.packets, cpus);
	free_cpumask_var(cpus);
	return err;
}

const struct kt_kind kt_cpus_file = {
	.name = "cpus",
	.mode = KIND_BOTH,
	.show = cpus_show,
	.write = cpus_write,
};
