// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Programs to trace, whose calls take unusual paths:
 *
 *	fault argv | killed | ended | kills | exec | exit | vfork | halves | large |
 *	      fds | later | last | words
 *
 *	argv	execs with 100,000 arguments
 *	killed	a child with two threads is killed by SIGKILL during their calls
 *	ended	the same by SIGTERM
 *	kills	is killed by its own call
 *	exec	a thread that is not the leader calls exec
 *	exit	a thread that is not the leader ends the process
 *	vfork	children that exec, and children that end
 *	halves	structs, vectors and data whose second half is missing
 *	large	data and strings of 1 MB
 *	fds	all kinds of descriptors, and invalid ones
 *	later	structs and data that are not in memory yet when the call begins
 *	last	strings at the end of a program's addresses, where setarch -R puts the
 *		stack
 *	words	calls of 32-bit programs, whose arguments are in memory that is not there
 *		when the call begins, or when it ends; and with registers of 64 bits
 *
 * Each run does the same.  "fault end" is what they exec.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/futex.h>

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

/* Shared with children. */
static struct shared {
	uint32_t waiters[2]; /* futexes */
	volatile bool alone; /* the parent makes no more calls */
	volatile bool ready; /* nor does the child, except to wait */
} * shared;

static void shared_make(void)
{
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* Waits without a call. */
static void spin_until(const volatile bool *what)
{
	while (!*what)
		;
}

static void *wait_for_ever(void *arg)
{
	syscall(SYS_futex, &shared->waiters[0], FUTEX_WAIT, 0, NULL, NULL, 0);
	return NULL;
}

/*
 * Waits until @nr threads wait at the first futex.  Requeues them to the second one, which
 * counts them without waking any.
 */
static void settle(int nr)
{
	struct timespec time = {0, 1000000};

	for (;;) {
		int moved = syscall(SYS_futex, &shared->waiters[0],
				    FUTEX_CMP_REQUEUE, 0, 100ul,
				    &shared->waiters[1], 0);

		nr -= moved > 0 ? moved : 0;
		if (nr <= 0)
			return;
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
	}
}

static void *ready_and_wait(void *arg)
{
	shared->ready = true;
	return wait_for_ever(NULL);
}

/*
 * If another thread's line cuts a call in two, ktrace first shows what could be read when
 * the call began.  In a new child, some pages are not in memory then.  So until the thread
 * runs, only one side makes calls; later calls have no pointers to such pages.
 */
static int killed_by(int number)
{
	pthread_t thread;
	int status;
	pid_t pid;

	shared_make();
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		spin_until(&shared->alone);
		/* Otherwise the parent would wait forever. */
		if (pthread_create(&thread, NULL, ready_and_wait, NULL))
			kill(getppid(), SIGABRT);
		spin_until(&shared->ready);
		wait_for_ever(NULL);
		_exit(1);
	}
	shared->alone = true;
	spin_until(&shared->ready);
	settle(2);
	kill(pid, number);
	return waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status);
}

static int killed(void)
{
	return killed_by(SIGKILL);
}

static int ended(void)
{
	return killed_by(SIGTERM);
}

static int kills(void)
{
	kill(getpid(), SIGKILL);
	return 1;
}

static void *thread_exec(void *arg)
{
	settle(1);
	execve(self, end_argv, no_environment);
	return NULL;
}

static void *thread_exit(void *arg)
{
	settle(1);
	syscall(SYS_exit_group, 5);
	return NULL;
}

static int beside(void *(*run)(void *))
{
	pthread_t thread;

	shared_make();
	pthread_create(&thread, NULL, run, NULL);
	wait_for_ever(NULL);
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

/* @size bytes, whose second half is missing. */
static void *half(char *page, const void *from, size_t size)
{
	char *begin = page + PAGE - size / 2;

	memcpy(begin, from, size / 2);
	return begin;
}

/* No memory follows @page. */
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
	/* One argument must not be so long: E2BIG. */
	syscall(SYS_execve, self, argv, no_environment);
	close(fd);
	return 0;
}

