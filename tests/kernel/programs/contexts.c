// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Contexts of branches that come and go over tasks that do the same for ever.
 *
 *	contexts SECONDS
 *
 * Four tasks walk over the CPUs.  What may follow a branch is learned first, from one of them.  Then ten
 * contexts, each of one task, a CPU or all CPUs, are opened, read and closed at random: each read must be
 * a whole stretch of branches that may follow each other, and at the end no locked memory may be left.
 * It goes on for longer until there were enough of them to compare, also of CPUs.
 * Of CPUs, a stretch is what one of the tasks has run there without a pause.  The control tree is
 * in $tree.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <ktrace_branch.h>

#include "locked.h"

#define TASKS	 4
#define CONTEXTS 10
#define COMPARED 1000
#define SIZE_MAX (256u << 10)
#define ENTRIES	 (SIZE_MAX / sizeof(struct kt_branch))

static void fail(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- what the tasks do ---------------------------------------------------- */

static volatile unsigned int sum;

static __attribute__((noinline)) unsigned int fibonacci(unsigned int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static __attribute__((noinline)) unsigned int twice(unsigned int n)
{
	return n * 2;
}

static __attribute__((noinline)) unsigned int less(unsigned int n)
{
	return n - 1;
}

static unsigned int (*const volatile functions[])(unsigned int) = {twice, less};

static void task_run(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned int i = 0;; i++) {
		sum += fibonacci(6) + functions[i % 2](i);
		if (i % 8 == 0)
			syscall(SYS_sched_yield);
	}
}

/* ---- what may follow a branch --------------------------------------------- */

/* A branch, and where the one before it went. */
struct step {
	__u64 before, from, to;
};

#define STEPS_MAX 4096

static struct step steps[STEPS_MAX];
static unsigned int nr_steps;

static bool is_known(const struct step *step)
{
	for (unsigned int i = 0; i < nr_steps; i++)
		if (!memcmp(&steps[i], step, sizeof(*step)))
			return true;
	return false;
}

static struct kt_branch entries[ENTRIES];

static pid_t tasks[TASKS];

static bool is_task(pid_t tid)
{
	for (int i = 0; i < TASKS; i++)
		if (tasks[i] == tid)
			return true;
	return false;
}

/* Where in what was read one is, and whose entries come. */
struct place {
	unsigned int at, nr;
	bool of_cpu;
	pid_t tid; /* of a CPU: 0: not known yet */
};

static void stamp_pass(struct place *place, const struct kt_branch *stamp,
		       struct step *step)
{
	unsigned int kind = stamp->from >> KT_BRANCH_KIND_SHIFT;

	if (!place->of_cpu)
		return;
	if (kind != KT_BRANCH_ARRIVES && kind != KT_BRANCH_BEGINS)
		return;
	/* It may have run elsewhere. */
	place->tid =
		(stamp->from & KT_BRANCH_PLACE_MASK) >> KT_BRANCH_TID_SHIFT;
	step->to = 0;
}

/* The next step of what was read.  False: there is none. */
static bool step_next(struct place *place, struct step *step)
{
	while (place->at < place->nr) {
		const struct kt_branch *entry = &entries[place->at++];

		if (kt_branch_is_stamp(entry->from >> KT_BRANCH_KIND_SHIFT)) {
			stamp_pass(place, entry, step);
			continue;
		}
		if (place->of_cpu && !is_task(place->tid))
			continue;
		*step = (struct step){step->to, entry->from, entry->to};
		if (step->before)
			return true;
	}
	return false;
}

/* ---- contexts ------------------------------------------------------------- */

static struct context {
	int fd; /* negative: it is closed */
	bool of_cpu;
	unsigned int buffers;
} contexts[CONTEXTS];

static unsigned long nr_opened, nr_reads, nr_compared, nr_cpus_compared,
	nr_mapped;

/* @whom, "pid", "cpu" or "all", and its number. */
static int context_open(const char *whom, int number, unsigned int size,
			const char *words)
{
	char path[256], line[128], which[16] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/branches", getenv("tree"));
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fail(path);
	if (number >= 0)
		snprintf(which, sizeof(which), " %d", number);
	snprintf(line, sizeof(line), "%s%s size %u%s", whom, which, size,
		 words);
	if (write(fd, line, strlen(line)) < 0)
		fail(line);
	nr_opened++;
	return fd;
}

static struct place context_read(int fd, unsigned int buffer)
{
	struct kt_branches read = {
		.entries = (__u64)entries, .max = ENTRIES, .thread = buffer};

	if (ioctl(fd, KT_READ_BRANCHES, &read))
		fail("KT_READ_BRANCHES");
	if (read.ended || read.unfollowed || read.unread) {
		printf("ended %u unfollowed %u unread %llu\n", read.ended,
		       read.unfollowed, read.unread);
		exit(1);
	}
	nr_reads++;
	return (struct place){.at = read.skip, .nr = read.nr};
}

static void learn(pid_t task, const char *words)
{
	int fd = context_open("pid", task, SIZE_MAX, words);
	unsigned int quiet = 0;
	struct place place;

	/* Until nothing new comes for a while. */
	while (quiet < 20) {
		struct step step = {0};

		usleep(50000);
		place = context_read(fd, 0);
		quiet += place.nr > 1000;
		while (step_next(&place, &step)) {
			if (is_known(&step))
				continue;
			if (nr_steps == STEPS_MAX) {
				printf("too many steps\n");
				exit(1);
			}
			steps[nr_steps++] = step;
			quiet = 0;
		}
	}
	close(fd);
}

static void compare(const struct context *context)
{
	struct place place =
		context_read(context->fd, rand() % context->buffers);
	struct step step = {0};

	place.of_cpu = context->of_cpu;
	while (step_next(&place, &step)) {
		nr_compared++;
		nr_cpus_compared += place.of_cpu;
		if (is_known(&step))
			continue;
		printf("behind %llx came %llx -> %llx (kind %llu), entry %u of %u\n",
		       step.before, step.from & KT_BRANCH_PLACE_MASK, step.to,
		       step.from >> KT_BRANCH_KIND_SHIFT, place.at, place.nr);
		exit(1);
	}
}

/* What tasks on CPUs had mapped: the changes of each come in their order. */
static void visits_read(int fd)
{
	static struct kt_branch_map maps[4096];
	struct kt_branch_maps read = {.maps = (__u64)maps, .max = 4096};
	unsigned int task = 0;
	__u64 since = 0;

	for (; !ioctl(fd, KT_READ_MAPPINGS, &read); read.change++) {
		if (read.thread == task && read.since < since) {
			printf("task %u: change %u is of %llu, not behind %llu\n",
			       task, read.change, read.since, since);
			exit(1);
		}
		task = read.thread;
		since = read.since;
		nr_mapped++;
	}
	/* ENODATA: this one does not want to know. */
	if (errno != ENOENT && errno != ENODATA)
		fail("KT_READ_MAPPINGS");
}

static void context_turn(struct context *context)
{
	static const char *const words[] = {"", " threads", " mappings",
					    " events children"};

	unsigned int size = 4096u << rand() % 7;
	const char *mapped = rand() & 1 ? " mappings" : "";
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), what = rand() % 6;

	if (context->fd < 0) {
		context->of_cpu = what < 2;
		context->buffers = what ? 1 : cpus;
		if (what > 1)
			context->fd = context_open("pid", tasks[rand() % TASKS],
						   size, words[rand() % 4]);
		else if (what)
			context->fd = context_open("cpu", rand() % cpus, size,
						   mapped);
		else
			context->fd = context_open("all", -1, size, mapped);
	} else if (rand() % 4) {
		compare(context);
		if (context->of_cpu)
			visits_read(context->fd);
	} else {
		close(context->fd);
		context->fd = -1;
	}
}

