// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks of rights, beyond the permissions of the control tree's files.
 *
 * If the kernel is locked down for confidentiality, nobody may look into it, not even root.
 * Then no file of the tree can be opened, as in tracefs.
 *
 * Users whom the mount options (gid=, mode=) let in may record everything that events tell.  With the
 * words `path' and `file' of a capture program, that is also what a system call's descriptors are: paths,
 * and the addresses of sockets, of all processes.
 * A capture program with the word `kernel' tells more: it can read any kernel memory,
 * including keys and other processes' data.  It needs CAP_PERFMON or CAP_SYS_ADMIN, as BPF
 * programs do, unless root has written 1 to the file `kernel_reads'.
 *
 * A probe in a program changes its code: who says where may break any program, or change what it
 * does.  That needs CAP_PERFMON or CAP_SYS_ADMIN, as uprobes of perf do, whatever `kernel_reads' says.
 *
 * Branches tell what a program does with its secrets: who has events record them needs CAP_SYS_PTRACE,
 * for his session and for the contexts that trace them.  Whoever may read that session sees them.
 *
 * Who may say what the kernel's code does with its stack (source/function/direct.c) needs
 * CAP_SYS_MODULE.
 *
 * The rights that count are those of the process that opened the file.  Otherwise somebody
 * could pass the open file to a privileged program and make it write there.
 */
#include <linux/capability.h>
#include <linux/export.h>
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
EXPORT_SYMBOL_GPL(kt_access_open);

void kt_access_begin(const struct file *file)
{
	lockdep_assert_held(&kt_mutex);
	written = file;
}

void kt_access_end(void)
{
	written = NULL;
}

const struct file *kt_access_file(void)
{
	lockdep_assert_held(&kt_mutex);
	return written;
}
EXPORT_SYMBOL_GPL(kt_access_file);

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
EXPORT_SYMBOL_GPL(kt_access_kernel);

bool kt_access_programs_of(const struct file *file)
{
	return file_ns_capable(file, &init_user_ns, CAP_PERFMON) ||
	       file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN);
}
EXPORT_SYMBOL_GPL(kt_access_programs_of);

int kt_access_programs(struct kt_session *session)
{
	if (written && kt_access_programs_of(written))
		return 0;
	return kt_refuse(session, -EPERM,
			 "only root may change the code of programs");
}
EXPORT_SYMBOL_GPL(kt_access_programs);

int kt_access_branches(struct kt_session *session)
{
	if (writer_capable(CAP_SYS_PTRACE))
		return 0;
	return kt_refuse(session, -EPERM,
			 "only root may see which branches programs take");
}

bool kt_access_code(void)
{
	return writer_capable(CAP_SYS_MODULE);
}
EXPORT_SYMBOL_GPL(kt_access_code);

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

/*
 * The tree may have another owner than root.  Being the owner does not suffice to write
 * here.
 */
const struct kt_kind kt_kernel_reads_file = {
	.name = "kernel_reads",
	.mode = S_IFREG | 0640,
	.show = kernel_reads_show,
	.write = kernel_reads_write,
};
