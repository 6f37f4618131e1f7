// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "value.h"

#define STRING_MAX 8192

static const struct {
	const char *name;
	const char *calls;
} groups[] = {
	{"%file",
	 "open* creat newstat newlstat newfstatat statx statfs access faccessat* "
	 "execve execveat chdir rename* mkdir* rmdir link linkat unlink unlinkat "
	 "symlink* readlink* chmod fchmodat chown lchown fchownat mknod* utime* "
	 "futimesat truncate* stat64 lstat64 fstatat64 oldstat oldlstat chown32 "
	 "lchown32 statfs64 mount umount umount2 chroot pivot_root getcwd swapon swapoff "
	 "acct *xattr inotify_add_watch name_to_handle_at quotactl uselib"},
	{"%desc",
	 "read write open openat openat2 creat close close_range *fstat* statx "
	 "poll ppoll* select _newselect pselect6* lseek _llseek mmap mmap2 ioctl pread* pwrite* readv "
	 "writev dup* sendfile* fcntl* flock fsync fdatasync ftruncate* getdents* "
	 "fch* fallocate epoll_* eventfd* signalfd* timerfd_* inotify_* splice "
	 "tee vmsplice copy_file_range pipe* memfd_create *at sync_file_range "
	 "readahead fadvise64* pidfd_* io_uring_*"},
	{"%net", "socket* connect accept* send* recv* shutdown bind listen "
		 "getsockname getpeername getsockopt setsockopt"},
	{"%process",
	 "fork vfork clone clone3 execve execveat exit exit_group wait4 waitid waitpid "
	 "kill tkill tgkill pidfd_send_signal rt_sigqueueinfo unshare setns"},
	{"%signal", "rt_sig* sigaltstack kill tkill tgkill pause signalfd* "
		    "pidfd_send_signal signal sigaction sigprocmask sigpending "
		    "sigsuspend sigreturn sgetmask ssetmask"},
	{"%memory",
	 "mmap mmap2 munmap mprotect pkey_mprotect mremap brk madvise mlock* munlock* "
	 "mincore msync remap_file_pages mbind migrate_pages move_pages "
	 "set_mempolicy* get_mempolicy memfd_*"},
	{"%ipc", "ipc shm* sem* msg* mq_*"},
};

/*
 * Calls in which 32-bit programs make others.  If the arguments of the other one cannot be read, what
 * is recorded is this one.
 */
static const struct {
	const char *name;
	const char *others;
} makers[] = {
	{"socketcall",
	 "socket bind connect listen accept getsockname getpeername socketpair "
	 "send recv sendto recvfrom shutdown setsockopt getsockopt sendmsg recvmsg "
	 "accept4 recvmmsg recvmmsg_time32 sendmmsg"},
	{"ipc",
	 "semop semget semctl semtimedop semtimedop_time32 msgsnd msgrcv msgget msgctl "
	 "shmat shmdt shmget shmctl"},
	{"old_select", "select_time32"},
	{"old_mmap", "mmap"},
};

static int events_add(struct selection *s, const char *system, const char *name,
		      bool exclude, bool optional)
{
	const char *not = exclude ? "!" : "";
	char pattern[512];

	snprintf(pattern, sizeof(pattern), "%s%s:sys_enter_%s,%s%s:sys_exit_%s",
		 not, system, name, not, system, name);
	return selection_add_calls(s, pattern, optional);
}

static bool word_matches(const char *words, const char *pattern)
{
	char word[32];
	int length;

	for (; sscanf(words, " %31s%n", word, &length) == 1; words += length)
		if (ktrace_pattern_match(pattern, "", word))
			return true;
	return false;
}

const char *calls_maker(const char *name, size_t index)
{
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (word_matches(makers[i].others, name) && !index--)
			return makers[i].name;
	return NULL;
}

static int call_add(struct selection *s, const char *name, bool exclude,
		    bool optional)
{
	int err = events_add(s, "*syscalls", name, exclude, optional);
	const char *maker;

	if (exclude)
		return err;
	for (size_t i = 0; !err && (maker = calls_maker(name, i)); i++)
		err = events_add(s, "compat_syscalls", maker, false, true);
	return err;
}

static int group_add(struct selection *s, const char *name, bool exclude)
{
	char *copy, *next, *word;
	int err = -EINVAL;

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (strcmp(groups[i].name, name))
			continue;
		next = copy = strdup(groups[i].calls);
		err = copy ? 0 : -ENOMEM;
		while (!err && (word = strsep(&next, " ")))
			err = call_add(s, word, exclude, true);
		free(copy);
	}
	return err;
}

int calls_add(struct selection *s, const char *name, bool exclude)
{
	return *name == '%' ? group_add(s, name, exclude)
			    : call_add(s, name, exclude, false);
}

int calls_string_option(const struct command *command, const char *option,
			const char *text, uint32_t *bytes)
{
	uint64_t number;

	if (number_parse(text, &number) || number > STRING_MAX)
		return misused(command, "%s `%s': 0 to %d is expected", option,
			       text, STRING_MAX);
	*bytes = number;
	return EXIT_OK;
}

const char *calls_set_name(size_t index)
{
	return index < sizeof(groups) / sizeof(groups[0]) ? groups[index].name
							  : NULL;
}
