// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Programs to trace, one for each kind of call:
 *
 *	program threads | sockets | controls | signals | memory | faults | commands | traced |
 *	edges | descriptors | exchanges | numbers
 *
 * Each run does the same, but traced works only if nobody traces it.  edges prints the
 * paths that it opens, as they should be shown.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/sysmacros.h>
#include <sched.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <linux/keyctl.h>

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

	/* One at a time: the order in which they wait for each other would be random. */
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

/* Writes a control message of @type with @size bytes of @data; returns its size. */
static size_t control_put(struct cmsghdr *to, int type, const void *data,
			  size_t size)
{
	*to = (struct cmsghdr){CMSG_LEN(size), SOL_SOCKET, type};
	memcpy(to + 1, data, size);
	return CMSG_SPACE(size);
}

/* Passes descriptors and credentials, and malformed control messages. */
static int controls(void)
{
	struct iovec out = {"message", 7}, in;
	char text[64], room[256] = "";
	struct cmsghdr control[6] = {0};
	struct msghdr message = {.msg_iov = &out, .msg_iovlen = 1};
	struct ucred self = {getpid(), getuid(), getgid()};
	int pair[2], on = 1, fds[3] = {0, open("/dev/null", O_RDONLY)};
	size_t used;

	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	fds[2] = pair[0];
	message.msg_control = control;
	message.msg_controllen = control_put(control, SCM_RIGHTS, fds, 12);
	sendmsg(pair[0], &message, 0);
	in = (struct iovec){text, sizeof(text)};
	message.msg_iov = &in;
	recvmsg(pair[1], &message, 0);
	message.msg_iov = &out;
	setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	setsockopt(pair[1], SOL_SOCKET, SO_TIMESTAMP, &on, sizeof(on));
	used = control_put(control, SCM_RIGHTS, fds, sizeof(fds));
	used += control_put((void *)control + used, SCM_CREDENTIALS, &self,
			    sizeof(self));
	message.msg_controllen = used;
	sendmsg(pair[0], &message, 0);
	message = (struct msghdr){.msg_iov = &in,
				  .msg_iovlen = 1,
				  .msg_control = room,
				  .msg_controllen = sizeof(room)};
	recvmsg(pair[1], &message, 0);

	/* Too short, too long, unknown, without memory. */
	message = (struct msghdr){.msg_iov = &out, .msg_iovlen = 1};
	message.msg_control = control;
	message.msg_controllen = 24;
	for (size_t i = 0; i < 6; i++) {
		static const size_t lengths[] = {16, 22, 20, 3, 0, 1000};

		control_put(control, SCM_RIGHTS, fds, 8);
		control->cmsg_len = lengths[i];
		sendmsg(pair[0], &message, 0);
		control->cmsg_type = SCM_CREDENTIALS;
		sendmsg(pair[0], &message, 0);
	}
	control_put(control, 77, fds, 8);
	sendmsg(pair[0], &message, 0);
	control->cmsg_level = SOL_IP;
	control->cmsg_type = IP_PKTINFO;
	sendmsg(pair[0], &message, 0);
	control->cmsg_level = 99;
	sendmsg(pair[0], &message, 0);
	message.msg_controllen = 10;
	sendmsg(pair[0], &message, 0);
	message.msg_control = NULL;
	sendmsg(pair[0], &message, 0);
	message.msg_control = (void *)8;
	message.msg_controllen = 30;
	sendmsg(pair[0], &message, 0);
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
	fd_set set, other;

	poll_fd = (struct pollfd){.fd = fd, .events = POLLIN};
	poll(&poll_fd, 1, 100);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	select(fd + 1, &set, NULL, NULL, &time);
	FD_ZERO(&other);
	FD_SET(0, &other);
	FD_SET(fd, &other);
	FD_SET(epoll, &other);
	select(epoll + 1, &set, &other, NULL, &time);
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	epoll_wait(epoll, &event, 1, 100);
	poll_fd.events = POLLPRI;
	poll(&poll_fd, 1, 1);
	return 0;
}

