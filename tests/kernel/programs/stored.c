// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Branches of a processor that stores them, which the module ktrace-store plays: does each context see its
 * own?
 *
 *	stored all COUNT
 *		Two players play COUNT branches together: the first one goes to and fro between CPU 0 and
 *		CPU 1, the other one stays on CPU 1.  At the same time three contexts trace: the program's
 *		branches of the first one; both of CPU 0; the kernel's of all.
 *	stored churn COUNT
 *		One player; others open and close contexts of it and of CPUs meanwhile
 *	stored hotplug COUNT FILE
 *		One plays while CPU 1 is off, one on CPU 1 when it is on again: "0" and "1" are written to FILE
 *	stored running ROUNDS
 *		In each round a player on CPU 0 plays, and runs on: what contexts have then, and others that
 *		begin then
 *	stored burst COUNT
 *		One plays more than there is room for
 *	stored missing COUNT FILE
 *		As hotplug, but CPU 1 does not begin
 *	stored away COUNT
 *		perf has taken the store away for a while
 *
 * Prints a line for each buffer: "NAME found N wanted N strange N lost N".  Strange is an entry that is not
 * the next one of those that are wanted (of "burst", "missing" and "away": a later one), or is not behind a
 * stamp of its thread, or says once more that the context begins.  The control tree is in $tree.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktrace_branch.h>

#include "locked.h"

/* As ktrace-store makes them. */
#define PROGRAM 0x0000100000000000ull
#define KERNEL	0xffff800000000000ull

/* The first player goes to another CPU behind so many. */
#define PIECE	5000ull

#define PLAYERS 3

enum { USER = 1, OF_KERNEL = 2 };

