// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stress - processes write to shared rings, and are killed
 *
 *   stress [-s SECONDS] [-p PROCESSES] [-o]	-o: overwrite mode
 *
 * Each process has threads, and a timer whose signal handler writes too.  Half of the
 * processes are killed with SIGKILL at random times and replaced.  A reader reads while
 * they run, and the rest afterwards.
 *
 * Every writer numbers its records.  In what was read, the numbers of a writer must
 * increase, times of a ring must not go back, each record must be complete, and:
 *
 *	written = read + overwritten, by the counters in the rings
 *	a writer has written as many records as it counted, or one more if it was
 *	killed before it counted that one; in discard mode only those that are
 *	counted as lost are missing
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "packet.h"
#include "publish.h"

#define THREADS	  8
#define CONTEXTS  (THREADS + 1) /* and the signal handler of the first */
#define PROCESSES 16
#define RUNS	  4096
#define PACKETS	  16
#define LOCKED	  4
#define EVENT	  KT_ID_FIRST
#define SHORT	  (KT_ID_FIRST + 1) /* without bytes */

struct payload {
	u32 writer;
	u32 length; /* of bytes, which are all the low byte of number */
	u64 number;
	u8 bytes[200];
};

/* Counted by the writers. */
struct account {
	u64 written;
	u64 lost;
};

static struct marker_rings rings;
static struct account *accounts; /* by run of a process and context */
static u32 run;
static __thread u32 tid;

static void fail(const char *what, u64 a, u64 b)
{
	printf("not ok 1 - %s: %llu, %llu\n", what, (unsigned long long)a,
	       (unsigned long long)b);
	fflush(stdout);
	exit(1);
}

static void *shared_memory(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return p;
}

/* ---- writers ------------------------------------------------------------------ */

static void write_one(u32 context)
{
	u32 who = run * CONTEXTS + context;
	struct account *account = &accounts[who];
	struct {
		u8 prefix[MARKER_PREFIX_ROOM];
		struct payload payload;
	} record;
	u64 number = account->written + account->lost;
	u32 length = number * 7 % (sizeof(record.payload.bytes) + 1);
	bool done;

	record.payload.writer = who;
	record.payload.length = length;
	record.payload.number = number;
	memset(record.payload.bytes, (u8)number, length);
	/* Most records take the fast path, if there is one. */
	if (number % 8) {
		static const struct marker_step short_step = {5, 1ull << 32};
		u64 words[2];

		record.payload.length = 0;
		memcpy(words, &record.payload, sizeof(words));
		done = marker_rseq_works() &&
		       marker_ring_words(&rings, &short_step, tid, SHORT, 2,
					 words[0], words[1], 0);
		if (!done)
			done = marker_ring_write(&rings, SHORT, &record.payload,
						 16, 0);
	} else {
		done = marker_ring_write(&rings, EVENT, &record.payload,
					 offsetof(struct payload, bytes) +
						 length,
					 MARKER_DYNAMIC);
	}
	if (done)
		WRITE_ONCE(account->written, account->written + 1);
	else
		WRITE_ONCE(account->lost, account->lost + 1);
}

static void on_timer(int signal)
{
	(void)signal;
	for (int i = 0; i < 3; i++)
		write_one(THREADS);
}

static void *thread_main(void *context)
{
	tid = marker_tid();
	for (;;)
		write_one((long)context);
	return NULL;
}

static _Noreturn void process_main(void)
{
	struct itimerval timer = {{0, 300}, {0, 300}};
	pthread_t thread;
	sigset_t set;

	/* If a check fails, no process must stay behind. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	marker_tid_forget();
	tid = marker_tid();
	signal(SIGALRM, on_timer);
	/* The handler is one writer, so only the first thread runs it. */
	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (long i = 1; i < THREADS; i++)
		pthread_create(&thread, NULL, thread_main, (void *)i);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	thread_main(NULL);
	_exit(0);
}

/* ---- the reader ---------------------------------------------------------------- */

struct seen {
	u64 records;
	u64 next; /* smaller numbers must not come any more */
	u64 last_cpu_time;
};

static struct seen *seen;
static u64 *ring_times, *ring_read, *ring_next_events, *ring_overwritten;

static u32 size_of(const void *arg, u32 id)
{
	(void)arg;
	return id == EVENT   ? KT_SIZE_DYNAMIC
	       : id == SHORT ? offsetof(struct payload, bytes)
			     : kt_task_size(id);
}

