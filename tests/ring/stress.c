// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Rings under load.
 *
 * A thread stands for a CPU.  Three real-time signals stand for softirq,
 * hardirq and NMI: timers fire them, writers raise them between storing and
 * committing, and a handler can be interrupted by higher ones.  At the same
 * time a reader on another thread takes packets from all rings.  Rounds of a
 * quarter of a second vary the number of packets and where positions begin.
 *
 * Each event that is read is checked, and each round must add up exactly:
 * load.h says how.  Under ThreadSanitizer the same program shows that writer
 * and reader share nothing but what they are meant to share.
 */
#include "check.h"
#include "load.h"

#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#define CPUS_MAX    16
#define PACKETS_MAX 32u
#define IRQS	    (LOAD_LEVELS - 1)

struct cpu {
	struct kt_ring ring;
	struct kt_control *control;
	u8 *data;
	u64 marks[KT_RING_MARKS(PACKETS_MAX)];
	struct load loads[LOAD_LEVELS];
	u64 random[LOAD_LEVELS];
	volatile u32 level; /* the level that runs now */
	u64 wakes;
	pthread_t thread;
	struct verify verify;
	u64 stale;
};

static struct cpu cpus[CPUS_MAX];
static __thread struct cpu *this_cpu;
static unsigned int nr_cpus = 2, seconds = 4;
static bool stopping, reader_stopping;
static enum kt_mode mode;

void env_wake(struct kt_ring *ring)
{
	struct cpu *cpu = ring->owner;

	__atomic_add_fetch(&cpu->wakes, 1, __ATOMIC_RELAXED);
}

void env_current_task(u32 *tid, u32 *tgid, char *comm)
{
	*tid = 1;
	*tgid = 1;
	memset(comm, 0, KT_COMM_LEN);
}

static u32 random_below(u64 *state, u32 below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state >> 20) % below;
}

/* Sometimes the next level interrupts before the commit. */
static void middle(struct load *load)
{
	u64 *random = &this_cpu->random[load->level];

	if (load->level < IRQS && !random_below(random, 50))
		pthread_kill(pthread_self(), SIGRTMIN + load->level);
}

static void write_some(struct cpu *cpu, u32 level, u32 count)
{
	struct load *load = &cpu->loads[level];
	u64 *random = &cpu->random[level];

	while (count--) {
		u32 dice = random_below(random, 4000);

		if (dice == 0)
			kt_ring_flush(&cpu->ring);
		else if (dice < 4)
			load_write(load, LOAD_LARGE, dice);
		else if (dice < 30)
			load_write(load, LOAD_DYNAMIC,
				   random_below(random, 60000));
		else if (dice < 200)
			load_write(load, LOAD_WIDE, 0);
		else if (dice < 400)
			load_write(load, LOAD_TASK, 0);
		else if (dice < 2000)
			load_write(load, LOAD_DYNAMIC,
				   random_below(random, 200));
		else
			load_write(load, LOAD_FIXED, 0);
	}
}

static void interrupt(int signal)
{
	u32 level = signal - SIGRTMIN + 1;
	struct cpu *cpu = this_cpu;
	u32 outer = cpu->level;
	u32 dice;

	/* ThreadSanitizer delivers signals late, and then ignores masks. */
	if (outer >= level)
		return;
	cpu->level = level;
	dice = random_below(&cpu->random[level], 100);
	/* Sometimes one fills more than a lap of a small ring. */
	write_some(cpu, level, dice ? dice % 8 : 3000);
	cpu->level = outer;
}

static void block_interrupts(int how)
{
	sigset_t set;
	int i;

	sigemptyset(&set);
	for (i = 0; i < IRQS; i++)
		sigaddset(&set, SIGRTMIN + i);
	pthread_sigmask(how, &set, NULL);
}

static void start_timer(timer_t *timer, int irq)
{
	static const long period[IRQS] = {61000, 137000, 311000};
	struct itimerspec spec = {
		.it_value.tv_nsec = period[irq],
		.it_interval.tv_nsec = period[irq],
	};
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = SIGRTMIN + irq,
		._sigev_un._tid = (pid_t)syscall(SYS_gettid),
	};

	if (timer_create(CLOCK_MONOTONIC, &event, timer) ||
	    timer_settime(*timer, 0, &spec, NULL)) {
		perror("timer");
		abort();
	}
}