static sigjmp_buf back;

static void handler_back(int signal)
{
	siglongjmp(back, 1);
}

/* Signals that carry more than their sender. */
static void informed(void)
{
	struct sigaction action = {.sa_handler = handler};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
				 .sigev_signo = SIGRTMIN,
				 .sigev_value.sival_int = 5};
	struct itimerspec spec = {.it_value.tv_nsec = 1000};
	sigset_t set, old;
	siginfo_t info;
	timer_t timer;
	int pipes[2];

	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGRTMIN, &action, NULL);
	sigaction(SIGPIPE, &action, NULL);
	sigaction(SIGIO, &action, NULL);
	sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 7});
	sigqueue(getpid(), SIGRTMIN,
		 (union sigval){.sival_ptr = (void *)0x123456789});
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, &old);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &spec, NULL);
	sigsuspend(&old);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	/* From some number on, those that are not in the set are shown. */
	for (int count = 41; count <= 43; count++) {
		uint64_t many = (1ull << count) - 1;

		syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &many, NULL, 8);
	}
	action.sa_handler = handler_back;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	if (!sigsetjmp(back, 1))
		asm volatile("movl $0, 16"); /* an invalid address */
	if (!sigsetjmp(back, 1))
		asm volatile("ud2");
	if (pipe(pipes))
		return;
	fcntl(pipes[0], F_SETFL, O_ASYNC);
	fcntl(pipes[0], F_SETOWN, getpid());
	if (write(pipes[1], "x", 1) == 1)
		close(pipes[0]);
	if (write(pipes[1], "x", 1) < 0)
		close(pipes[1]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1});
	sigtimedwait(&set, &info, &(struct timespec){1, 0});
	if (!fork())
		_exit(7);
	waitid(P_ALL, 0, &info, WEXITED);
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
	/* Blocked until it is waited for: it must not come earlier. */
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
	/* It is not our tracee. */
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	informed();
	return waiting();
}

static void keys(void)
{
	char text[100];
	long key = syscall(SYS_add_key, "user", "ktrace:test", "payload", 7,
			   KEY_SPEC_PROCESS_KEYRING);

	syscall(SYS_keyctl, KEYCTL_UPDATE, key, "other", 5, 0);
	syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, text, sizeof(text), 0);
	syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, text, 3, 0);
	syscall(SYS_keyctl, KEYCTL_READ, key, text, sizeof(text), 0);
	syscall(SYS_keyctl, KEYCTL_READ, key, NULL, 0, 0);
	syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_PROCESS_KEYRING, "user",
		"ktrace:test", 0);
	syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_PROCESS_KEYRING, 8, "x", 0);
	syscall(SYS_keyctl, KEYCTL_SETPERM, key, 0x3f3f0000, 0, 0);
	syscall(SYS_keyctl, KEYCTL_INSTANTIATE, key, "x", 1, 0);
	syscall(SYS_keyctl, KEYCTL_RESTRICT_KEYRING, key, "asymmetric",
		"builtin_trusted", 0);
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, "session", 0, 0, 0);
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0);
	syscall(SYS_keyctl, KEYCTL_REVOKE, key, 0, 0, 0);
	syscall(SYS_keyctl, KEYCTL_LINK, 1, KEY_SPEC_PROCESS_KEYRING, 0, 0);
	syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, 1, 10, 0, 0);
	syscall(SYS_request_key, "user", "ktrace:nothing", "callout", 0);
}

#define bpf(command, size, ...)                                                \
	({                                                                     \
		union bpf_attr attr_;                                          \
                                                                               \
		memset(&attr_, 0, sizeof(attr_));                              \
		memcpy(&attr_, &(union bpf_attr){__VA_ARGS__}, sizeof(attr_)); \
		syscall(SYS_bpf, command, &attr_, size ?: sizeof(attr_));      \
	})

