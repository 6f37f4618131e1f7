// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Programs to trace whose calls do not go the usual way:
 *
 *	fault argv | killed | kills | exec | exit | vfork | halves | large
 *
 *	argv	execs with 100,000 arguments
 *	killed	a child is killed within a call, by SIGKILL; so are both its threads
 *	kills	is killed within a call that kills it
 *	exec	a thread execs that is not the leader
 *	exit	a thread ends the process that is not the leader
 *	vfork	children that exec, and that end
 *	halves	structs, vectors and data of which the second half is not there
 *	large	data and strings of 1 MB
 *
 * They do the same whenever they run.  "fault end" is what they exec.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "named.h"

#define ARGUMENTS 100000
#define PAGE	  4096
#define LARGE	  (1 << 20)

static char *self;

static char *const end_argv[] = {"fault", "end", NULL};
static char *const no_environment[] = {NULL};

static int argv_many(void)
{
	char **argv = calloc(ARGUMENTS + 1, sizeof(*argv));

	argv[0] = "fault";
	argv[1] = "end";
	for (int i = 2; i < ARGUMENTS; i++)
		argv[i] = "x";
	execve(self, argv, no_environment);
	return 1;
}

/* For as long as others need to be where they wait. */
static void settle(void)
{
	struct timespec time = {0, 300000000};

	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
}

static void *wait_for_ever(void *arg)
{
	syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
	return NULL;
}

static int killed(void)
{
	pthread_t thread;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		pthread_create(&thread, NULL, wait_for_ever, NULL);
		syscall(SYS_pause);
		_exit(1);
	}
	settle();
	kill(pid, SIGKILL);
	return waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status);
}

static int kills(void)
{
	kill(getpid(), SIGKILL);
	return 1;
}

static void *thread_exec(void *arg)
{
	settle();
	execve(self, end_argv, no_environment);
	return NULL;
}

static void *thread_exit(void *arg)
{
	settle();
	syscall(SYS_exit_group, 5);
	return NULL;
}

static int beside(void *(*run)(void *))
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	syscall(SYS_pause);
	return 1;
}

static int exec_beside(void)
{
	return beside(thread_exec);
}

static int exit_beside(void)
{
	return beside(thread_exit);
}

static int vforks(void)
{
	int status;
	pid_t pid;

	pid = vfork();
	if (!pid) {
		execve(self, end_argv, no_environment);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	pid = vfork();
	if (!pid)
		_exit(3);
	waitpid(pid, &status, 0);
	return !WIFEXITED(status) || WEXITSTATUS(status) != 3;
}

/* @size bytes, the second half of which is not there. */
static void *half(char *page, const void *from, size_t size)
{
	char *begin = page + PAGE - size / 2;

	memcpy(begin, from, size / 2);
	return begin;
}

/* @page is followed by nothing. */
static void halves_of(char *page)
{
	struct iovec vector[2] = {{"first", 5}, {"second", 6}};
	const char *argv[] = {"fault", "end"};
	struct timespec time = {0, 1000};
	struct pollfd fds[2] = {{.fd = 0, .events = POLLIN},
				{.fd = 1, .events = POLLIN}};
	struct itimerval timer = {.it_value.tv_usec = 1};
	struct sockaddr address = {.sa_family = AF_INET};
	uint64_t words[4] = {0};
	char letters[64];
	int fd = open("/dev/null", O_WRONLY);

	memset(letters, 'l', sizeof(letters));
	syscall(SYS_write, fd, half(page, letters, 64), 64);
	syscall(SYS_pwrite64, 1234, half(page, letters, 64), 64, 0);
	syscall(SYS_writev, fd, half(page, vector, sizeof(vector)), 2);
	vector[1].iov_base = page + PAGE - 4;
	vector[1].iov_len = 8;
	syscall(SYS_writev, 1234, vector, 2);
	syscall(SYS_execve, self, half(page, argv, sizeof(argv)), NULL);
	syscall(SYS_execve, "/nowhere", (char *)8, (char *)8);
	syscall(SYS_nanosleep, half(page, &time, sizeof(time)), NULL);
	syscall(SYS_poll, half(page, fds, sizeof(fds)), 2, 0);
	syscall(SYS_setitimer, ITIMER_REAL, half(page, &timer, sizeof(timer)),
		NULL);
	syscall(SYS_connect, 1234, half(page, &address, sizeof(address)),
		sizeof(address));
	syscall(SYS_rt_sigaction, SIGUSR1, half(page, words, sizeof(words)),
		NULL, 8);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, half(page, words, 8), NULL, 8);
	syscall(SYS_pipe2, half(page, words, 8), 0);
	syscall(SYS_rename, "/nowhere", half(page, letters, 32));
	syscall(SYS_unlink, half(page, letters, 2));
	syscall(SYS_unlink, page + PAGE);
	syscall(SYS_unlink, NULL);
	syscall(SYS_unlink, -1l);
	close(fd);
}

static int halves(void)
{
	char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(page + PAGE, PAGE);
	memset(page, 0, PAGE);
	halves_of(page);
	return 0;
}

static int large(void)
{
	char *text = mmap(NULL, LARGE + PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *argv[] = {"fault", text, NULL};
	int fd = open("/dev/null", O_WRONLY);

	memset(text, 'z', LARGE);
	syscall(SYS_write, fd, text, LARGE);
	syscall(SYS_openat, AT_FDCWD, text, O_RDONLY);
	syscall(SYS_rename, text, text);
	syscall(SYS_symlinkat, text, AT_FDCWD, "/tmp/nothing");
	syscall(SYS_setxattr, "/tmp", text, text, LARGE, 0);
	syscall(SYS_memfd_create, text, 0);
	syscall(SYS_execve, text, argv, no_environment);
	/* One argument may not be so long: E2BIG. */
	syscall(SYS_execve, self, argv, no_environment);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct named programs[] = {
		{"argv", argv_many},   {"killed", killed},    {"kills", kills},
		{"exec", exec_beside}, {"exit", exit_beside}, {"vfork", vforks},
		{"halves", halves},    {"large", large},      {NULL, NULL},
	};

	if (argc > 1 && !strcmp(argv[1], "end"))
		return 0;
	self = argv[0];
	return named_run(programs, argc, argv);
}