static void *run_cpu(void *arg)
{
	struct cpu *cpu = arg;
	timer_t timers[IRQS];
	u32 turn = 0;
	int i;

	this_cpu = cpu;
	for (i = 0; i < IRQS; i++)
		start_timer(&timers[i], i);
	block_interrupts(SIG_UNBLOCK);
	/* Once at least, however late it begins. */
	do {
		write_some(cpu, 0, 100);
		/* Let the reader catch up for part of the time. */
		if (++turn & 64)
			usleep(50);
	} while (!READ_ONCE(stopping));
	block_interrupts(SIG_BLOCK);
	for (i = 0; i < IRQS; i++)
		timer_delete(timers[i]);
	return NULL;
}

/*
 * Copies a packet that the writer may be overwriting.  A torn copy is noticed
 * when the packet cannot be consumed.  This race is intended, and the only one.
 */
__attribute__((no_sanitize("thread"))) static void copy_racy(
	u64 *to, const volatile u64 *from, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes / sizeof(*to); i++)
		to[i] = from[i];
}

static bool read_packet(struct cpu *cpu)
{
	static u64 copy[KT_PACKET_SIZE / sizeof(u64)];
	const struct kt_control *control = cpu->control;
	u64 seq = READ_ONCE(control->consumed);
	const u8 *packet;

	if (seq == smp_load_acquire(&control->produced))
		return false;
	packet =
		cpu->data + ((seq & (control->packets - 1)) << KT_PACKET_SHIFT);
	if (mode == KT_MODE_DISCARD) {
		/* The packet stays until it is consumed, so it is not copied. */
		verify_packet(&cpu->verify, packet, KT_PACKET_SIZE);
		if (kt_ring_consume(&cpu->ring, seq))
			strcpy(cpu->verify.why, "cannot consume");
		return true;
	}
	copy_racy(copy, (const u64 *)packet, sizeof(copy));
	if (kt_ring_consume(&cpu->ring, seq))
		cpu->stale++;
	else
		verify_packet(&cpu->verify, copy, sizeof(copy));
	return true;
}

static void *run_reader(void *arg)
{
	unsigned int i, turn = 0;

	while (!READ_ONCE(reader_stopping)) {
		bool any = false;

		for (i = 0; i < nr_cpus; i++)
			any |= read_packet(&cpus[i]);
		if (!any || ++turn % 256 == 0)
			usleep(200);
	}
	return NULL;
}

static void cpu_prepare(struct cpu *cpu, unsigned int round)
{
	static const u32 packets[] = {2, 4, PACKETS_MAX};
	u32 i;

	memset(cpu->loads, 0, sizeof(cpu->loads));
	for (i = 0; i < LOAD_LEVELS; i++) {
		cpu->loads[i] = (struct load){
			.ring = &cpu->ring,
			.level = i,
			.middle = middle,
		};
		cpu->random[i] = (round * 977 + i * 31 + (cpu - cpus)) *
					 0x9e3779b97f4a7c15ull |
				 1;
	}
	cpu->verify = (struct verify){.overwrite = mode == KT_MODE_OVERWRITE};
	if (kt_ring_init(&cpu->ring, cpu->control, cpu->data, cpu->marks,
			 packets[round % 3], mode, cpu - cpus, 1))
		abort();
	cpu->ring.owner = cpu;
	if (round & 1)
		kt_ring_begin(&cpu->ring, (1u << 18) - 5);
}

/* Reads what the reader has left. */
static void cpu_finish(struct cpu *cpu)
{
	struct verify *v = &cpu->verify;
	int err, i;

	if (v->why[0])
		check_fail("%s", v->why);
	for (i = 0; i < 2; i++) {
		err = kt_ring_flush(&cpu->ring);
		if (!verify_drain(v, &cpu->ring))
			check_fail("%s", v->why);
		if (!err)
			break;
	}
	CHECK_EQ(err, 0);
	if (!verify_end(v, &cpu->ring, cpu->loads))
		check_fail("%s", v->why);
	CHECK(cpu->wakes > 0);
}

struct totals {
	u64 attempts[LOAD_LEVELS];
	u64 read, packets, stale;
	u64 lost[KT_LOST_NR];
};

static void totals_add(struct totals *totals, const struct cpu *cpu)
{
	int i;

	for (i = 0; i < LOAD_LEVELS; i++)
		totals->attempts[i] += cpu->loads[i].attempts;
	for (i = 0; i < KT_LOST_NR; i++)
		totals->lost[i] += cpu->control->lost[i];
	totals->read += cpu->verify.events;
	totals->packets += cpu->verify.packets;
	totals->stale += cpu->stale;
}

