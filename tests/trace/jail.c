// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The process for print formats: what it may do, and when it is killed. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>

#include "check.h"
#include "kernel/jail.h"

static const char answer[] = "answer";

static bool answers(const struct jail *jail)
{
	char text[sizeof(answer)];

	return jail_receive(jail, text, sizeof(text)) == sizeof(text) &&
	       !strcmp(text, answer);
}

static void work_sleep(int fd, volatile uint64_t *steps, void *data)
{
	uint32_t word = 0;

	syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
	jail_write(fd, answer, sizeof(answer));
}

/*
 * A process that hangs in the kernel uses no CPU time, so a CPU time limit would not find
 * it.
 */
TEST(one_that_sleeps)
{
	struct jail jail;

	CHECK_EQ(jail_start(&jail, work_sleep, NULL), 0);
	alarm(60);
	CHECK(!answers(&jail));
	alarm(0);
	jail_stop(&jail);
}

/* Nor does it read what is sent to it. */
TEST(one_that_sleeps_is_sent_no_more)
{
	static char much[1 << 22];
	struct jail jail;

	CHECK_EQ(jail_start(&jail, work_sleep, NULL), 0);
	alarm(60);
	CHECK(!jail_send(&jail, much, sizeof(much)));
	alarm(0);
	jail_stop(&jail);
}

/* Works much longer than a process may sleep. */
static void work_long(int fd, volatile uint64_t *steps, void *data)
{
	struct timespec now, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += 2;
	do {
		++*steps;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end.tv_sec);
	jail_write(fd, answer, sizeof(answer));
}

TEST(one_that_works)
{
	struct jail jail;

	CHECK_EQ(jail_start(&jail, work_long, NULL), 0);
	CHECK(answers(&jail));
	jail_stop(&jail);
}

/* It is stopped from outside, so it gets no processor time. */
TEST(one_that_is_kept_waiting)
{
	struct jail jail;
	pid_t pid;

	CHECK_EQ(jail_start(&jail, work_long, NULL), 0);
	kill(jail.pid, SIGSTOP);
	pid = fork();
	if (!pid) {
		sleep(3);
		kill(jail.pid, SIGCONT);
		_exit(0);
	}
	CHECK(answers(&jail));
	waitpid(pid, NULL, 0);
	jail_stop(&jail);
}

/* Runs @test in a process, whose limits and filters end with it. */
static int status_of(int (*test)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(test());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void work_answer(int fd, volatile uint64_t *steps, void *data)
{
	jail_write(fd, answer, sizeof(answer));
}

static int limit_low(void)
{
	const struct rlimit limit = {100 << 20, 100 << 20};
	struct jail jail;
	int err;

	/* Root could raise the limit again. */
	if (setrlimit(RLIMIT_DATA, &limit) || (!geteuid() && setuid(65534)))
		return 1;
	err = jail_start(&jail, work_answer, NULL);
	if (err)
		return -err;
	return answers(&jail) ? 0 : 2;
}

TEST(a_limit_that_was_there_before)
{
	CHECK_EQ(status_of(limit_low), 0);
}

/* None of the files that were open is open in the jail. */
static void work_look(int fd, volatile uint64_t *steps, void *data)
{
	int *extra = data;
	char byte;

	if (read(*extra, &byte, 1) < 0 && errno == EBADF &&
	    read(2, &byte, 1) < 0 && errno == EBADF)
		jail_write(fd, answer, sizeof(answer));
}

static int files_closed(void)
{
	struct jail jail;
	int fds[2], err;

	if (pipe(fds))
		return 1;
	close(fds[1]);
	err = jail_start(&jail, work_look, &fds[0]);
	if (err)
		return -err;
	return answers(&jail) ? 0 : 2;
}

/* As in kernels before 5.9, without close_range(). */
static int files_without_range(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_close_range, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]),
		.filter = filter,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 1;
	return files_closed();
}

TEST(files_are_closed)
{
	CHECK_EQ(status_of(files_closed), 0);
	CHECK_EQ(status_of(files_without_range), 0);
}

CHECK_MAIN
