// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A 32-bit program to trace, on its own: no library of that kind need be there.
 * Numbers of calls are those of arch/x86/entry/syscalls/syscall_32.tbl.
 */
#include <x86_64-linux-gnu/asm/unistd_32.h>

typedef unsigned int word;

static int call6(word number, word a, word b, word c, word d, word e, word f)
{
	word frame[] = {number, f};
	int result;

	/* The sixth argument goes in %ebp. */
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

void _start(void);

void _start(void)
{
	files();
	others();
	call(exit_group, 3, 0, 0, 0);
}