static void run_round(unsigned int round, struct totals *totals)
{
	const struct timespec quarter = {.tv_nsec = 250000000};
	pthread_t reader;
	unsigned int i;

	stopping = reader_stopping = false;
	for (i = 0; i < nr_cpus; i++)
		cpu_prepare(&cpus[i], round);
	pthread_create(&reader, NULL, run_reader, NULL);
	for (i = 0; i < nr_cpus; i++)
		pthread_create(&cpus[i].thread, NULL, run_cpu, &cpus[i]);
	nanosleep(&quarter, NULL);
	WRITE_ONCE(stopping, true);
	for (i = 0; i < nr_cpus; i++)
		pthread_join(cpus[i].thread, NULL);
	WRITE_ONCE(reader_stopping, true);
	pthread_join(reader, NULL);
	for (i = 0; i < nr_cpus; i++) {
		cpu_finish(&cpus[i]);
		totals_add(totals, &cpus[i]);
	}
}

static void run(void)
{
	struct totals t = {0};
	unsigned int i, round;
	u64 attempts = 0;

	for (i = 0; i < nr_cpus; i++) {
		cpus[i] = (struct cpu){
			.data = aligned_alloc(4096, (size_t)PACKETS_MAX
							    << KT_PACKET_SHIFT),
			.control =
				aligned_alloc(KT_CONTROL_SIZE, KT_CONTROL_SIZE),
		};
		CHECK(cpus[i].data && cpus[i].control);
		memset(cpus[i].data, 0xa5,
		       (size_t)PACKETS_MAX << KT_PACKET_SHIFT);
	}
	for (round = 0; round < 4 * seconds; round++)
		run_round(round, &t);
	for (i = 0; i < nr_cpus; i++) {
		free(cpus[i].data);
		free(cpus[i].control);
	}
	for (i = 0; i < LOAD_LEVELS; i++)
		attempts += t.attempts[i];
	check_note("%llu attempts (%llu task, %llu, %llu, %llu nested) = "
		   "%llu read + %llu full + %llu overwritten + %llu nested + "
		   "%llu large; %llu packets, %llu copies overwritten",
		   attempts, t.attempts[0], t.attempts[1], t.attempts[2],
		   t.attempts[3], t.read, t.lost[KT_LOST_FULL],
		   t.lost[KT_LOST_OVERWRITTEN], t.lost[KT_LOST_NESTED],
		   t.lost[KT_LOST_LARGE], t.packets, t.stale);
	/* The test is useful only if all of this has happened. */
	for (i = 0; i < LOAD_LEVELS; i++)
		CHECK(t.attempts[i] > 100);
	CHECK(t.read > 1000);
	CHECK(t.lost[KT_LOST_LARGE] > 0);
	CHECK(t.lost[mode == KT_MODE_DISCARD ? KT_LOST_FULL
					     : KT_LOST_OVERWRITTEN] > 0);
}

TEST(discard)
{
	mode = KT_MODE_DISCARD;
	run();
}

TEST(overwrite)
{
	mode = KT_MODE_OVERWRITE;
	run();
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"seconds", required_argument, NULL, 's'},
		{"cpus", required_argument, NULL, 'c'},
		{0},
	};
	struct sigaction action = {
		.sa_handler = interrupt,
		.sa_flags = SA_RESTART,
	};
	int i, option;

	while ((option = getopt_long(argc, argv, "s:c:", options, NULL)) >= 0) {
		if (option == 's')
			seconds = atoi(optarg);
		else if (option == 'c')
			nr_cpus = atoi(optarg);
		else
			seconds = 0;
	}
	if (!seconds || !nr_cpus || nr_cpus > CPUS_MAX) {
		fprintf(stderr,
			"usage: %s [--seconds N] [--cpus 1..%d] "
			"[discard|overwrite]\n",
			argv[0], CPUS_MAX);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* Higher ones interrupt lower ones, not the other way round. */
	for (i = 0; i < IRQS; i++) {
		sigaddset(&action.sa_mask, SIGRTMIN + i);
		if (sigaction(SIGRTMIN + i, &action, NULL))
			abort();
	}
	block_interrupts(SIG_BLOCK);
	argv[optind - 1] = argv[0];
	return check_run(argc - optind + 1, argv + optind - 1);
}
