// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fcntl.h>
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

/* Beside the memory that the child begins with. */
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

/* Each second of CPU time: a machine that is busy with others does not count. */
static int watch_start(void)
{
	struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
	const struct itimerval second = {{1, 0}, {1, 0}};
	sigset_t none;

	/* A handler of this process would do what it is for. */
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) ||
			       sigaction(SIGPROF, &action, NULL) ||
			       setitimer(ITIMER_PROF, &second, NULL)
		       ? -errno
		       : 0;
}

/* Only the socket stays open, and becomes 0. */
static int files_close(int *fd)
{
	if (dup2(*fd, 0) < 0)
		return -errno;
	*fd = 0;
	return syscall(SYS_close_range, 1, ~0u, 0) ? -errno : 0;
}

static int memory_limit(void)
{
	unsigned long long pages = 0;
	struct rlimit limit;
	FILE *f = fopen("/proc/self/statm", "re");

	/* The sixth number: data and stack. */
	if (!f)
		return -errno;
	if (fscanf(f, "%*s %*s %*s %*s %*s %llu", &pages) != 1)
		pages = 0;
	fclose(f);
	limit.rlim_cur = pages * sysconf(_SC_PAGESIZE) + MEMORY_MAX;
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

	/* No core file, no debugger, and no life without this process. */
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

bool jail_write(int fd, const void *data, size_t n)
{
	const char *s = data;

	while (n) {
		ssize_t done = send(fd, s, n, MSG_NOSIGNAL);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		s += done;
		n -= done;
	}
	return true;
}

ssize_t jail_read_some(int fd, void *data, size_t n)
{
	ssize_t done;

	do
		done = read(fd, data, n);
	while (done < 0 && errno == EINTR);
	return done;
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