static void programs(void)
{
	/* r0 = 0; exit */
	struct bpf_insn insns[] = {{.code = 0xb7}, {.code = 0x95}};
	struct bpf_map_info info;
	uint64_t value = 5;
	uint32_t key = 1;
	int map, program;

	map = bpf(BPF_MAP_CREATE, 0, .map_type = BPF_MAP_TYPE_ARRAY,
		  .key_size = 4, .value_size = 8, .max_entries = 2,
		  .map_name = "ktrace");
	bpf(BPF_MAP_CREATE, 20, .map_type = BPF_MAP_TYPE_HASH, .key_size = 4,
	    .value_size = 8, .max_entries = 2, .map_flags = BPF_F_NO_PREALLOC);
	bpf(BPF_MAP_UPDATE_ELEM, 0, .map_fd = map, .key = (long)&key,
	    .value = (long)&value);
	bpf(BPF_MAP_LOOKUP_ELEM, 32, .map_fd = map, .key = (long)&key,
	    .value = (long)&value);
	bpf(BPF_MAP_GET_NEXT_KEY, 0, .map_fd = map, .key = (long)&key,
	    .next_key = (long)&key);
	program =
		bpf(BPF_PROG_LOAD, 0, .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		    .insns = (long)insns, .insn_cnt = 2, .license = (long)"GPL",
		    .prog_name = "nothing");
	bpf(BPF_PROG_LOAD, 48, .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
	    .insns = (long)insns, .insn_cnt = 2, .license = 8);
	bpf(BPF_OBJ_PIN, 0, .pathname = (long)"/nowhere/pin",
	    .bpf_fd = program);
	bpf(BPF_OBJ_GET, 0, .pathname = (long)"/nowhere/pin");
	bpf(BPF_OBJ_GET_INFO_BY_FD, 0, .info.bpf_fd = map,
	    .info.info_len = sizeof(info), .info.info = (long)&info);
	bpf(BPF_RAW_TRACEPOINT_OPEN, 0,
	    .raw_tracepoint.name = (long)"sched_switch",
	    .raw_tracepoint.prog_fd = program);
	bpf(BPF_MAP_FREEZE, 0, .map_fd = map);
	bpf(BPF_MAP_FREEZE, 4, .map_fd = map);
	syscall(SYS_bpf, BPF_MAP_FREEZE, 8, 4);
	syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, NULL, 0);
	bpf(99, 8);
}

/* A process that is already traced cannot be traced again. */
static int commands(void)
{
	char name[16];
	int master = open("/dev/ptmx", O_RDWR | O_NOCTTY), slave, value = 0;
	struct termios termios;
	struct winsize size = {24, 80, 0, 0};
	int on = 1;

	ioctl(master, TIOCSPTLCK, &value);
	ioctl(master, TIOCGPTN, &value);
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	syscall(SYS_ioctl, slave, TCGETS, &termios);
	syscall(SYS_ioctl, slave, TCSETS, &termios);
	syscall(SYS_ioctl, slave, TCSETSW, &termios);
	syscall(SYS_ioctl, slave, TCSETSF, &termios);
	syscall(SYS_ioctl, slave, TCGETS, NULL);
	syscall(SYS_ioctl, slave, TCSETS, 8ul);
	ioctl(slave, TIOCSWINSZ, &size);
	ioctl(slave, TIOCGWINSZ, &size);
	ioctl(slave, TIOCGPGRP, &value);
	ioctl(slave, FIONREAD, &value);
	ioctl(slave, TIOCOUTQ, &value);
	ioctl(slave, FIONBIO, &on);
	ioctl(slave, FIOCLEX);
	ioctl(slave, FIONCLEX);
	ioctl(slave, TIOCEXCL);
	ioctl(1234, FIONREAD, &value);
	/* A C library may sign-extend the command. */
	syscall(SYS_ioctl, master, (long)(int)TIOCGPTN, &value);

	prctl(PR_SET_NAME, "commander");
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, 8ul);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	prctl(PR_GET_PDEATHSIG, &value);
	prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_SET_KEEPCAPS, 0);
	prctl(PR_GET_KEEPCAPS);
	prctl(PR_SET_TIMERSLACK, 50000);
	prctl(PR_GET_TIMERSLACK);
	prctl(PR_GET_TSC, &value);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_GET_CHILD_SUBREAPER, &value);
	prctl(PR_GET_CHILD_SUBREAPER, 8ul);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);
	prctl(PR_CAPBSET_READ, 1);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 0, 0, 0);

	keys();
	programs();
	return 0;
}

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

