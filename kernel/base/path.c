// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths of the current task's file descriptors and working directory, as /proc/PID/fd and
 * /proc/PID/cwd show them.
 *
 * Only for hooks of system calls.  Nothing here sleeps, but d_path() may take rename_lock
 * and mount_lock if other tasks keep changing the path.  So the caller must not hold these
 * locks, and must not have interrupted somebody who holds them.
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
#include "object.h"

/* d_path() writes the path, with its NUL, at the end of the buffer: move it to the begin. */
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
 * As getcwd() does, but without taking references, because dropping the last one may sleep.
 * RCU keeps dentries and mounts in existence meanwhile.
 */
static long directory_copy(char *to, u32 max)
{
	struct fs_struct *fs = current->fs;
	struct path path;
	unsigned int seq;
	long length;

	/* With PREEMPT_RT the locks of d_path() may sleep, which a probe must not do. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || unlikely(!in_task()))
		return -EFAULT;
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

/* Behind the path: a NUL, and what the file is. */
static long object_copy(char *to, struct file *file, long length, u32 max)
{
	to[length++] = '\0';
	return length + kt_object_describe(to + length, file, max - length);
}

/*
 * Takes a reference, because RCU does not keep a file open.  If another thread closes the
 * file meanwhile, our task drops the last reference.  fput() leaves that work to the task's
 * way out of the system call, as if the call itself had finished late.
 */
static __always_inline long file_copy(char *to, int fd, u32 max, bool object)
{
	struct file *file;
	long length;

	/* With PREEMPT_RT the locks of d_path() may sleep, which a probe must not do. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || unlikely(!in_task()))
		return -EFAULT;
	if (fd < 0 || unlikely(!current->files))
		return -EBADF;
	file = fget_raw(fd);
	if (!file)
		return -EBADF;
	length = path_copy(to, &file->f_path, max - object);
	if (object && length >= 0)
		length = object_copy(to, file, length, max);
	fput(file);
	return length;
}

long env_copy_path(void *to, int fd, u32 max)
{
	if (fd == AT_FDCWD)
		return directory_copy(to, max);
	return file_copy(to, fd, max, false);
}

/* The working directory is a directory. */
long env_copy_file(void *to, int fd, u32 max)
{
	long length;

	if (fd != AT_FDCWD)
		return file_copy(to, fd, max, true);
	length = directory_copy(to, max - 1);
	if (length < 0)
		return length;
	((char *)to)[length] = '\0';
	return length + 1;
}
