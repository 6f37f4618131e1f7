// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * packets - how much a tracer recorded
 *
 *	packets ktrace FILE...	buffer files (buffers/cpuN): EVENTS BYTES
 *	packets lttng FILE...	streams of a snapshot, or of a recording:
 *				BYTES ALL, and in a second line LOST
 *	packets perf FILE...	perf.data: EVENTS BYTES, and in a second line LOST
 *
 * EVENTS and BYTES count all that was recorded, also what was overwritten in
 * the buffers. BYTES is without the headers of packets.  ktrace counts events
 * itself; packets that were overwritten are assumed to have as many bytes per
 * event as the others.  LTTng's packets are numbered but do not say how many
 * events they hold: BYTES is what is there, ALL is estimated for all packets
 * from the fullest one.  LOST is the tracer's own count of events for which it
 * had no room.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ktrace.h>

static void fail(const char *what)
{
	fprintf(stderr, "packets: %s: %s\n", what, strerror(errno));
	exit(1);
}

struct sum {
	uint64_t events;
	uint64_t bytes;
	uint64_t there; /* bytes that were not overwritten */
	uint64_t lost;
};

static void ktrace_file(const char *path, struct sum *sum)
{
	const struct kt_control *control;
	struct sum there = {0};
	uint64_t size, seq;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || ioctl(fd, KT_FLUSH) || ioctl(fd, KT_GET_SIZE, &size))
		fail(path);
	control = mmap(NULL, KT_CONTROL_SIZE + size, PROT_READ, MAP_SHARED, fd,
		       0);
	if (control == MAP_FAILED)
		fail(path);
	for (seq = control->consumed; seq != control->produced; seq++) {
		const struct kt_packet *packet =
			(const void *)((const char *)control + KT_CONTROL_SIZE +
				       (seq & (control->packets - 1)) *
					       control->packet_size);

		there.events += packet->events;
		there.bytes += packet->used - packet->header_size;
	}
	sum->events += control->events;
	if (there.events)
		sum->bytes +=
			(double)there.bytes / there.events * control->events;
	munmap((void *)control, KT_CONTROL_SIZE + size);
	close(fd);
}

/* The begin of each packet as written by LTTng 2: header and packet context. */
struct lttng_packet {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream;
	uint64_t instance;
	uint64_t begin;
	uint64_t end;
	uint64_t content_bits;
	uint64_t packet_bits;
	uint64_t seq;
	uint64_t discarded;
	uint32_t cpu;
} __attribute__((packed));

static void lttng_file(const char *path, struct sum *sum)
{
	uint64_t at, newest = 0, fullest = 0, packets = 0, bytes = 0;
	uint64_t discarded = 0;
	struct stat st;
	const char *data;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &st))
		fail(path);
	if (!st.st_size) {
		close(fd);
		return;
	}
	data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		fail(path);
	for (at = 0;
	     at + sizeof(struct lttng_packet) <= (uint64_t)st.st_size;) {
		const struct lttng_packet *packet = (const void *)(data + at);
		uint64_t content;

		if (packet->magic != 0xc1fc1fc1 || packet->packet_bits < 8) {
			errno = EINVAL;
			fail(path);
		}
		content = packet->content_bits / 8 - sizeof(*packet);
		bytes += content;
		if (content > fullest)
			fullest = content;
		if (packet->seq > newest)
			newest = packet->seq;
		/* The count is the stream's total so far. */
		if (packet->discarded > discarded)
			discarded = packet->discarded;
		packets++;
		at += packet->packet_bits / 8;
	}
	sum->there += bytes;
	sum->bytes += bytes;
	sum->lost += discarded;
	if (newest + 1 > packets)
		sum->bytes += (newest + 1 - packets) * fullest;
	munmap((void *)data, st.st_size);
	close(fd);
}

/*
 * The part of perf.data's header that leads to the records, and a record's
 * header.
 */
struct perf_head {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	uint64_t attrs[2];
	uint64_t data_at;
	uint64_t data_size;
};

struct perf_record {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
};

/* A loss: the counter of events, and how many were lost. */
struct perf_lost {
	uint64_t id;
	uint64_t lost;
};

#define PERF_LOST   2
#define PERF_SAMPLE 9

static void perf_file(const char *path, struct sum *sum)
{
	struct perf_record record;
	struct perf_lost lost;
	struct perf_head head;
	uint64_t at;
	FILE *file = fopen(path, "r");

	if (!file || fread(&head, sizeof(head), 1, file) != 1)
		fail(path);
	for (at = 0; at < head.data_size; at += record.size) {
		if (fseek(file, head.data_at + at, SEEK_SET) ||
		    fread(&record, sizeof(record), 1, file) != 1 ||
		    record.size < sizeof(record))
			fail(path);
		if (record.type == PERF_LOST) {
			if (fread(&lost, sizeof(lost), 1, file) != 1)
				fail(path);
			sum->lost += lost.lost;
		}
		if (record.type != PERF_SAMPLE)
			continue;
		sum->events++;
		sum->bytes += record.size;
	}
	fclose(file);
}

static const struct {
	const char *tracer;
	void (*file)(const char *path, struct sum *sum);
	bool tells_lost;
} kinds[] = {
	{"ktrace", ktrace_file, false},
	{"lttng", lttng_file, true},
	{"perf", perf_file, true},
};

int main(int argc, char **argv)
{
	struct sum sum = {0};
	size_t kind;
	int i;

	for (kind = 0; argc >= 3 && kind < sizeof(kinds) / sizeof(*kinds);
	     kind++) {
		if (strcmp(argv[1], kinds[kind].tracer))
			continue;
		for (i = 2; i < argc; i++)
			kinds[kind].file(argv[i], &sum);
		printf("%llu %llu\n",
		       (unsigned long long)(sum.there ? sum.there : sum.events),
		       (unsigned long long)sum.bytes);
		if (kinds[kind].tells_lost)
			printf("%llu\n", (unsigned long long)sum.lost);
		return 0;
	}
	fprintf(stderr, "usage: packets ktrace|lttng|perf FILE...\n");
	return 2;
}