/* Makes a directory that is deeper than any path may be long. */
static void deep(void)
{
	char name[201];
	int fd = open(".", O_RDONLY), next;

	memset(name, 'd', 200);
	name[200] = '\0';
	for (int i = 0; i < 22; i++) {
		mkdirat(fd, name, 0700);
		next = openat(fd, name, O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = next;
	}
	fchdir(fd);
	openat(AT_FDCWD, "nothing", O_RDONLY);
	close(fd);
	chdir("/tmp/faults");
}

static void files(void)
{
	static const char name[] = "<a>1\"\n\t";
	int fd = open(name, O_CREAT | O_RDWR, 0600), at;
	char byte;

	write(fd, "x", 1);
	/* The kernel reads only the lower half of the register. */
	syscall(SYS_write, 0xdead00000000ul | fd, "x", 1ul);
	unlink(name);
	dup2(fd, 20);
	fcntl(fd, F_DUPFD, 30);
	fcntl(fd, F_DUPFD_CLOEXEC, 30);
	fcntl(fd, F_GETFD);
	close(20);
	read(20, &byte, 1);
	close(-1);
	read(1234, &byte, 1);
	dup2(fd, -1);
	mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	at = open("/tmp", O_PATH);
	openat(at, "nothing", O_RDONLY);
	openat(-1, "nothing", O_RDONLY);
	renameat(at, "nothing", AT_FDCWD, "other");
	fchdir(at);
	openat(AT_FDCWD, "nothing", O_RDONLY);
	close(at);
	chdir("/tmp/faults");
	mkdir("gone", 0700);
	chdir("gone");
	rmdir("../gone");
	rmdir("/tmp/faults/gone");
	openat(AT_FDCWD, "nothing", O_RDONLY);
	chdir("/tmp/faults");
}

static int descriptors(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct pollfd polled[3] = {{.events = POLLIN}, {1234, POLLIN, 0}};
	int fds[2], fd, epoll;
	char byte;

	files();
	deep();
	pipe2(fds, O_CLOEXEC);
	write(fds[1], "x", 1);
	polled[0].fd = fds[0];
	polled[2] = (struct pollfd){fds[1], POLLOUT, 0};
	poll(polled, 3, 0);
	read(fds[0], &byte, 1);
	close(fds[0]);
	close(fds[1]);
	syscall(SYS_pipe2, NULL, 0);
	socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
	close(fds[1]);
	fd = eventfd(1, 0);
	epoll = epoll_create1(0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	epoll_wait(epoll, &event, 1, 0);
	syscall(SYS_memfd_create, "memory", 0u);
	return 0;
}

/* A copy in a page of a mapped file, which is not in memory before it is read. */
static void *unread(const void *bytes, size_t size)
{
	int fd = syscall(SYS_memfd_create, "unread", 0u);
	void *page;

	ftruncate(fd, PAGE);
	pwrite(fd, bytes, size, 8);
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	return (char *)page + 8;
}

#define UNREAD(value) unread(&(value), sizeof(value))

static int later(void)
{
	struct sockaddr_un un = {AF_UNIX, "/tmp/nowhere"};
	struct timespec time = {0, 1000};
	struct itimerval timer = {{0, 0}, {100, 0}};
	struct kernel_action {
		void *handler;
		unsigned long flags;
		void *restorer;
		unsigned long mask;
	} action = {SIG_IGN, 0x10000000, NULL, 1ul << (SIGUSR2 - 1)};
	struct pollfd polled = {1234, POLLIN, 0};
	unsigned long set = 1ul << (SIGUSR1 - 1);
	char *argv[] = {"one", "two", NULL};
	struct iovec iov = {"vector", 6};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
	struct timespec times[2] = {{1, 2}, {3, 4}};
	int fd = open("/dev/null", O_WRONLY), fds[2], size = 65536;

	socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
	connect(socket(AF_UNIX, SOCK_STREAM, 0), UNREAD(un), sizeof(un));
	syscall(SYS_nanosleep, UNREAD(time), NULL);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, UNREAD(set), NULL, 8ul);
	syscall(SYS_rt_sigaction, SIGUSR1, UNREAD(action), NULL, 8ul);
	syscall(SYS_setitimer, ITIMER_REAL, UNREAD(timer), NULL);
	syscall(SYS_poll, UNREAD(polled), 1ul, 0);
	/* A write to /dev/null does not read the data; a write to a pipe does. */
	write(fds[0], unread("data to write", 13), 13ul);
	syscall(SYS_writev, fds[0], UNREAD(iov), 1ul);
	syscall(SYS_sendmsg, fds[0], UNREAD(message), 0ul);
	setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, UNREAD(size), sizeof(size));
	ioctl(fds[1], FIONBIO, UNREAD(size));
	syscall(SYS_quotactl, 0x80000700, unread("/dev/none", 10), 0ul, NULL);
	syscall(SYS_utimensat, AT_FDCWD, "/tmp/faults/none", UNREAD(times), 0);
	syscall(SYS_openat, AT_FDCWD, unread("/etc/passwd", 12), O_RDONLY);
	syscall(SYS_execve, unread("/nowhere", 9), argv, no_environment);
	write(fd, unread("never looked at", 15), 15ul);
	/* The new program has nothing of this memory. */
	argv[0] = "fault";
	argv[1] = "end";
	execve(unread(self, strlen(self) + 1), UNREAD(argv), no_environment);
	return 1;
}