/* Memory that cannot be read, completely or in part. */
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

/* Writes the first @length letters and a NUL to @to. */
static void letters(char *to, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = 'a' + i % 26;
	to[length] = '\0';
}

/*
 * Strings that begin and end at each place of a word: inside of a page; up to the end of
 * the last existing page; beyond it, which cannot be read.
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
	/* Addresses that no program has, that only the kernel has, and that are invalid. */
	syscall(SYS_openat, -7, 0x7ffffffff000, O_PATH);
	syscall(SYS_openat, -7, 0x7fffffffffff, O_PATH);
	syscall(SYS_openat, -7, 0x00ff000000000008, O_PATH);
	syscall(SYS_openat, -7, -8l, O_PATH);
	printf("0x7ffffffff000\n0x7fffffffffff\n0xff000000000008\n"
	       "0xfffffffffffffff8\n");
	return 0;
}

/* F_GETLK tells who holds a lock. */
static void locks(void)
{
	int fd = open("/tmp/program.lock", O_RDWR | O_CREAT, 0600);
	struct flock lock = {.l_type = F_WRLCK, .l_start = 1, .l_len = 2};
	struct flock asked = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	struct f_owner_ex owner = {F_OWNER_PID, getpid()};
	int pid;

	fcntl(fd, F_SETLK, &lock);
	fcntl(fd, F_GETLK, &lock);
	pid = fork();
	if (!pid) {
		fcntl(fd, F_GETLK, &asked);
		fcntl(fd, F_OFD_GETLK, &asked);
		asked.l_type = 77;
		fcntl(fd, F_GETLK, &asked);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	fcntl(fd, F_GETLK, (void *)0x20000);
	fcntl(fd, F_SETOWN_EX, &owner);
	fcntl(fd, F_GETOWN_EX, &owner);
	fcntl(fd, F_SETSIG, SIGUSR1);
	fcntl(fd, F_GETSIG);
	fcntl(fd, F_SETSIG, 0);
	fcntl(fd, F_GETSIG);
	fcntl(fd, F_SETLEASE, F_RDLCK);
	fcntl(fd, F_GETLEASE);
	fcntl(memfd_create("seals", MFD_ALLOW_SEALING), F_ADD_SEALS,
	      F_SEAL_GROW | F_SEAL_SHRINK);
	fcntl(fd + 1, F_GET_SEALS);
	unlink("/tmp/program.lock");
}

/* More than 1024 descriptors do not fit into an fd_set. */
static void select_beyond(void)
{
	struct rlimit limit = {4096, 4096};
	unsigned long set[64] = {0}, other[64] = {0};
	struct timespec time = {0, 0};
	int pipes[2];

	setrlimit(RLIMIT_NOFILE, &limit);
	pipe(pipes);
	dup2(pipes[0], 2000);
	dup2(pipes[1], 3001);
	set[2000 / 64] |= 1ul << 2000 % 64;
	other[3001 / 64] |= 1ul << 3001 % 64;
	syscall(SYS_pselect6, 3002, set, other, NULL, &time, NULL);
}

static int descriptors(void)
{
	struct timespec time = {0, 1000};
	struct linger linger = {1, 5};
	struct ucred peer;
	socklen_t length = sizeof(peer);
	cpu_set_t cpus;
	sigset_t mask;
	int pair[2];

	locks();
	select_beyond();
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	pselect(0, NULL, NULL, NULL, &time, &mask);
	pselect(0, NULL, NULL, NULL, &time, NULL);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	getsockopt(pair[0], SOL_SOCKET, SO_PEERCRED, &peer, &length);
	setsockopt(pair[0], SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	length = sizeof(linger);
	getsockopt(pair[0], SOL_SOCKET, SO_LINGER, &linger, &length);
	setsockopt(pair[0], SOL_SOCKET, SO_LINGER, &linger, 4);
	mknod("/tmp/program.node", S_IFIFO | 0600, 0);
	unlink("/tmp/program.node");
	mknod("/tmp/program.node", 0600, 0);
	unlink("/tmp/program.node");
	mknod("/tmp/program.node", S_IFCHR | S_ISUID | 0640, makedev(1, 300));
	unlink("/tmp/program.node");
	sched_getaffinity(0, sizeof(cpus), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	CPU_ZERO(&cpus);
	sched_setaffinity(0, 8, &cpus);
	sched_getaffinity(0, 1, &cpus);
	return 0;
}

/* System V queues, semaphores and memory; each exists only here. */
static void queues(void)
{
	struct {
		long type;
		char text[64];
	} message = {7, "a message"};
	struct msqid_ds queue = {0};
	int id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);

	msgsnd(id, &message, 9, IPC_NOWAIT);
	msgctl(id, IPC_STAT, &queue);
	/* strace shows as much as there is room for. */
	msgrcv(id, &message, 9, 7, MSG_NOERROR);
	msgrcv(id, &message, sizeof(message.text), -9, IPC_NOWAIT);
	msgctl(id, IPC_SET, &queue);
	msgctl(id, IPC_RMID, NULL);
	msgget(0x1234, IPC_EXCL);
}

static int exchanges(void)
{
	struct iovec iov[2] = {{"one", 3}, {"two", 3}};
	struct semid_ds semaphores = {0};
	struct shmid_ds shared = {0};
	void *memory;
	int id, fd;

	queues();
	id = semget(IPC_PRIVATE, 2, IPC_CREAT | 0640);
	semctl(id, 1, SETVAL, 5);
	semctl(id, 1, GETVAL);
	semctl(id, 0, IPC_STAT, &semaphores);
	semctl(id, 0, IPC_RMID);
	id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | SHM_NORESERVE | 0600);
	memory = shmat(id, NULL, SHM_RDONLY);
	shmctl(id, IPC_STAT, &shared);
	shmdt(memory);
	shmctl(id, SHM_LOCK, NULL);
	shmctl(id, IPC_RMID, NULL);
	fd = memfd_create("program", 0);
	pwritev2(fd, iov, 2, 0, RWF_DSYNC);
	preadv2(fd, iov, 0, 0, RWF_NOWAIT | RWF_HIPRI);
	syscall(SYS_syncfs, fd);
	return 0;
}

/* Numbers that no call has.  The kernel reads only the lower half of rax. */
static int numbers(void)
{
	static char string[] = "here";
	const struct {
		unsigned long rax;
		const char *argument;
	} calls[] = {
		{0xffffffff, string},
		{0xffffffff, NULL},
		{0x100000999, string},
	};

	for (int i = 0; i < 3; i++) {
		long result;

		__asm__ volatile("syscall"
				 : "=a"(result)
				 : "a"(calls[i].rax), "D"(calls[i].argument)
				 : "rcx", "r11", "memory");
		if (result != -ENOSYS)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct named programs[] = {
		{"threads", threads},
		{"sockets", sockets},
		{"controls", controls},
		{"signals", signals},
		{"memory", memory},
		{"faults", faults},
		{"traced", traced},
		{"edges", edges},
		{"commands", commands},
		{"descriptors", descriptors},
		{"exchanges", exchanges},
		{"numbers", numbers},
		{NULL, NULL},
	};

	return named_run(programs, argc, argv);
}
