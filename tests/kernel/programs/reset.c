// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reset - flushing a ring while another thread empties it
 *
 *   reset TREE RUN
 *
 * RUN is the test module's file.  The session is off, its only event test_hit.
 * Each round leaves events in the open packet of CPU 0, whose ring is the first
 * to be emptied, while a thread on CPU 0 flushes; then records again, and
 * counts what arrived.  Exits with 0 if all events arrived in each round.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ktrace.h>

#define ROUNDS 12
#define EVENTS 30000 /* several packets: more than a round leaves */

static const char *tree, *run;
static int buffer;
static const struct kt_control *control;
static const uint8_t *packets;
static atomic_bool flushing, over;

static void die(const char *what)
{
	fprintf(stderr, "reset: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static void tree_put(const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", tree, file);
	put(path, text);
}

/* Called on CPU 0, while the session is on. */
static void record(unsigned int events)
{
	char text[32];

	snprintf(text, sizeof(text), "task %u", events);
	tree_put("enabled", "1");
	run_on(0);
	put(run, text);
	run_on(1);
	tree_put("enabled", "0");
}

static void *flusher(void *unused)
{
	run_on(0);
	while (!over) {
		if (flushing)
			ioctl(buffer, KT_FLUSH);
		else
			sched_yield();
	}
	return NULL;
}

/* Takes all packets, and returns how many events were in them. */
static uint64_t drain(void)
{
	uint64_t seq, events = 0;

	if (ioctl(buffer, KT_FLUSH))
		die("KT_FLUSH");
	while ((seq = control->consumed) !=
	       __atomic_load_n(&control->produced, __ATOMIC_ACQUIRE)) {
		const struct kt_packet *packet =
			(const void *)(packets +
				       (seq & (control->packets - 1)) *
					       KT_PACKET_SIZE);

		events += packet->events;
		if (ioctl(buffer, KT_PUT_CONSUMED, &seq))
			die("KT_PUT_CONSUMED");
	}
	return events;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char path[256];
	uint64_t size;
	int round, bad = 0;
	void *map;

	if (argc != 3)
		return 2;
	tree = argv[1];
	run = argv[2];
	run_on(1);
	snprintf(path, sizeof(path), "%s/buffers/cpu0", tree);
	buffer = open(path, O_RDONLY);
	if (buffer < 0 || ioctl(buffer, KT_GET_SIZE, &size))
		die(path);
	map = mmap(NULL, KT_CONTROL_SIZE + size, PROT_READ, MAP_SHARED, buffer,
		   0);
	if (map == MAP_FAILED)
		die("mmap");
	control = map;
	packets = (const uint8_t *)map + KT_CONTROL_SIZE;
	if (pthread_create(&thread, NULL, flusher, NULL))
		die("pthread_create");
	for (round = 0; round < ROUNDS; round++) {
		uint64_t events;

		record(300);
		flushing = true;
		tree_put("reset", "1");
		flushing = false;
		record(EVENTS);
		events = drain();
		if (events == EVENTS && !control->lost[KT_LOST_NESTED])
			continue;
		printf("# round %d: %llu events of %d\n", round,
		       (unsigned long long)events, EVENTS);
		bad++;
	}
	over = true;
	pthread_join(thread, NULL);
	return bad != 0;
}
