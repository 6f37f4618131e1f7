// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Programs to trace, one for each kind of call:
 *
 *	program threads | sockets | signals | memory | faults | traced | edges
 *
 * They do the same whenever they run; traced does only where nobody traces it.  edges
 * prints the paths that it opens, as they are to be shown.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "named.h"

#define THREADS 4

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter;

static void *thread_run(void *arg)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&mutex);
		counter++;
		usleep(100);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static int threads(void)
{
	pthread_t ids[THREADS];

	/* One at a time: how they wait for each other would be chance. */
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&ids[i], NULL, thread_run, NULL);
		pthread_join(ids[i], NULL);
	}
	return counter != THREADS * 20;
}

static int exchange(int from, int to)
{
	struct iovec out[2] = {{"hello, ", 7}, {"world", 5}}, in;
	struct msghdr message = {.msg_iov = out, .msg_iovlen = 2};
	char text[64];
	int value = 1;

	in = (struct iovec){text, sizeof(text)};
	setsockopt(from, SOL_SOCKET, SO_KEEPALIVE, &value, sizeof(value));
	send(from, "first words", 11, MSG_NOSIGNAL);
	recv(to, text, sizeof(text), 0);
	sendmsg(from, &message, 0);
	message = (struct msghdr){.msg_iov = &in, .msg_iovlen = 1};
	recvmsg(to, &message, 0);
	writev(to, out, 2);
	readv(from, &in, 1);
	shutdown(from, SHUT_WR);
	return read(to, text, sizeof(text));
}

static int serve(const struct sockaddr *address, socklen_t size)
{
	struct sockaddr_storage other;
	socklen_t length = sizeof(other);
	int server = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int client = socket(address->sa_family, SOCK_STREAM, 0);
	int value = 1, peer;

	setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &value, sizeof(value));
	if (bind(server, address, size) || listen(server, 5))
		return 1;
	if (connect(client, address, size))
		return 1;
	peer = accept(server, (struct sockaddr *)&other, &length);
	length = sizeof(other);
	getsockname(peer, (struct sockaddr *)&other, &length);
	length = sizeof(other);
	getpeername(client, (struct sockaddr *)&other, &length);
	length = sizeof(value);
	getsockopt(client, SOL_SOCKET, SO_ERROR, &value, &length);
	exchange(client, peer);
	close(peer);
	close(client);
	close(server);
	return 0;
}

static int sockets(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
				 .sin_port = htons(7311)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6,
				   .sin6_port = htons(7312)};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int pair[2];

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	in6.sin6_addr = in6addr_loopback;
	strcpy(un.sun_path, "/tmp/program.socket");
	unlink(un.sun_path);
	serve((struct sockaddr *)&in, sizeof(in));
	serve((struct sockaddr *)&in6, sizeof(in6));
	serve((struct sockaddr *)&un, sizeof(un));
	unlink(un.sun_path);
	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair);
	exchange(pair[0], pair[1]);
	return 0;
}

static void handler(int number)
{
	counter++;
}

static int waiting(void)
{
	struct timeval time = {0, 1000};
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = 7};
	struct pollfd poll_fd;
	int fd = eventfd(1, EFD_CLOEXEC), epoll = epoll_create1(0);
	fd_set set;

	poll_fd = (struct pollfd){.fd = fd, .events = POLLIN};
	poll(&poll_fd, 1, 100);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	select(fd + 1, &set, NULL, NULL, &time);
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	epoll_wait(epoll, &event, 1, 100);
	poll_fd.events = POLLPRI;
	poll(&poll_fd, 1, 1);
	return 0;
}

static int signals(void)
{
	struct sigaction action = {.sa_handler = handler,
				   .sa_flags = SA_RESTART};
	struct itimerval timer = {.it_value.tv_usec = 2000};
	struct itimerspec spec = {.it_value.tv_nsec = 1000};
	struct timespec pause = {0, 20000000};
	sigset_t set, old;
	int status, fd;
	pid_t pid;

	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	kill(getpid(), SIGUSR1);
	sigpending(&old);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	/* Blocked until it is waited for: else it may come before, or in between. */
	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&old);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	sigsuspend(&old);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	timerfd_settime(fd, 0, &spec, NULL);
	pid = fork();
	if (!pid) {
		pause.tv_sec = 10;
		nanosleep(&pause, NULL);
		_exit(0);
	}
	usleep(20000);
	/* It is no tracee of ours. */
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return waiting();
}

