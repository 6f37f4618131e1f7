// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Traces branches through the control tree, and does the same by ptrace.
 *
 *	branches trace [-s SIZE] [-w WORDS] PROGRAM [ARGUMENT...]
 *		writes the branches of PROGRAM and whoever it begins, as WORDS ("threads
 *		children mappings") say: a line "THREAD KIND FROM TO" each.  A line "THREAD end ..."
 *		tells of each thread.  Lines "THREAD map CHANGE SINCE BEGIN END OFFSET FILE" say what
 *		was mapped.  Ends as PROGRAM does.
 *	branches cpus [-s SIZE] -w WORDS PROGRAM [ARGUMENT...]
 *		writes what a context of CPUs ("all", "cpu 1") has of them while PROGRAM runs: lines
 *		"NUMBER KIND FROM TO", with the lines "NUMBER end ...".  "thread TID" tells of PROGRAM,
 *		"locked KB" of the locked memory that is left
 *	branches step PROGRAM [ARGUMENT...]
 *		writes where PROGRAM is at each stop: lines "ADDRESS [signal]", if a signal has sent
 *		it there
 *	branches debug ADDRESS [-t] PROGRAM [ARGUMENT...]
 *		counts how often PROGRAM comes to a breakpoint at ADDRESS, over which it is stepped.
 *		Prints "HITS STATUS".  -t: while it is traced
 *	branches open|open-mappings COUNT PID...
 *		opens and closes COUNT contexts on these, at random; also with what is mapped
 *
 * PROGRAM has its addresses where it was linked to.  The control tree is in $tree.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktrace_branch.h>

#include "locked.h"

static const char *const kinds[KT_BRANCH_KINDS] = {
	"none", "jump",		 "conditional", "indirect",
	"call", "indirect_call", "return",	"syscall",
	"sent", "unknown",	 "arrives",	"leaves",
	"ends", "begins",	 "last",	"time",
};

static void fail(const char *what)
{
	fprintf(stderr, "branches: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int context_open(void)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/branches", getenv("tree"));
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fail(path);
	return fd;
}

/* ---- trace ---------------------------------------------------------------- */

static bool thread_print(int fd, unsigned int thread, struct kt_branch *entries,
			 unsigned int max)
{
	struct kt_branches read = {
		.entries = (__u64)entries, .max = max, .thread = thread};

	if (ioctl(fd, KT_READ_BRANCHES, &read)) {
		if (errno != ENOENT)
			fail("KT_READ_BRANCHES");
		return false;
	}
	for (unsigned int i = read.skip; i < read.nr; i++) {
		__u64 from = entries[i].from;

		printf("%u %s %llx %llx\n", thread,
		       kinds[from >> KT_BRANCH_KIND_SHIFT],
		       from & KT_BRANCH_PLACE_MASK, entries[i].to);
	}
	printf("%u end first %llu nr %u skip %u unread %llu ended %u unfollowed %u tid %u\n",
	       thread, read.first, read.nr, read.skip, read.unread, read.ended,
	       read.unfollowed, read.tid);
	return true;
}

/* What it had mapped, from which of its branches on. */
static void mappings_print(int fd, unsigned int thread)
{
	static struct kt_branch_map maps[4096];
	struct kt_branch_maps read = {
		.maps = (__u64)maps, .max = 4096, .thread = thread};

	for (; !ioctl(fd, KT_READ_MAPPINGS, &read); read.change++)
		for (unsigned int i = 0; i < read.nr; i++)
			printf("%u map %u %llu %llx %llx %llx %u\n", thread,
			       read.change, read.since, maps[i].begin,
			       maps[i].end, maps[i].offset, maps[i].file);
	if (errno != ENOENT && errno != ENODATA)
		fail("KT_READ_MAPPINGS");
}

static void context_ask(int fd, const char *words, pid_t pid, const char *size)
{
	char line[128];

	if (pid)
		snprintf(line, sizeof(line), "pid %d size %s %s\n", pid, size,
			 words);
	else
		snprintf(line, sizeof(line), "%s size %s\n", words, size);
	if (write(fd, line, strlen(line)) < 0)
		fail(line);
}

/* The child waits until it is traced, if a context is given. */
static pid_t program_run(char **argv, int fd, const char *words,
			 const char *size, int *status)
{
	int pipes[2];
	pid_t pid;
	char byte;

	if (pipe(pipes))
		fail("pipe");
	pid = fork();
	if (!pid) {
		close(pipes[1]);
		personality(ADDR_NO_RANDOMIZE);
		if (read(pipes[0], &byte, 1) != 1)
			_exit(2);
		close(pipes[0]);
		execv(argv[0], argv);
		_exit(2);
	}
	if (fd >= 0)
		context_ask(fd, words, pid, size);
	if (write(pipes[1], "", 1) != 1 || waitpid(pid, status, 0) != pid)
		fail("waitpid");
	return pid;
}

static struct kt_branch *room(const char *size, unsigned int *max)
{
	struct kt_branch *entries;

	*max = strtoul(size, NULL, 0) / sizeof(*entries);
	entries = calloc(*max, sizeof(*entries));
	if (!entries)
		fail(size);
	return entries;
}

static int trace_cpus(const char *size, const char *words, char **argv)
{
	struct kt_branch *entries;
	int fd = context_open(), status;
	unsigned int max;
	pid_t pid;

	entries = room(size, &max);
	context_ask(fd, words, 0, size);
	pid = program_run(argv, -1, NULL, NULL, &status);
	for (unsigned int i = 0; thread_print(fd, i, entries, max); i++)
		;
	close(fd);
	printf("thread %d\nlocked %ld\n", pid, locked_memory());
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int trace(const char *size, const char *words, char **argv)
{
	int fd = context_open(), status;
	struct kt_branch *entries;
	unsigned int max;

	entries = room(size, &max);
	program_run(argv, fd, words, size, &status);
	for (unsigned int i = 0; thread_print(fd, i, entries, max); i++)
		mappings_print(fd, i);
	close(fd);
	if (WIFSIGNALED(status))
		fprintf(stderr, "branches: killed by signal %d\n",
			WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* ---- step ----------------------------------------------------------------- */

/* Begins the program under ptrace, and waits until it stops at its first instruction. */
static pid_t debugged(char **argv, int *status)
{
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		personality(ADDR_NO_RANDOMIZE);
		execv(argv[0], argv);
		_exit(2);
	}
	waitpid(pid, status, 0);
	return pid;
}

static int step(char **argv)
{
	struct user_regs_struct regs;
	int status, signal = 0;
	bool by_signal = false;
	pid_t pid = debugged(argv, &status);

	while (WIFSTOPPED(status)) {
		signal = WSTOPSIG(status);
		ptrace(PTRACE_GETREGS, pid, 0, &regs);
		/* Its own breakpoint; all other stops of this kind are those of ptrace. */
		if (signal == SIGTRAP) {
			siginfo_t info;

			ptrace(PTRACE_GETSIGINFO, pid, 0, &info);
			if (info.si_code != SI_KERNEL)
				signal = 0;
		}
		if (!signal)
			printf("%llx%s\n", regs.rip,
			       by_signal ? " signal" : "");
		by_signal = signal;
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, signal))
			fail("PTRACE_SINGLESTEP");
		waitpid(pid, &status, 0);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* ---- debug ---------------------------------------------------------------- */

static void poke(pid_t pid, long address, unsigned char byte,
		 unsigned char *before)
{
	long word = ptrace(PTRACE_PEEKTEXT, pid, address, 0);

	if (before)
		*before = word;
	ptrace(PTRACE_POKETEXT, pid, address, (word & ~0xffl) | byte);
}

/* From behind the breakpoint to behind the instruction that it stands for. */
static void step_over(pid_t pid, long address, unsigned char original)
{
	struct user_regs_struct regs;
	int status;

	poke(pid, address, original, NULL);
	ptrace(PTRACE_GETREGS, pid, 0, &regs);
	regs.rip = address;
	ptrace(PTRACE_SETREGS, pid, 0, &regs);
	ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
	waitpid(pid, &status, 0);
	poke(pid, address, 0xcc, NULL);
}

static int debug(long address, bool traced, char **argv)
{
	struct user_regs_struct regs;
	unsigned char original = 0;
	int status, signal, hits = 0, fd;
	char line[64];
	pid_t pid = debugged(argv, &status);

	if (traced) {
		fd = context_open();
		snprintf(line, sizeof(line), "pid %d", pid);
		if (write(fd, line, strlen(line)) < 0)
			fail(line);
	}
	poke(pid, address, 0xcc, &original);
	ptrace(PTRACE_CONT, pid, 0, 0);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		signal = WSTOPSIG(status);
		ptrace(PTRACE_GETREGS, pid, 0, &regs);
		if (signal == SIGTRAP && (long)regs.rip == address + 1) {
			step_over(pid, address, original);
			signal = 0;
			hits++;
		}
		ptrace(PTRACE_CONT, pid, 0, signal);
	}
	printf("%d %#x\n", hits, status);
	return 0;
}

/* ---- open ----------------------------------------------------------------- */

static int open_many(int count, const char *words, char **pids)
{
	int contexts[10], nr = 0;
	struct kt_branch entries[256];

	memset(contexts, -1, sizeof(contexts));
	while (pids[nr])
		nr++;
	while (count--) {
		int *context = &contexts[rand() % 10];
		struct kt_branches read = {.entries = (__u64)entries,
					   .max = 256};
		char line[64];

		if (*context >= 0) {
			if (!ioctl(*context, KT_READ_BRANCHES, &read) &&
			    read.nr > 256)
				return 1;
			close(*context);
			*context = -1;
			continue;
		}
		*context = context_open();
		snprintf(line, sizeof(line),
			 "pid %s size 4096 threads children%s",
			 pids[rand() % nr], words);
		if (write(*context, line, strlen(line)) < 0 && errno != ESRCH)
			fail(line);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *size = "65536", *words = "";
	bool of_cpus;
	int option;

	if (argc > 2 && !strcmp(argv[1], "step"))
		return step(argv + 2);
	if (argc > 3 && !strcmp(argv[1], "debug")) {
		bool traced = !strcmp(argv[3], "-t");

		return debug(strtol(argv[2], NULL, 16), traced,
			     argv + 3 + traced);
	}
	if (argc > 3 &&
	    (!strcmp(argv[1], "open") || !strcmp(argv[1], "open-mappings")))
		return open_many(atoi(argv[2]), argv[1][4] ? " mappings" : "",
				 argv + 3);
	if (argc < 3 || (strcmp(argv[1], "trace") && strcmp(argv[1], "cpus")))
		return 2;
	of_cpus = !strcmp(argv[1], "cpus");
	argv++;
	argc--;
	while ((option = getopt(argc, argv, "+s:w:")) != -1) {
		if (option == 's')
			size = optarg;
		else if (option == 'w')
			words = optarg;
		else
			return 2;
	}
	return (of_cpus ? trace_cpus : trace)(size, words, argv + optind);
}
