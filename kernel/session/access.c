// SPDX-License-Identifier: GPL-2.0-only
/*
 * What rights are asked for beyond those to the control tree's files.
 *
 * A kernel that is locked down for confidentiality lets nobody, not even root, look
 * into it: no file of the tree is opened then, as in tracefs.
 *
 * Whom the mount lets in (gid=, mode=) may record all that events tell.  A capture
 * program with the word `kernel' tells more: it may read any kernel memory, keys and
 * other processes' data included.  That takes CAP_PERFMON or CAP_SYS_ADMIN, as it does
 * for BPF programs, unless root has written 1 to the file `kernel_reads'.
 *
 * Rights are those of who opened the file, so that nobody can have a privileged program
 * write there in its place.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "access.h"
#include "session.h"
#include "session/node.h"

/* Both under kt_mutex. */
static const struct file *written;
static bool kernel_reads;

int kt_access_open(void)
{
	return security_locked_down(LOCKDOWN_TRACEFS);
}

void kt_access_begin(const struct file *file)
{
	lockdep_assert_held(&kt_mutex);
	written = file;
}

void kt_access_end(void)
{
	written = NULL;
}

static bool writer_capable(int capability)
{
	return written && file_ns_capable(written, &init_user_ns, capability);
}

int kt_access_kernel(struct kt_session *session)
{
	int err = security_locked_down(LOCKDOWN_BPF_READ_KERNEL);

	if (err)
		return kt_refuse(session, err,
				 "the kernel is locked down: its memory is not "
				 "read");
	if (kernel_reads || writer_capable(CAP_PERFMON) ||
	    writer_capable(CAP_SYS_ADMIN))
		return 0;
	return kt_refuse(session, -EPERM,
			 "only root may read kernel memory, unless root writes "
			 "1 to the file kernel_reads");
}

static int kernel_reads_show(struct seq_file *m, const struct kt_node *node)
{
	seq_printf(m, "%d\n", kernel_reads);
	return 0;
}

static int kernel_reads_write(const struct kt_node *node, char *text)
{
	bool value;

	if (!writer_capable(CAP_SYS_ADMIN))
		return kt_refuse(node->session, -EPERM,
				 "only root may let others read kernel memory");
	text = strim(text);
	value = text[0] == '1';
	if (strcmp(text, value ? "1" : "0"))
		return kt_refuse(node->session, -EINVAL,
				 "0 or 1 is wanted, not \"%*pE\"",
				 (int)min_t(size_t, strlen(text), 60), text);
	kernel_reads = value;
	return 0;
}

/* The owner may be somebody else than root, too, and is not let in by that alone. */
const struct kt_kind kt_kernel_reads_file = {
	.name = "kernel_reads",
	.mode = S_IFREG | 0640,
	.show = kernel_reads_show,
	.write = kernel_reads_write,
};