static void fail(const char *what)
{
	fprintf(stderr, "stored: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* ---- players -------------------------------------------------------------- */

static pid_t tids[PLAYERS];
static int gates[PLAYERS];

static void run_on(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity");
}

static void write_file(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0)
		fail(path);
	if (write(fd, line, strlen(line)) < 0)
		fail(line);
	close(fd);
}

/* Of the module. */
static void command(const char *line)
{
	write_file("/sys/kernel/debug/ktrace-store/play", line);
}

static void play(const char *how, int player, unsigned long long first,
		 unsigned long long count)
{
	char line[64];

	snprintf(line, sizeof(line), "%s %d %llu %llu", how, player, first,
		 count);
	command(line);
}

static unsigned int cpu_of(int player, unsigned long long number)
{
	return player == 1 ? number / PIECE % 2 : player - 1u;
}

static void play_pieces(int player, unsigned long long count)
{
	for (unsigned long long i = 0; i < count; i += PIECE) {
		run_on(cpu_of(player, i));
		play("play", player, i, count - i < PIECE ? count - i : PIECE);
	}
}

static void play_burst(int player, unsigned long long count)
{
	run_on(0);
	play("burst", player, 0, count);
}

static void play_away(int player, unsigned long long count)
{
	run_on(0);
	play("play", player, 0, count / 3);
	command("away 1");
	play("play", player, count / 3, count / 3);
	/* It leaves its CPU meanwhile. */
	run_on(1);
	run_on(0);
	command("away 0");
	play("play", player, count / 3 * 2, count / 3);
}

/* So few that the store is not emptied for them. */
#define ROUND 1000ull

/* Which round the player has played, and which one it is to play next. */
static volatile struct rounds {
	unsigned long long played, wanted;
} * rounds;

/* It stays on its CPU without a call of the kernel. */
static void play_rounds(int player, unsigned long long count)
{
	run_on(0);
	while (rounds->played < count) {
		if (rounds->wanted == rounds->played)
			continue;
		play("play", player, rounds->played * ROUND, ROUND);
		rounds->played++;
	}
}

/* It waits until its gate opens. */
static void player_begin(int player,
			 void (*plays)(int player, unsigned long long count),
			 unsigned long long count)
{
	int pipes[2];
	char byte;

	if (pipe(pipes))
		fail("pipe");
	fflush(stdout);
	tids[player] = fork();
	if (tids[player]) {
		close(pipes[0]);
		gates[player] = pipes[1];
		return;
	}
	if (read(pipes[0], &byte, 1) != 1)
		_exit(2);
	plays(player, count);
	_exit(0);
}

static void player_go(int player)
{
	if (write(gates[player], "", 1) != 1)
		fail("a gate");
}

static void player_await(int player)
{
	int status;

	if (waitpid(tids[player], &status, 0) != tids[player] || status)
		fail("a player");
}

/* ---- contexts ------------------------------------------------------------- */

/* -1: the thread has ended. */
static int context_try(const char *format, pid_t pid, const char *size)
{
	char path[256], line[128];
	int fd;

	snprintf(path, sizeof(path), "%s/branches", getenv("tree"));
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fail(path);
	snprintf(line, sizeof(line), format, pid);
	strcat(line, " by bts size ");
	strcat(line, size);
	if (write(fd, line, strlen(line)) >= 0)
		return fd;
	if (errno != ESRCH)
		fail(line);
	close(fd);
	return -1;
}

static int context_open(const char *format, pid_t pid, const char *size)
{
	int fd = context_try(format, pid, size);

	if (fd < 0)
		fail("the player");
	return fd;
}

/* Some of what is wanted may be missing. */
static bool lossy;

/* What is wanted of a buffer. */
struct want {
	const char *name;
	int modes;
	int cpu; /* -1: all */
	unsigned long long counts
		[PLAYERS]; /* of each player, from 0 on; 0: nothing of it */
};

static bool is_wanted(const struct want *want, int player,
		      unsigned long long number)
{
	return number < want->counts[player] &&
	       (want->modes & (number & 1 ? OF_KERNEL : USER)) &&
	       (want->cpu < 0 || cpu_of(player, number) == (unsigned)want->cpu);
}

static unsigned long long next_wanted(const struct want *want, int player,
				      unsigned long long number)
{
	while (number < want->counts[player] &&
	       !is_wanted(want, player, number))
		number++;
	return number;
}

static struct kt_branches buffer_read(int fd, unsigned int number)
{
	struct kt_branches read = {.max = 1u << 20, .thread = number};

	read.entries = (__u64)calloc(read.max, sizeof(struct kt_branch));
	if (!read.entries || ioctl(fd, KT_READ_BRANCHES, &read))
		fail("KT_READ_BRANCHES");
	return read;
}

static bool is_next(const struct want *want, const struct kt_branch *entry,
		    unsigned long long *nexts, pid_t tid)
{
	__u64 from = kt_branch_place(entry->from);
	int player = from >> 36 & 0xff;
	unsigned long long number = (from & 0xfffffffffull) >> 8;

	if (player >= PLAYERS || number < nexts[player] ||
	    (number > nexts[player] && !lossy) ||
	    !is_wanted(want, player, number) || entry->to != from + 0x80 ||
	    (from & ~0xffffffffffull) != (number & 1 ? KERNEL : PROGRAM) ||
	    (tid && tid != tids[player]))
		return false;
	nexts[player] = next_wanted(want, player, number + 1);
	return true;
}

/* What a buffer has; of several reads, all together. */
struct seen {
	unsigned long long stamps, found, wanted, strange, lost;
};

static void look(int fd, unsigned int number, const struct want *want,
		 struct seen *seen)
{
	struct kt_branches read = buffer_read(fd, number);
	const struct kt_branch *entries = (const void *)read.entries;
	unsigned long long nexts[PLAYERS];
	bool told = false;
	pid_t tid = 0;

	for (int player = 0; player < PLAYERS; player++) {
		for (unsigned long long i = 0; i < want->counts[player]; i++)
			seen->wanted += is_wanted(want, player, i);
		nexts[player] = next_wanted(want, player, 0);
	}
	for (unsigned int i = read.skip; i < read.nr; i++) {
		unsigned int kind = entries[i].from >> KT_BRANCH_KIND_SHIFT;

		if (kt_branch_is_stamp(kind)) {
			tid = (entries[i].from & KT_BRANCH_PLACE_MASK) >>
			      KT_BRANCH_TID_SHIFT;
			seen->stamps++;
			/* Others begin, too: that is theirs. */
			seen->strange += kind == KT_BRANCH_BEGINS && i;
			continue;
		}
		if (kind == KT_BRANCH_LAST)
			continue;
		seen->found++;
		if (is_next(want, &entries[i], nexts, tid))
			continue;
		seen->strange++;
		if (!told)
			printf("# %s: entry %u of thread %d: %llx %llx\n",
			       want->name, i, tid,
			       kt_branch_place(entries[i].from), entries[i].to);
		told = true;
	}
	seen->lost += read.lost + read.first;
	free((void *)read.entries);
}

static void seen_print(const char *name, const struct seen *seen)
{
	printf("%s found %llu wanted %llu strange %llu lost %llu\n", name,
	       seen->found, seen->wanted, seen->strange, seen->lost);
}

static void check(int fd, unsigned int number, const struct want *want)
{
	struct seen seen = {};

	look(fd, number, want, &seen);
	seen_print(want->name, &seen);
}

/* ---- what is tried -------------------------------------------------------- */

static void all(unsigned long long count)
{
	unsigned long long first = count / 10 * 7, other = count - first;
	struct want want_thread = {"thread-user", USER, -1, {0, first}};
	struct want want_cpu = {"cpu-both", USER | OF_KERNEL, 0, {0, first}};
	struct want wants_all[2] = {
		{"all-kernel-0", OF_KERNEL, 0, {0, first, other}},
		{"all-kernel-1", OF_KERNEL, 1, {0, first, other}}};
	int thread, cpu, whole;

	player_begin(1, play_pieces, first);
	player_begin(2, play_pieces, other);
	thread = context_open("pid %d user", tids[1], "16777216");
	cpu = context_open("cpu 0 user kernel", 0, "16777216");
	whole = context_open("all kernel", 0, "16777216");
	player_go(1);
	player_go(2);
	player_await(1);
	player_await(2);
	check(thread, 0, &want_thread);
	check(cpu, 0, &want_cpu);
	check(whole, 0, &wants_all[0]);
	check(whole, 1, &wants_all[1]);
	close(thread);
	close(cpu);
	close(whole);
}

static void churn(unsigned long long count)
{
	struct want want = {"thread-both", USER | OF_KERNEL, -1, {0, count}};
	static const char *const lines[] = {"pid %d user", "cpu 0 kernel",
					    "pid %d kernel", "all user kernel"};
	unsigned int opened = 0;
	int thread, status;

	player_begin(1, play_pieces, count);
	thread = context_open("pid %d user kernel", tids[1], "16777216");
	player_go(1);
	while (!waitpid(tids[1], &status, WNOHANG)) {
		/* It may end meanwhile. */
		int fd = context_try(lines[opened % 4], tids[1], "65536");

		if (fd < 0)
			continue;
		if (opened % 3)
			usleep(1000);
		close(fd);
		opened++;
	}
	if (status)
		fail("a player");
	check(thread, 0, &want);
	printf("opened %u\n", opened);
	close(thread);
}

static void hotplug(unsigned long long count, const char *path)
{
	struct want wants[2] = {{"cpu-0", OF_KERNEL, 0, {0, 0, 0}},
				{"cpu-1", OF_KERNEL, 1, {0, 0, count}}};
	int whole = context_open("all kernel", 0, "16777216");

	write_file(path, "0");
	/* One that would go to CPU 1 could not. */
	wants[0].counts[1] = count < PIECE ? count : PIECE;
	player_begin(1, play_pieces, wants[0].counts[1]);
	player_go(1);
	player_await(1);
	write_file(path, "1");
	player_begin(2, play_pieces, count);
	player_go(2);
	player_await(2);
	check(whole, 0, &wants[0]);
	check(whole, 1, &wants[1]);
	close(whole);
}

/* The next round, until it was played. */
static void round_play(void)
{
	rounds->wanted++;
	while (rounds->played < rounds->wanted)
		;
}

/* One begins while the player runs: nothing of before is in it. */
static void begins(const char *format, struct seen *seen)
{
	const struct want want = {.name = format};
	struct seen now = {};
	int fd = context_open(format, tids[1], "65536");

	/* A thread begins when it comes back from the kernel the next time. */
	while (!now.stamps)
		look(fd, 0, &want, &now);
	seen->found += now.found;
	seen->strange += now.strange;
	seen->lost += now.lost;
	close(fd);
}

static void running(unsigned long long count)
{
	struct want want = {"running", USER | OF_KERNEL, -1, {0}};
	struct seen thread_seen = {}, cpu_seen = {}, thread_new = {},
		    cpu_new = {};
	int thread, cpu;

	rounds = mmap(NULL, sizeof(*rounds), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (rounds == MAP_FAILED)
		fail("mmap");
	run_on(1);
	player_begin(1, play_rounds, count);
	thread = context_open("pid %d user kernel", tids[1], "16777216");
	cpu = context_open("cpu 0 user kernel", 0, "16777216");
	player_go(1);
	for (unsigned long long i = 0; i + 1 < count; i++) {
		round_play();
		want.counts[1] = rounds->played * ROUND;
		/* Only the first one is told what was not known before. */
		if (i % 4 == 0)
			look(thread, 0, &want, &thread_seen);
		else if (i % 4 == 1)
			look(cpu, 0, &want, &cpu_seen);
		else if (i % 4 == 2)
			begins("pid %d user kernel", &thread_new);
		else
			begins("cpu 0 user kernel", &cpu_new);
	}
	rounds->wanted++;
	player_await(1);
	seen_print("running-thread", &thread_seen);
	seen_print("running-cpu", &cpu_seen);
	seen_print("begun-thread", &thread_new);
	seen_print("begun-cpu", &cpu_new);
	close(thread);
	close(cpu);
}

static void burst(unsigned long long count)
{
	static const struct {
		const char *name, *line;
		int modes;
	} tried[] = {{"burst-user", "pid %d user", USER},
		     {"burst-kernel", "pid %d kernel", OF_KERNEL},
		     {"burst-cpu", "cpu 0 user", USER}};
	int fds[3];

	lossy = true;
	player_begin(1, play_burst, count);
	for (int i = 0; i < 3; i++)
		fds[i] = context_open(tried[i].line, tids[1], "16777216");
	player_go(1);
	player_await(1);
	for (int i = 0; i < 3; i++) {
		struct want want = {
			tried[i].name, tried[i].modes, -1, {0, count}};

		check(fds[i], 0, &want);
		close(fds[i]);
	}
}

static void missing(unsigned long long count, const char *path)
{
	struct want want = {"missing-all", OF_KERNEL, 1, {0, 0, count}};
	int whole = context_open("all kernel", 0, "16777216"), thread, later;

	lossy = true;
	write_file(path, "0");
	command("fail 1 16");
	write_file(path, "1");
	player_begin(2, play_pieces, count);
	thread = context_open("pid %d kernel", tids[2], "16777216");
	later = context_open("cpu 1 kernel", 0, "16777216");
	player_go(2);
	player_await(2);
	command("fail 1 0");
	check(whole, 1, &want);
	want.name = "missing-thread";
	check(thread, 0, &want);
	want.name = "missing-cpu";
	check(later, 0, &want);
	close(whole);
	close(thread);
	close(later);
}

static void away(unsigned long long count)
{
	struct want want = {"away-thread", USER | OF_KERNEL, -1, {0, count}};
	int thread;

	lossy = true;
	player_begin(1, play_away, count);
	thread = context_open("pid %d user kernel", tids[1], "16777216");
	player_go(1);
	player_await(1);
	check(thread, 0, &want);
	close(thread);
}

int main(int argc, char **argv)
{
	unsigned long long count;

	if (argc < 3)
		return 2;
	count = strtoull(argv[2], NULL, 0);
	if (!strcmp(argv[1], "all"))
		all(count);
	else if (!strcmp(argv[1], "churn"))
		churn(count);
	else if (!strcmp(argv[1], "hotplug") && argc > 3)
		hotplug(count, argv[3]);
	else if (!strcmp(argv[1], "running"))
		running(count);
	else if (!strcmp(argv[1], "burst"))
		burst(count);
	else if (!strcmp(argv[1], "missing") && argc > 3)
		missing(count, argv[3]);
	else if (!strcmp(argv[1], "away"))
		away(count);
	else
		return 2;
	printf("locked %ld\n", locked_memory());
	return 0;
}
