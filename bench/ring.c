// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The cost of an event in the ring, natively.  The "floor" is the least
 * possible cost: reading the clock and storing the same bytes one after the
 * other into a buffer of the same size, without interrupts and without a
 * reader.
 *
 * Ring and floor run in turn, in short batches, and the fastest batch of each
 * is used, because other load makes a batch slower, never faster.
 */
#include "ring.h"

#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PACKETS 64u
#define SIZE	((size_t)PACKETS << KT_PACKET_SHIFT)
#define BATCH	20000
#define THREADS 2
#define EVENT	KT_ID_FIRST

struct bench {
	struct kt_ring ring;
	struct kt_control control;
	u64 marks[KT_RING_MARKS(PACKETS)];
	u8 *data;
	size_t floor_at;
	pthread_barrier_t *barrier;
	double floor, event;
};

struct result {
	unsigned int payload, threads;
	double floor, event;
};

static unsigned int rounds = 2000;

void env_wake(struct kt_ring *ring)
{
}

void env_current_task(u32 *tid, u32 *tgid, char *comm)
{
	*tid = *tgid = 1;
	memset(comm, 0, KT_COMM_LEN);
}

/* Stores the payload of both, from values in registers. */
static __always_inline void store(void *to, u64 value, unsigned int payload)
{
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < payload / sizeof(value); i++) {
		asm volatile("" : "+r"(value));
		memcpy((u8 *)to + i * sizeof(value), &value, sizeof(value));
	}
}

static __always_inline void run_event(struct bench *bench, unsigned int payload)
{
	struct kt_ring *ring = &bench->ring;
	u64 i;

	for (i = 0; i < BATCH; i++) {
		struct kt_record record;
		void *p = kt_ring_reserve(ring, &record, EVENT, payload, 0);

		if (!p)
			continue;
		store(p, i, payload);
		kt_ring_commit(ring, &record);
	}
}

static __always_inline void run_floor(struct bench *bench, unsigned int payload)
{
	size_t at = bench->floor_at;
	u64 i;

	for (i = 0; i < BATCH; i++) {
		u8 *p = bench->data + at;
		u32 header = EVENT | (u32)env_clock() << KT_ID_BITS;

		memcpy(p, &header, sizeof(header));
		store(p + sizeof(header), i, payload);
		asm volatile("" ::: "memory");
		at += sizeof(header) + payload;
		if (at > SIZE - sizeof(header) - payload)
			at = 0;
	}
	bench->floor_at = at;
}

/* A loop for each size, because each probe has its own code. */
#define SIZES(call) \
	call(0);    \
	call(8);    \
	call(16);   \
	call(64)

static noinline void event_batch(struct bench *bench, unsigned int payload)
{
#define RUN(n)              \
	if (payload == (n)) \
	run_event(bench, (n))
	SIZES(RUN);
#undef RUN
}

static noinline void floor_batch(struct bench *bench, unsigned int payload)
{
#define RUN(n)              \
	if (payload == (n)) \
	run_floor(bench, (n))
	SIZES(RUN);
#undef RUN
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static void time_batch(double *best,
		       void (*batch)(struct bench *, unsigned int),
		       struct bench *bench, unsigned int payload)
{
	double begin = seconds(), taken;

	batch(bench, payload);
	taken = (seconds() - begin) / BATCH * 1e9;
	if (!*best || taken < *best)
		*best = taken;
}

struct job {
	struct bench *bench;
	unsigned int payload;
};

static void *run_thread(void *arg)
{
	struct job *job = arg;
	struct bench *bench = job->bench;
	unsigned int i;

	pthread_barrier_wait(bench->barrier);
	bench->floor = bench->event = 0;
	for (i = 0; i < rounds; i++) {
		time_batch(&bench->floor, floor_batch, bench, job->payload);
		time_batch(&bench->event, event_batch, bench, job->payload);
	}
	return NULL;
}

static struct bench *bench_create(unsigned int cpu)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	if (!bench)
		abort();
	bench->data = aligned_alloc(4096, 2 * SIZE);
	if (!bench->data)
		abort();
	/* Touches every page, too: the ring's half and the floor's. */
	memset(bench->data, 1, 2 * SIZE);
	if (kt_ring_init(&bench->ring, &bench->control, bench->data + SIZE,
			 bench->marks, PACKETS, KT_MODE_OVERWRITE, cpu, 1))
		abort();
	return bench;
}

static void run(struct bench **benches, struct result *result)
{
	struct job jobs[THREADS];
	pthread_t threads[THREADS];
	pthread_barrier_t barrier;
	unsigned int i;

	pthread_barrier_init(&barrier, NULL, result->threads);
	for (i = 0; i < result->threads; i++) {
		benches[i]->barrier = &barrier;
		jobs[i] = (struct job){benches[i], result->payload};
		if (pthread_create(&threads[i], NULL, run_thread, &jobs[i]))
			abort();
	}
	for (i = 0; i < result->threads; i++) {
		pthread_join(threads[i], NULL);
		result->floor += benches[i]->floor / result->threads;
		result->event += benches[i]->event / result->threads;
	}
	pthread_barrier_destroy(&barrier);
}

enum format {
	TEXT,
	JSON, /* a list of objects */
	TSV,  /* for bench/run: what, tracer, value, unit */
};

static void print(const struct result *result, enum format format, bool first)
{
	double ratio = result->event / result->floor;
	char name[64];

	snprintf(name, sizeof(name), "%u B, %u thread%s", result->payload,
		 result->threads, result->threads > 1 ? "s" : "");
	switch (format) {
	case JSON:
		printf("%s\n {\"name\":\"ring\",\"payload\":%u,\"threads\":%u,"
		       "\"floor_ns\":%.2f,\"event_ns\":%.2f,\"ratio\":%.3f}",
		       first ? "[" : ",", result->payload, result->threads,
		       result->floor, result->event, ratio);
		break;
	case TSV:
		printf("%s\tring\t%.2f\tns\n", name, result->event);
		printf("%s\tfloor\t%.2f\tns\n", name, result->floor);
		break;
	default:
		if (first)
			printf("%-15s  %6s  %6s  %5s   (ns an event)\n",
			       "payload", "floor", "event", "ratio");
		printf("%-15s  %6.2f  %6.2f  %5.2f\n", name, result->floor,
		       result->event, ratio);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const unsigned int payloads[] = {0, 8, 16, 64};
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},
		{"tsv", no_argument, NULL, 't'},
		{"rounds", required_argument, NULL, 'r'},
		{0},
	};
	struct bench *benches[THREADS];
	enum format format = TEXT;
	bool first = true;
	unsigned int i, threads;
	int option;

	while ((option = getopt_long(argc, argv, "jtr:", options, NULL)) >= 0) {
		if (option == 'j')
			format = JSON;
		else if (option == 't')
			format = TSV;
		else
			rounds = option == 'r' ? atoi(optarg) : 0;
	}
	if (!rounds || optind < argc) {
		fprintf(stderr, "usage: %s [--json|--tsv] [--rounds N]\n",
			argv[0]);
		return 2;
	}
	for (i = 0; i < THREADS; i++)
		benches[i] = bench_create(i);
	for (threads = 1; threads <= THREADS; threads++) {
		for (i = 0; i < sizeof(payloads) / sizeof(*payloads); i++) {
			struct result result = {
				.payload = payloads[i],
				.threads = threads,
			};

			run(benches, &result);
			print(&result, format, first);
			first = false;
		}
	}
	if (format == JSON)
		printf("\n]\n");
	for (i = 0; i < THREADS; i++) {
		free(benches[i]->data);
		free(benches[i]);
	}
	return 0;
}
