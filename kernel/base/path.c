// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths of what is behind the file descriptors of the task that runs: what
 * /proc/PID/fd and /proc/PID/cwd show of it.
 *
 * For hooks of system calls only.  Nobody waits for anything here, but d_path() takes
 * rename_lock and mount_lock if others keep changing what it looks at: whoever comes
 * here must hold neither, nor have interrupted somebody who does.
 */
#include <linux/dcache.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "compat/path.h"
#include "env.h"

/* d_path() writes it at the end of the room that it has, with its NUL. */
static long path_copy(char *to, const struct path *path, u32 max)
{
	char *begin = d_path(path, to, max + 1);
	long length;

	if (IS_ERR(begin))
		return PTR_ERR(begin);
	length = to + max - begin;
	memmove(to, begin, length);
	return length;
}

/*
 * As getcwd() does it, without a reference: to drop the last one may sleep.  Dentries
 * and mounts outlive those who look at them under RCU.
 */
static long directory_copy(char *to, u32 max)
{
	struct fs_struct *fs = current->fs;
	struct path path;
	unsigned int seq;
	long length;

	if (unlikely(!fs))
		return -EBADF;
	rcu_read_lock();
	do {
		seq = kt_fs_begin(fs);
		path = fs->pwd;
	} while (kt_fs_retry(fs, seq));
	length = path_copy(to, &path, max);
	rcu_read_unlock();
	return length;
}

/*
 * A reference is needed, as files do not outlive those who look.  Should another thread
 * close the file in between, it is our task that releases it, on its way out of the
 * call, as if it had been late in the call itself: fput() leaves that for later.
 */
long env_copy_path(void *to, int fd, u32 max)
{
	struct file *file;
	long length;

	/* Where those locks sleep, they are not for probes. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || unlikely(!in_task()))
		return -EFAULT;
	if (fd == AT_FDCWD)
		return directory_copy(to, max);
	if (fd < 0 || unlikely(!current->files))
		return -EBADF;
	file = fget_raw(fd);
	if (!file)
		return -EBADF;
	length = path_copy(to, &file->f_path, max);
	fput(file);
	return length;
}