static int by_number(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* A writer's numbers come from several rings: they are sorted at the end. */
static u64 **numbers;
static u32 *nr_numbers, *room_numbers;

static void number_add(u32 who, u64 number)
{
	if (nr_numbers[who] == room_numbers[who]) {
		room_numbers[who] =
			room_numbers[who] ? 2 * room_numbers[who] : 1024;
		numbers[who] = realloc(numbers[who], room_numbers[who] * 8);
	}
	numbers[who][nr_numbers[who]++] = number;
}

static void packet_check(u32 number, const void *packet, u32 size)
{
	struct kt_walk walk;
	u64 events = 0;
	int err = kt_walk_begin(&walk, packet, size);

	if (err)
		fail("packet", number, -err);
	if (walk.packet.events_before < ring_next_events[number])
		fail("events before", walk.packet.events_before,
		     ring_next_events[number]);
	ring_overwritten[number] +=
		walk.packet.events_before - ring_next_events[number];
	while ((err = kt_walk_next(&walk, size_of, NULL)) > 0) {
		const struct payload *p = (const void *)walk.payload;

		if (walk.time < ring_times[number])
			fail("time", walk.time, ring_times[number]);
		ring_times[number] = walk.time;
		if (walk.id != EVENT && walk.id != SHORT)
			continue;
		if (walk.size != offsetof(struct payload, bytes) + p->length ||
		    p->writer >= RUNS * CONTEXTS)
			fail("record", walk.size, p->length);
		for (u32 i = 0; i < p->length; i++)
			if (p->bytes[i] != (u8)p->number)
				fail("byte", p->bytes[i], (u8)p->number);
		number_add(p->writer, p->number);
		events++;
	}
	if (err)
		fail("walk", number, -err);
	if (events != walk.packet.events)
		fail("events of a packet", events, walk.packet.events);
	ring_next_events[number] = walk.packet.events_before + events;
	ring_read[number] += events;
}

static void rings_read(bool end)
{
	static u8 packet[KT_PACKET_SIZE];
	u32 size;
	int err;

	for (u32 i = 0; i < rings.cpus + rings.locked; i++) {
		while ((err = marker_ring_read(&rings, i, packet, &size)))
			if (err > 0)
				packet_check(i, packet, size);
		if (end && marker_ring_read_open(&rings, i, packet, &size))
			packet_check(i, packet, size);
	}
}

/* ---- all of it ------------------------------------------------------------------ */

static pid_t process_start(void)
{
	pid_t pid = fork();

	if (!pid)
		process_main();
	run++;
	return pid;
}

int main(int argc, char **argv)
{
	enum kt_mode mode = KT_MODE_DISCARD;
	u32 processes = 4, seconds = 5, option, i, kills = 0, cpus, nr;
	u64 read = 0, overwritten = 0, written = 0, lost = 0, said = 0,
	    more = 0;
	pid_t pids[PROCESSES];
	time_t end;

	while ((int)(option = getopt(argc, argv, "s:p:o")) != -1) {
		if (option == 's')
			seconds = atoi(optarg);
		else if (option == 'p')
			processes = atoi(optarg) < PROCESSES ? atoi(optarg)
							     : PROCESSES;
		else if (option == 'o')
			mode = KT_MODE_OVERWRITE;
		else
			return 2;
	}
	cpus = sysconf(_SC_NPROCESSORS_CONF);
	nr = cpus + LOCKED;
	rings = marker_rings(shared_memory(nr * marker_ring_size(PACKETS)),
			     PACKETS, cpus, LOCKED);
	accounts = shared_memory(RUNS * CONTEXTS * sizeof(*accounts));
	seen = calloc(RUNS * CONTEXTS, sizeof(*seen));
	numbers = calloc(RUNS * CONTEXTS, sizeof(*numbers));
	nr_numbers = calloc(RUNS * CONTEXTS, sizeof(*nr_numbers));
	room_numbers = calloc(RUNS * CONTEXTS, sizeof(*room_numbers));
	ring_times = calloc(nr, 8);
	ring_read = calloc(nr, 8);
	ring_next_events = calloc(nr, 8);
	ring_overwritten = calloc(nr, 8);
	for (i = 0; i < nr; i++)
		marker_ring_init(&rings, i, mode, 7);
	for (i = 0; i < processes; i++)
		pids[i] = process_start();

	srand(1);
	end = time(NULL) + seconds;
	while (time(NULL) < end) {
		struct timespec pause = {0, rand() % 1000000};

		nanosleep(&pause, NULL);
		rings_read(false);
		if (rand() % 2 && run < RUNS) {
			i = rand() % (processes - processes / 2);
			kill(pids[i], SIGKILL);
			waitpid(pids[i], NULL, 0);
			pids[i] = process_start();
			kills++;
		}
	}
	for (i = 0; i < processes; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < processes; i++)
		waitpid(pids[i], NULL, 0);
	rings_read(true);

	for (i = 0; i < nr; i++) {
		struct marker_ring *ring = marker_ring(&rings, i);

		written += ring->end.events;
		lost += ring->control.lost[KT_LOST_FULL] +
			ring->control.lost[KT_LOST_NESTED];
		read += ring_read[i];
		overwritten += ring_overwritten[i];
	}
	if (written != read + overwritten)
		fail("written = read + overwritten", written,
		     read + overwritten);
	for (i = 0; i < RUNS * CONTEXTS; i++) {
		u64 n = nr_numbers[i];

		said += accounts[i].written;
		qsort(numbers[i], n, 8, by_number);
		for (u64 k = 1; k < n; k++)
			if (numbers[i][k] == numbers[i][k - 1])
				fail("twice", i, numbers[i][k]);
		if (n > accounts[i].written + 1)
			fail("more than it wrote", n, accounts[i].written);
		if (mode == KT_MODE_DISCARD && n < accounts[i].written)
			fail("less than it wrote", n, accounts[i].written);
		more += n > accounts[i].written;
	}
	if (mode == KT_MODE_DISCARD && !lost && read < 1000)
		fail("records", read, 0);
	printf("# %llu written, %llu read, %llu overwritten, %llu lost; %u processes killed; %llu unsaid\n",
	       (unsigned long long)written, (unsigned long long)read,
	       (unsigned long long)overwritten, (unsigned long long)lost, kills,
	       (unsigned long long)more);
	printf("ok 1 - stress\n1..1\n");
	return 0;
}