/* Who is traced already cannot be traced once more. */
static int traced(void)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (!ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			raise(SIGSTOP);
		_exit(3);
	}
	waitpid(pid, &status, WUNTRACED);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	return 0;
}

static int memory(void)
{
	size_t size = 16 * 4096;
	struct rlimit limit;
	struct utsname name;
	char *p;
	int fd;

	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(p, 4096, PROT_READ);
	madvise(p, size, MADV_DONTNEED);
	mlock(p, 4096);
	munlock(p, 4096);
	p = mremap(p, size, 2 * size, MREMAP_MAYMOVE);
	msync(p, size, MS_SYNC);
	munmap(p, 2 * size);
	fd = memfd_create("memory", MFD_CLOEXEC);
	ftruncate(fd, 8192);
	fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 16384);
	pwrite(fd, "0123456789", 10, 4096);
	lseek(fd, 4096, SEEK_SET);
	fcntl(fd, F_GETFL);
	fcntl(fd, F_SETFL, O_NONBLOCK | O_APPEND);
	fcntl(fd, F_GETFD);
	dup3(fd, 77, O_CLOEXEC);
	getrlimit(RLIMIT_NOFILE, &limit);
	setrlimit(RLIMIT_NOFILE, &limit);
	uname(&name);
	umask(umask(077));
	prctl(PR_SET_NAME, "renamed");
	mkdir("/tmp/program.dir", 0700);
	rename("/tmp/program.dir", "/tmp/program.other");
	symlink("nowhere", "/tmp/program.link");
	unlink("/tmp/program.link");
	rmdir("/tmp/program.other");
	return 0;
}

/* What cannot be read, in whole or in part. */
static int faults(void)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t size = 1 << 20;
	char *large = malloc(size);

	munmap(p + 4096, 4096);
	memset(p, 'x', 4096);
	open((char *)8, O_RDONLY);
	open(p + 4090, O_RDONLY);
	p[4095] = '\0';
	open(p + 4090, O_RDONLY);
	write(1, p + 4090, 100);
	memset(large, 'y', size);
	large[size - 1] = '\0';
	open(large, O_RDONLY);
	syscall(9999, 1, 2, 3, 4, 5, 6);
	return 0;
}

/* The first @length letters, and a NUL, from @to on. */
static void letters(char *to, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = 'a' + i % 26;
	to[length] = '\0';
}

/*
 * Strings that begin and end at each place in a word: within a page; up to the end of
 * the last one that is there; over it, which cannot be read.
 */
static int edges(void)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = p + 4096;

	munmap(end, 4096);
	for (size_t begin = 0; begin < 16; begin++) {
		for (size_t length = 0; length < 32; length++) {
			memset(p, 'X', 4096);
			letters(p + begin, length);
			syscall(SYS_openat, -7, p + begin, O_PATH);
			printf("\"%s\"\n", p + begin);
		}
	}
	for (size_t length = 0; length < 40; length++) {
		memset(p, 'X', 4096);
		letters(end - length - 1, length);
		syscall(SYS_openat, -7, end - length - 1, O_PATH);
		printf("\"%s\"\n", end - length - 1);
	}
	memset(p, 'X', 4096);
	for (size_t length = 0; length < 40; length++) {
		syscall(SYS_openat, -7, end - length, O_PATH);
		printf("%p\n", (void *)(end - length));
	}
	/* Where no program has memory, where only the kernel has, and where none can. */
	syscall(SYS_openat, -7, 0x7ffffffff000, O_PATH);
	syscall(SYS_openat, -7, 0x7fffffffffff, O_PATH);
	syscall(SYS_openat, -7, 0x00ff000000000008, O_PATH);
	syscall(SYS_openat, -7, -8l, O_PATH);
	printf("0x7ffffffff000\n0x7fffffffffff\n0xff000000000008\n"
	       "0xfffffffffffffff8\n");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct named programs[] = {
		{"threads", threads}, {"sockets", sockets},
		{"signals", signals}, {"memory", memory},
		{"faults", faults},   {"traced", traced},
		{"edges", edges},     {NULL, NULL},
	};

	return named_run(programs, argc, argv);
}
