// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A 32-bit program to trace.  It uses no library, because 32-bit libraries may be missing.
 * Numbers of calls are those of arch/x86/entry/syscalls/syscall_32.tbl.
 */
#include <x86_64-linux-gnu/asm/unistd_32.h>

typedef unsigned int word;

static int call6(word number, word a, word b, word c, word d, word e, word f)
{
	word frame[] = {number, f};
	int result;

	/* The sixth argument is passed in %ebp. */
	asm volatile("push %%ebp\n\t"
		     "mov 4(%%eax), %%ebp\n\t"
		     "mov (%%eax), %%eax\n\t"
		     "int $0x80\n\t"
		     "pop %%ebp"
		     : "=a"(result)
		     : "a"(frame), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
		     : "memory");
	return result;
}

#define call(number, a, b, c, d) \
	call6(__NR_##number, (word)(a), (word)(b), (word)(c), (word)(d), 0, 0)

static char room[64], entries[4096];
static int fds[2];

static void files(void)
{
	int fd;

	fd = call(open, "/etc/passwd", 02000000, 0, 0);
	call(read, fd, room, 20, 0);
	call(_llseek, fd, 0, 5, room);
	call(close, fd, 0, 0, 0);
	fd = call(openat, -100, "/etc/hostname", 02000000, 0);
	call(dup, fd, 0, 0, 0);
	call(dup2, fd, 7, 0, 0);
	call(fcntl64, 7, 1, 0, 0);
	call(close, 7, 0, 0, 0);
	call(close, fd, 0, 0, 0);
	call(access, "/nowhere", 4, 0, 0);
	call(faccessat, -100, "/etc", 1, 0);
	call(chdir, "/tmp", 0, 0, 0);
	call(getcwd, room, sizeof(room), 0, 0);
	call(umask, 022, 0, 0, 0);
	call(mkdir, "d32", 0755, 0, 0);
	call(symlink, "/etc/passwd", "d32/link", 0, 0);
	call(readlink, "d32/link", room, sizeof(room), 0);
	call(rename, "d32/link", "d32/other", 0, 0);
	call(unlink, "d32/other", 0, 0, 0);
	call(unlink, "d32/other", 0, 0, 0);
	call(chmod, "d32", 0700, 0, 0);
	call(rmdir, "d32", 0, 0, 0);
	call(creat, "file32", 0600, 0, 0);
	call(write, 3, "data\n", 5, 0);
	call(truncate, "file32", 2, 0, 0);
	call(ftruncate, 3, 1, 0, 0);
	call(close, 3, 0, 0, 0);
	call(unlinkat, -100, "file32", 0, 0);
	fd = call(open, "/usr/share/zoneinfo/Europe", 0200000, 0, 0);
	call(getdents, fd, entries, 700, 0);
	call(getdents, fd, entries, 1, 0);
	call(getdents64, fd, entries, sizeof(entries), 0);
	call(close, fd, 0, 0, 0);
}

static void others(void)
{
	int memory;

	call(pipe2, fds, 02000000, 0, 0);
	call(write, fds[1], "through a pipe", 14, 0);
	call(read, fds[0], room, sizeof(room), 0);
	call(getpid, 0, 0, 0, 0);
	call(getuid32, 0, 0, 0, 0);
	call(geteuid32, 0, 0, 0, 0);
	call(sched_yield, 0, 0, 0, 0);
	call(brk, 0, 0, 0, 0);
	memory = call6(__NR_mmap2, 0, 8192, 3, 0x22, (word)-1, 0);
	call(mprotect, memory, 4096, 1, 0);
	call(madvise, memory, 8192, 4, 0);
	call(munmap, memory, 8192, 0, 0);
	call(kill, call(getpid, 0, 0, 0, 0), 0, 0, 0);
	call(prctl, 15, "thirtytwo", 0, 0);
	call(sync_file_range, -1, 0, 0, 0);
}

/* Structs in the layout of 32-bit programs. */
static word pair[2], four[4];
static word stat[64], rusage[32], action[5], text[100];

static void structs(void)
{
	static word zero[4];
	word vector[4], message[7], control[4], polled[2], event[3];
	int fd, epoll;

	fd = call(open, "/etc/passwd", 0, 0, 0);
	call(stat64, "/etc/passwd", stat, 0, 0);
	call(lstat64, "/dev/null", stat, 0, 0);
	call(fstat64, fd, stat, 0, 0);
	call(stat, "/etc/passwd", stat, 0, 0);
	call(fstat, fd, stat, 0, 0);
	call(fstatat64, -100, "/nowhere", stat, 0);
	call(stat64, "/etc/passwd", 8, 0, 0);
	call6(__NR_statx, -100, (word) "/etc/passwd", 0, 0x7ff, (word)stat, 0);
	call(statfs, "/proc", stat, 0, 0);
	call(statfs64, "/proc", 84, stat, 0);
	call(close, fd, 0, 0, 0);
	pair[0] = 0;
	pair[1] = 1000;
	call(nanosleep, pair, four, 0, 0);
	call(clock_gettime, 1, pair, 0, 0);
	call(clock_gettime64, 1, four, 0, 0);
	call(clock_getres, 1, pair, 0, 0);
	call(clock_nanosleep, 1, 0, zero, 0);
	call(gettimeofday, pair, 0, 0, 0);
	call(setitimer, 0, zero, four, 0);
	call(getitimer, 0, four, 0, 0);
	call(ugetrlimit, 7, pair, 0, 0);
	call(setrlimit, 7, pair, 0, 0);
	call(prlimit64, 0, 7, 0, four);
	call(getrusage, 0, rusage, 0, 0);
	call(times, four, 0, 0, 0);
	call(uname, text, 0, 0, 0);
	call(sysinfo, text, 0, 0, 0);
	action[0] = 1; /* SIG_IGN */
	call(rt_sigaction, 10, action, 0, 8);
	call(rt_sigaction, 10, 0, action, 8);
	call(rt_sigprocmask, 0, zero, four, 8);
	call(sigaltstack, 0, text, 0, 0);

	vector[0] = (word) "hello, ";
	vector[1] = 7;
	vector[2] = (word) "world";
	vector[3] = 5;
	call(socketpair, 1, 1, 0, fds);
	call(writev, fds[0], vector, 2, 0);
	vector[0] = (word)room;
	vector[1] = sizeof(room);
	call(readv, fds[1], vector, 1, 0);
	vector[0] = (word) "a message";
	vector[1] = 9;
	message[0] = message[1] = message[6] = 0;
	control[0] = sizeof(control); /* cmsg_len */
	control[1] = 1;		      /* SOL_SOCKET */
	control[2] = 1;		      /* SCM_RIGHTS */
	control[3] = fds[0];
	message[4] = (word)control;
	message[5] = sizeof(control);
	message[2] = (word)vector;
	message[3] = 1;
	call(sendmsg, fds[0], message, 0, 0);
	polled[0] = fds[1];
	polled[1] = 1; /* POLLIN */
	call(poll, polled, 1, 1000, 0);
	pair[0] = 1u << fds[1];
	four[0] = four[1] = 1;
	call6(__NR__newselect, fds[1] + 1, (word)pair, 0, 0, (word)four, 0);
	vector[0] = (word)room;
	vector[1] = sizeof(room);
	call(recvmsg, fds[1], message, 0, 0);
	epoll = call(epoll_create1, 0, 0, 0, 0);
	event[0] = 4; /* EPOLLOUT */
	event[1] = 7;
	event[2] = 0;
	call(epoll_ctl, epoll, 1, fds[0], event);
	call(epoll_wait, epoll, event, 1, 10);
	pair[0] = 0;
	pair[1] = 1000;
	call(futex, four, 0, four[0], pair);
	call(futex, four, 1, 1, 0);
	call(ioctl, fds[0], 0x541b, four, 0); /* FIONREAD */
}

/* Users of 16 bits, times and sets of signals of 32. */
static void old(void)
{
	static word times[4], set, ids[4];
	static unsigned short groups[16];
	word lock[6];
	int fd;

	fd = call(creat, "old32", 0600, 0, 0);
	call(chown, "old32", 0, 0xffff, 0);
	call(fchown, fd, 0, 0, 0);
	call(getuid, 0, 0, 0, 0);
	call(setreuid, 0xffff, 0, 0, 0);
	call(getresuid, ids, ids + 1, ids + 2, 0);
	call(getgroups, 16, groups, 0, 0);
	call(utime, "old32", times, 0, 0);
	call(utimes, "old32", times, 0, 0);
	lock[0] = 1; /* F_WRLCK, SEEK_SET */
	lock[1] = 0;
	lock[2] = 10;
	lock[3] = 0;
	call(fcntl, fd, 6, lock, 0);
	call(fcntl, fd, 5, lock, 0);
	lock[3] = lock[4] = lock[5] = 0;
	call(fcntl64, fd, 13, lock, 0);
	call(close, fd, 0, 0, 0);
	call(unlink, "old32", 0, 0, 0);
	call(signal, 10, 1, 0, 0);
	set = 1 << 9;
	call(sigprocmask, 0, &set, &set, 0);
	call(clock_nanosleep, 1, 0, times, 0);
}

static word words[6];

/* The arguments of the next call are in memory. */
static word *in_memory(word a, word b, word c, word d, word e, word f)
{
	words[0] = a;
	words[1] = b;
	words[2] = c;
	words[3] = d;
	words[4] = e;
	words[5] = f;
	return words;
}

#define socketcall(number, ...) \
	call(socketcall, number, in_memory(__VA_ARGS__), 0, 0)

/* Each call of sockets, with arguments that differ: most fail, as there is no descriptor -1. */
static void parts_sockets(void)
{
	static word address[4] = {2, 0x0100007f}, length = 16, value = 1;
	static word timeout[2] = {3, 4};
	static word vector[2] = {(word) "data", 4};
	static word message[8] = {0, 0, (word)vector, 1};
	int fd = socketcall(1, 2, 2, 0, 0, 0, 0); /* AF_INET, SOCK_DGRAM */

	socketcall(2, fd, (word)address, 16, 0, 0, 0);
	socketcall(3, fd, (word)address, 16, 0, 0, 0);
	socketcall(4, -1, 5, 0, 0, 0, 0);
	socketcall(5, -1, (word)address, (word)&length, 0, 0, 0);
	socketcall(6, fd, (word)address, (word)&length, 0, 0, 0);
	socketcall(7, -1, (word)address, (word)&length, 0, 0, 0);
	socketcall(8, 1, 1, 0, (word)fds, 0, 0);
	socketcall(9, fd, (word) "sent", 4, 0, 0, 0);
	socketcall(10, -1, (word)room, 40, 2, 0, 0);
	socketcall(11, -1, (word) "sent", 4, 1, (word)address, 16);
	socketcall(12, -1, (word)room, 40, 2, (word)address, (word)&length);
	socketcall(13, -1, 1, 0, 0, 0, 0);
	socketcall(14, fd, 1, 2, (word)&value, 4, 0); /* SO_REUSEADDR */
	length = 4;
	socketcall(15, fd, 1, 2, (word)&value, (word)&length, 0);
	socketcall(16, fds[0], (word)message, 0, 0, 0, 0);
	vector[0] = (word)room;
	socketcall(17, fds[1], (word)message, 0x40, 0, 0, 0); /* MSG_DONTWAIT */
	socketcall(18, -1, (word)address, (word)&length, 02000000, 0, 0);
	socketcall(19, -1, (word)message, 1, 2, (word)timeout, 0);
	socketcall(20, -1, (word)message, 1, 2, 0, 0);
	call(socketcall, 1, 8, 0, 0);
	call(close, fd, 0, 0, 0);
}

/* Each call of System V. */
static void parts_ipc(void)
{
	static word both[2], second = 2, where;
	static word operation[2], timeout[2] = {3, 4};
	static char queued[8] = {1};
	int id;

	operation[0] = 1 | (word)-1 << 16; /* sem_num, sem_op */
	call6(__NR_ipc, 1, -1, 1, 0, (word)operation, 0);
	id = call6(__NR_ipc, 2, 0, 3, 01600, 0, 0);
	call6(__NR_ipc, 3, -1, 4, 0x10c, (word)&second, 0); /* GETVAL */
	call6(__NR_ipc, 4, -1, 1, 0, (word)operation, (word)timeout);
	call6(__NR_ipc, 3, id, 0, 0x100, (word)&second, 0); /* IPC_RMID */
	id = call6(__NR_ipc, 13, 0, 01600, 0, 0, 0);
	call6(__NR_ipc, 11, id, 4, 0, (word)queued, 0);
	both[0] = (word)queued;
	both[1] = 1;
	call6(__NR_ipc, 12, id, 4, 04000, (word)both, 0); /* IPC_NOWAIT */
	call6(__NR_ipc, 0x10000 | 12, id, 4, 04000, (word)queued, 1);
	call6(__NR_ipc, 14, id, 0x100, 0, 0, 0); /* IPC_RMID */
	id = call6(__NR_ipc, 23, 0, 4096, 01600, 0, 0);
	call6(__NR_ipc, 21, id, 010000, (word)&where, 0, 0); /* SHM_RDONLY */
	call6(__NR_ipc, 22, 0, 0, 0, where, 0);
	call6(__NR_ipc, 24, id, 0x100, 0, 0, 0);
}

/* One call makes another: its number or its arguments are in memory. */
static void parts(void)
{
	static word timeout[2];
	word memory;

	parts_sockets();
	parts_ipc();
	call(select, in_memory(3, 0, 0, 0, (word)timeout, 0), 0, 0, 0);
	memory = call(mmap, in_memory(0, 8192, 3, 0x22, -1, 0), 0, 0, 0);
	call(munmap, memory, 8192, 0, 0);
}

void _start(void);

void _start(void)
{
	files();
	others();
	structs();
	old();
	parts();
	call(exit_group, 3, 0, 0, 0);
}
