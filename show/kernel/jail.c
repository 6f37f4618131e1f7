// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "jail.h"

/*
 * How often to check a child that owes an answer, and how often it may be
 * asleep.
 */
#ifndef JAIL_LOOK_MS
#define JAIL_LOOK_MS 1000
#endif
#define JAIL_ASLEEP_MAX	 10
#define JAIL_UNKNOWN_MAX 600 /* the same if /proc does not say */

/* On top of the memory that the child has at its begin. */
#define MEMORY_MAX (256ull << 20)

#if defined(__x86_64__)
#define JAIL_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define JAIL_ARCH AUDIT_ARCH_AARCH64
#else
#error "which AUDIT_ARCH_ is this?"
#endif

static volatile uint64_t steps;

static void tick(int signal)
{
	static uint64_t seen = UINT64_MAX;

	if (steps == seen)
		_exit(EXIT_FAILURE);
	seen = steps;
}

/* Checks each second of CPU time, so that other load does not count. */
static int watch_start(void)
{
	struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
	const struct itimerval second = {{1, 0}, {1, 0}};
	sigset_t none;

	/* Resets all handlers: those of this process would run in the child. */
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) ||
			       sigaction(SIGPROF, &action, NULL) ||
			       setitimer(ITIMER_PROF, &second, NULL)
		       ? -errno
		       : 0;
}

/* For kernels before 5.9, or if a filter refuses close_range(). */
static int files_close_each(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		int fd = atoi(entry->d_name);

		if (fd > 0 && fd != dirfd(dir))
			close(fd);
	}
	closedir(dir);
	return 0;
}

/* Closes all files but the socket, which becomes descriptor 0. */
static int files_close(int *fd)
{
	if (dup2(*fd, 0) < 0)
		return -errno;
	*fd = 0;
	return syscall(SYS_close_range, 1, ~0u, 0) ? files_close_each() : 0;
}

static int memory_limit(void)
{
	unsigned long long pages = 0;
	struct rlimit limit, before;
	FILE *f = fopen("/proc/self/statm", "re");

	/* The sixth number is the size of data and stack. */
	if (!f)
		return -errno;
	if (fscanf(f, "%*s %*s %*s %*s %*s %llu", &pages) != 1)
		pages = 0;
	fclose(f);
	limit.rlim_cur = pages * sysconf(_SC_PAGESIZE) + MEMORY_MAX;
	/* The caller's limit may be lower. */
	if (getrlimit(RLIMIT_DATA, &before))
		return -errno;
	if (limit.rlim_cur > before.rlim_max)
		limit.rlim_cur = before.rlim_max;
	limit.rlim_max = limit.rlim_cur;
	return pages && !setrlimit(RLIMIT_DATA, &limit) ? 0 : -EPERM;
}

static int calls_limit(void)
{
#define ALLOW(name)                                             \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, JAIL_ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		ALLOW(read),
		ALLOW(sendto),
		ALLOW(brk),
		ALLOW(mmap),
		ALLOW(munmap),
		ALLOW(mremap),
		ALLOW(madvise),
		ALLOW(futex),
		ALLOW(rt_sigreturn),
		ALLOW(restart_syscall),
		ALLOW(getrandom),
		ALLOW(exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
#undef ALLOW
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]),
		.filter = filter,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return -errno;
	return 0;
}

static int jail_enter(int *fd)
{
	int err = 0;

	/* No core file, no debugger, and it dies with this process. */
	if (prctl(PR_SET_DUMPABLE, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		err = -errno;
	err = err ? err : memory_limit();
	err = err ? err : watch_start();
	err = err ? err : files_close(fd);
	return err ? err : calls_limit();
}

int jail_start(struct jail *jail,
	       void (*work)(int fd, volatile uint64_t *steps, void *data),
	       void *data)
{
	int fds[2], err, told;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -errno;
	pid = fork();
	if (!pid) {
		err = jail_enter(&fds[1]);
		if (jail_write(fds[1], &err, sizeof(err)) && !err)
			work(fds[1], &steps, data);
		_exit(EXIT_SUCCESS);
	}
	err = pid < 0 ? -errno : 0;
	close(fds[1]);
	if (err) {
		close(fds[0]);
		return err;
	}
	*jail = (struct jail){pid, fds[0]};
	if (!jail_read(jail->fd, &told, sizeof(told)))
		told = -EPERM;
	if (told)
		jail_stop(jail);
	return told;
}

void jail_stop(struct jail *jail)
{
	if (!jail->pid)
		return;
	close(jail->fd);
	kill(jail->pid, SIGKILL);
	while (waitpid(jail->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*jail = (struct jail){0};
}

ssize_t jail_read_some(int fd, void *data, size_t n)
{
	ssize_t done;

	do
		done = read(fd, data, n);
	while (done < 0 && errno == EINTR);
	return done;
}

/* The state in /proc/PID/stat, after the name.  0: it cannot be read. */
static char child_state(const struct jail *jail)
{
	char path[32], text[256], *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)jail->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : 0;
}

/*
 * Waits as long as the child works, or waits for a CPU or for memory.  False:
 * it sleeps, which its work never needs.
 */
static bool child_wait(const struct jail *jail, short events)
{
	struct pollfd poll_fd = {.fd = jail->fd, .events = events};
	unsigned int asleep = 0, unknown = 0;
	int ready;

	while ((ready = poll(&poll_fd, 1, JAIL_LOOK_MS)) <= 0) {
		char state;

		if (ready < 0 && errno != EINTR)
			return false;
		if (ready < 0)
			continue;
		state = child_state(jail);
		asleep = state == 'S' ? asleep + 1 : 0;
		unknown += !state;
		if (asleep == JAIL_ASLEEP_MAX || unknown == JAIL_UNKNOWN_MAX)
			return false;
	}
	return true;
}

ssize_t jail_receive(const struct jail *jail, void *data, size_t n)
{
	return child_wait(jail, POLLIN) ? jail_read_some(jail->fd, data, n)
					: -1;
}

/* With @jail, waits only as long as its child works. */
static bool send_all(int fd, const struct jail *jail, const void *data,
		     size_t n)
{
	const int flags = MSG_NOSIGNAL | (jail ? MSG_DONTWAIT : 0);
	const char *s = data;

	while (n) {
		ssize_t done = send(fd, s, n, flags);

		if (done < 0 && errno == EAGAIN && jail) {
			if (!child_wait(jail, POLLOUT))
				return false;
			continue;
		}
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		s += done;
		n -= done;
	}
	return true;
}

bool jail_send(const struct jail *jail, const void *data, size_t n)
{
	return send_all(jail->fd, jail, data, n);
}

bool jail_write(int fd, const void *data, size_t n)
{
	return send_all(fd, NULL, data, n);
}

bool jail_read(int fd, void *data, size_t n)
{
	char *s = data;

	while (n) {
		ssize_t done = jail_read_some(fd, s, n);

		if (done <= 0)
			return false;
		s += done;
		n -= done;
	}
	return true;
}