/* ---- all of it ------------------------------------------------------------ */

static void task_move(pid_t task)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(rand() % sysconf(_SC_NPROCESSORS_ONLN), &cpus);
	if (sched_setaffinity(task, sizeof(cpus), &cpus))
		fail("sched_setaffinity");
}

int main(int argc, char **argv)
{
	time_t end;

	if (argc != 2)
		return 2;
	for (int i = 0; i < TASKS; i++) {
		tasks[i] = fork();
		if (!tasks[i])
			task_run();
	}
	for (int i = 0; i < CONTEXTS; i++)
		contexts[i].fd = -1;
	learn(tasks[0], "");
	/* Without system calls, others follow each other. */
	learn(tasks[0], " events");
	end = time(NULL) + atoi(argv[1]);
	while (time(NULL) < end || nr_compared < 10 * COMPARED ||
	       nr_cpus_compared < COMPARED) {
		context_turn(&contexts[rand() % CONTEXTS]);
		if (rand() % 8 == 0)
			task_move(tasks[rand() % TASKS]);
		if (rand() % 2)
			usleep(rand() % 20000);
	}
	for (int i = 0; i < CONTEXTS; i++)
		if (contexts[i].fd >= 0)
			close(contexts[i].fd);
	for (int i = 0; i < TASKS; i++)
		kill(tasks[i], SIGKILL);
	printf("# %u steps known; %lu contexts, %lu reads, %lu branches compared, %lu of them of CPUs; %lu mappings read\n",
	       nr_steps, nr_opened, nr_reads, nr_compared, nr_cpus_compared,
	       nr_mapped);
	printf("%ld kB left\n", locked_memory());
	return 0;
}
