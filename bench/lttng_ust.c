// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The cost of the events of marker.c with LTTng's library.  bench/markers
 * starts this program when a session exists that records all of them except
 * "off".
 *
 *	lttng_ust [--tsv] [--rounds N]
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_ust.h"
#include "rounds.h"

#define BATCH	    20000

#define HIDE(value) asm volatile("" : "+r"(value))

static __attribute__((noinline)) void batch_one(void)
{
	for (uint64_t i = 0; i < BATCH; i++) {
		HIDE(i);
		lttng_ust_tracepoint(ktrace_bench, one, i);
	}
}

static __attribute__((noinline)) void batch_two(void)
{
	for (uint64_t i = 0; i < BATCH; i++) {
		HIDE(i);
		lttng_ust_tracepoint(ktrace_bench, two, i, i);
	}
}

static __attribute__((noinline)) void batch_string(void)
{
	for (uint64_t i = 0; i < BATCH; i++) {
		HIDE(i);
		lttng_ust_tracepoint(ktrace_bench, string, i, "twelve bytes");
	}
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static struct batch {
	const char *what;
	void (*run)(void);
	double ns;
} batches[] = {
	{"marker, one integer", batch_one, 0},
	{"marker, two integers", batch_two, 0},
	{"marker, integer and string", batch_string, 0},
};

#define NR (sizeof(batches) / sizeof(*batches))

int main(int argc, char **argv)
{
	bool tsv = false;

	if (!rounds_parse(argc, argv, &tsv))
		return 2;
	if (!lttng_ust_tracepoint_enabled(ktrace_bench, two)) {
		fprintf(stderr, "lttng_ust: no session wants its events\n");
		return 1;
	}
	for (unsigned int i = 0; i < rounds * NR; i++) {
		struct batch *b = &batches[i % NR];
		double begin = seconds(), ns;

		b->run();
		ns = (seconds() - begin) / BATCH * 1e9;
		if (!b->ns || ns < b->ns)
			b->ns = ns;
	}
	for (unsigned int i = 0; i < NR; i++)
		printf(tsv ? "%s\tlttng\t%.2f\tns\n" : "%-28s  %6.2f\n",
		       batches[i].what, batches[i].ns);
	return 0;
}