static int last(void)
{
	char *end = (char *)((1ul << 47) - PAGE);

	memcpy(end - 8, "/nobody", 8);
	syscall(SYS_openat, AT_FDCWD, end - 8, O_RDONLY);
	/* Both continue beyond the last address of programs. */
	memcpy(end - 8, "not over", 8);
	syscall(SYS_openat, AT_FDCWD, end - 8, O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, end, O_RDONLY);
	return 0;
}

/* Numbers of calls of 32-bit programs. */
#define COMPAT_OPEN	  5
#define COMPAT_SOCKETCALL 102

/* Two pages that 32-bit calls can use. */
#define WORDS ((void *)0x10000000)

/* The upper halves of the registers mean nothing to the kernel. */
static int call_compat(long number, uint64_t b, uint64_t c, uint64_t d)
{
	long result;

	asm volatile("int $0x80"
		     : "=a"(result)
		     : "a"(number), "b"(b), "c"(c), "d"(d), "S"(0), "D"(0)
		     : "r8", "r9", "r10", "r11", "memory");
	return result;
}

static void *words_end(void *data)
{
	const int *fds = data;

	/* The other thread waits by now, or soon. */
	usleep(300000);
	munmap(WORDS, PAGE);
	if (write(fds[1], "x", 1) != 1)
		abort();
	return NULL;
}

static int words_map(int flags, int fd)
{
	return mmap(WORDS, 2 * PAGE, PROT_READ | PROT_WRITE,
		    flags | MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0) != WORDS;
}

static int words(void)
{
	const uint32_t file_words[] = {-1, 0x10000100, 110};
	int fd = open("words", O_RDWR | O_CREAT | O_TRUNC, 0600), fds[2];
	const uint64_t upper = 1ull << 32;
	pthread_t thread;
	uint32_t *w;

	/* connect, by words in a page that nobody has touched */
	if (write(fd, file_words, sizeof(file_words)) < 0 || words_map(0, fd))
		return 1;
	call_compat(COMPAT_SOCKETCALL, 3, (uintptr_t)WORDS, 0);
	munmap(WORDS, 2 * PAGE);
	unlink("words");
	/* registers that are wider than the call */
	if (words_map(MAP_ANONYMOUS, -1))
		return 1;
	strcpy((char *)WORDS + 64, "/nowhere");
	call_compat(COMPAT_OPEN, (uintptr_t)WORDS + 64 + upper, upper, upper);
	w = WORDS;
	memcpy(w, (uint32_t[]){1, 1, 0}, 12);
	close(call_compat(COMPAT_SOCKETCALL, 1 + upper,
			  (uintptr_t)WORDS + upper, upper));
	/* recv, whose words are gone when it returns */
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) ||
	    pthread_create(&thread, NULL, words_end, fds))
		return 1;
	memcpy(w, (uint32_t[]){fds[0], 0x10001000, 1, 0}, 16);
	call_compat(COMPAT_SOCKETCALL, 10, (uintptr_t)WORDS, 0);
	return pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	static const struct named programs[] = {
		{"argv", argv_many},   {"killed", killed},
		{"ended", ended},      {"kills", kills},
		{"exec", exec_beside}, {"exit", exit_beside},
		{"vfork", vforks},     {"halves", halves},
		{"large", large},      {"fds", descriptors},
		{"later", later},      {"last", last},
		{"words", words},      {NULL, NULL},
	};

	if (argc > 1 && !strcmp(argv[1], "end"))
		return 0;
	self = argv[0];
	return named_run(programs, argc, argv);
}
