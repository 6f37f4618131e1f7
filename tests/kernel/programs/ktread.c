// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ktread - a reader for the tests, small and strict
 *
 *   ktread [OPTION...] DIR      DIR: a session's directory in the control tree
 *
 *   -w SECONDS  read that long, or until SIGUSR1, as a recorder does, before the last
 *               flush
 *   -d          print each record: CPU TIME TID SYSTEM:NAME HEX
 *		 or: CPU TIME TID switch TID
 *		 or: CPU TIME TID task|exit TID TGID PARENT COMM
 *		 where the first TID is the thread that ran
 *   -l          leave the packets where they are
 *   -q          no count by event
 *
 * Reads the buffers of all CPUs through their mapping, checks each packet and
 * record against include/uapi/ktrace.h, gives the packets back, and prints
 *
 *   event SYSTEM:NAME COUNT            for each event that has an id
 *   task switch|task|exit COUNT
 *   total events N full N overwritten N nested N large N task N recursion N stale N
 *
 * where `events' are those that were read, and the others are the kernel's
 * totals of losses.  If something is wrong, it says so on standard error, and
 * the exit status is 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <ktrace.h>

#define CPUS_MAX 64
#define IDS_MAX	 8192

static struct event {
	char *name;
	uint32_t size;
	bool dynamic;
	uint64_t count;
	struct event *of; /* this id is of that event's short form */
} events[IDS_MAX];

static struct buffer {
	int fd;
	unsigned int cpu;
	const struct kt_control *control;
	const uint8_t *packets;
	uint64_t seq;	      /* of the next packet */
	uint64_t time;	      /* of the last record */
	uint64_t events_next; /* least events_before of the next packet */
	uint32_t tid;	      /* the thread that runs */
	uint64_t read, stale;
	uint64_t gap; /* overwritten, according to the packets */
	bool begun;
} buffers[CPUS_MAX];

static unsigned int nr_buffers;
static uint64_t task_counts[KT_ID_FIRST];
static bool dump, leave, quiet, failed;
static volatile sig_atomic_t enough;
static uint64_t trace_id;

static void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("ktread: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	failed = true;
}

static void die(const char *what)
{
	fprintf(stderr, "ktread: %s: %s\n", what, strerror(errno));
	exit(2);
}

static FILE *tree_open(const char *dir, const char *file)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "r");
	if (!f)
		die(path);
	return f;
}

/* Sizes of all events that have an id. */
static void info_read(const char *dir)
{
	FILE *f = tree_open(dir, "info");
	struct event *event = NULL;
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, f) > 0) {
		char name[256];
		unsigned int value;

		if (sscanf(line, "event %255s id %u", name, &value) == 2) {
			event = value && value + 1 < IDS_MAX ? &events[value]
							     : NULL;
			if (event)
				event->name = strdup(name);
		} else if (event && sscanf(line, "size: %u", &value) == 1) {
			event->size = value;
		} else if (event && sscanf(line, "dynamic: %u", &value) == 1) {
			event->dynamic = value;
		} else if (event && sscanf(line, "short: %u", &value) == 1) {
			event[1] = (struct event){.size = value, .of = event};
		}
	}
	free(line);
	fclose(f);
}

static void trace_read(const char *dir)
{
	FILE *f = tree_open(dir, "trace");

	if (fscanf(f, "trace_id %" SCNx64, &trace_id) != 1)
		complain("trace: no trace_id");
	fclose(f);
}

static void buffers_open(const char *dir)
{
	unsigned int cpu;

	for (cpu = 0; cpu < CPUS_MAX; cpu++) {
		struct buffer *buffer = &buffers[nr_buffers];
		char path[PATH_MAX];
		uint64_t size;
		const void *map;

		snprintf(path, sizeof(path), "%s/buffers/cpu%u", dir, cpu);
		buffer->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (buffer->fd < 0) {
			if (errno == ENOENT)
				continue;
			die(path);
		}
		if (ioctl(buffer->fd, KT_GET_SIZE, &size))
			die("KT_GET_SIZE");
		map = mmap(NULL, KT_CONTROL_SIZE + size, PROT_READ, MAP_SHARED,
			   buffer->fd, 0);
		if (map == MAP_FAILED)
			die("mmap");
		buffer->cpu = cpu;
		buffer->control = map;
		buffer->packets = (const uint8_t *)map + KT_CONTROL_SIZE;
		if (buffer->control->magic != KT_CONTROL_MAGIC ||
		    buffer->control->version != KT_ABI_VERSION ||
		    buffer->control->packet_size != KT_PACKET_SIZE ||
		    (uint64_t)buffer->control->packets * KT_PACKET_SIZE !=
			    size ||
		    buffer->control->cpu != cpu ||
		    buffer->control->trace_id != trace_id)
			complain("cpu%u: bad control page", cpu);
		buffer->seq = buffer->control->consumed;
		nr_buffers++;
	}
}

static void record_print(const struct buffer *buffer, uint32_t id,
			 const uint8_t *payload, uint32_t size)
{
	struct kt_task task = {0};
	const struct event *event;
	uint32_t i;

	printf("%u %" PRIu64 " %u ", buffer->cpu, buffer->time, buffer->tid);
	switch (id) {
	case KT_ID_SWITCH:
		memcpy(&task.tid, payload, sizeof(task.tid));
		printf("switch %u\n", task.tid);
		break;
	case KT_ID_TASK:
	case KT_ID_EXIT:
		memcpy(&task, payload, sizeof(task));
		printf("%s %u %u %u %.*s\n", id == KT_ID_EXIT ? "exit" : "task",
		       task.tid, task.tgid, task.parent, KT_COMM_LEN,
		       task.comm);
		break;
	default:
		event = events[id].of ? events[id].of : &events[id];
		printf("%s ", event->name);
		for (i = 0; i < size; i++)
			printf("%02x", payload[i]);
		/* The rest of a short form is zero. */
		for (; i < event->size; i++)
			printf("00");
		putchar('\n');
	}
}

static uint32_t task_size(uint32_t id)
{
	switch (id) {
	case KT_ID_SWITCH:
		return sizeof(struct kt_task_switch);
	case KT_ID_TASK:
	case KT_ID_EXIT:
		return sizeof(struct kt_task);
	default:
		return UINT32_MAX;
	}
}

/* Checks the copy of a packet, which nobody else writes. */
static void packet_check(struct buffer *buffer, const uint8_t *data)
{
	const struct kt_packet *packet = (const void *)data;
	uint64_t time = packet->begin;
	uint64_t counted = 0;
	uint32_t at;

	if (packet->magic != KT_PACKET_MAGIC ||
	    packet->version != KT_ABI_VERSION ||
	    packet->header_size != sizeof(*packet) ||
	    packet->packet_size != KT_PACKET_SIZE ||
	    packet->used < sizeof(*packet) || packet->used > KT_PACKET_SIZE ||
	    packet->cpu != buffer->cpu || packet->seq != buffer->seq ||
	    packet->trace_id != trace_id) {
		complain("cpu%u packet %" PRIu64 ": bad header", buffer->cpu,
			 buffer->seq);
		return;
	}
	if (packet->begin < buffer->time)
		complain("cpu%u packet %" PRIu64 ": begins before its time",
			 buffer->cpu, buffer->seq);
	if (buffer->begun) {
		if (packet->events_before < buffer->events_next)
			complain("cpu%u packet %" PRIu64 ": events_before",
				 buffer->cpu, buffer->seq);
		buffer->gap += packet->events_before - buffer->events_next;
	}
	buffer->begun = true;
	buffer->tid = packet->tid;
	buffer->events_next = packet->events_before + packet->events;

	for (at = packet->header_size; at < packet->used;) {
		uint32_t header, id, size;

		memcpy(&header, data + at, 4);
		at += 4;
		id = header & ((1u << KT_ID_BITS) - 1);
		if (id == KT_ID_EXTENDED) {
			if (header >> KT_ID_BITS)
				complain("extended header: reserved bits");
			memcpy(&id, data + at, 4);
			memcpy(&time, data + at + 4, 8);
			at += 12;
		} else {
			time = (time >> KT_TIME_BITS << KT_TIME_BITS) |
			       header >> KT_ID_BITS;
		}
		if (time < buffer->time || time < packet->begin ||
		    time > packet->end)
			complain("cpu%u packet %" PRIu64
				 " at %u: time goes back",
				 buffer->cpu, packet->seq, at);
		buffer->time = time;
		if (id < KT_ID_FIRST) {
			size = task_size(id);
			if (size != UINT32_MAX)
				task_counts[id]++;
		} else if (id < IDS_MAX && events[id].of) {
			size = events[id].size;
			events[id].of->count++;
			counted++;
		} else if (id < IDS_MAX && events[id].name) {
			size = events[id].size;
			if (events[id].dynamic) {
				uint32_t fixed = size;

				memcpy(&size, data + at, 4);
				at += 4;
				if (size < fixed)
					complain("%s: %u bytes are too few",
						 events[id].name, size);
			}
			events[id].count++;
			counted++;
		} else {
			size = UINT32_MAX;
		}
		if (size > packet->used - at) {
			complain("cpu%u packet %" PRIu64
				 " at %u: bad record, id %u",
				 buffer->cpu, packet->seq, at, id);
			return;
		}
		if (dump)
			record_print(buffer, id, data + at, size);
		if (id == KT_ID_SWITCH)
			memcpy(&buffer->tid, data + at, sizeof(buffer->tid));
		at += (size + 3) & ~3u;
	}
	if (counted != packet->events)
		complain("cpu%u packet %" PRIu64 ": %" PRIu64 " events, not %u",
			 buffer->cpu, packet->seq, counted, packet->events);
	buffer->read += counted;
}

/* Takes one packet, if there is one. */
static bool packet_take(struct buffer *buffer)
{
	const struct kt_control *control = buffer->control;
	static uint8_t copy[KT_PACKET_SIZE];
	uint64_t consumed;

	/* In overwrite mode the writer moves consumed. */
	consumed = __atomic_load_n(&control->consumed, __ATOMIC_ACQUIRE);
	if (buffer->seq < consumed)
		buffer->seq = consumed;
	if (buffer->seq >=
	    __atomic_load_n(&control->produced, __ATOMIC_ACQUIRE))
		return false;
	memcpy(copy,
	       buffer->packets +
		       (buffer->seq & (control->packets - 1)) * KT_PACKET_SIZE,
	       KT_PACKET_SIZE);
	if (!leave && ioctl(buffer->fd, KT_PUT_CONSUMED, &buffer->seq)) {
		if (errno != ESTALE)
			die("KT_PUT_CONSUMED");
		buffer->stale++;
		return true;
	}
	packet_check(buffer, copy);
	buffer->seq++;
	return true;
}

static void enough_set(int number)
{
	enough = number;
}

static void buffers_follow(double seconds)
{
	struct pollfd polls[CPUS_MAX];
	struct timespec now;
	double end;
	unsigned int i;

	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + now.tv_nsec / 1e9 + seconds;
	signal(SIGUSR1, enough_set);
	for (i = 0; i < nr_buffers; i++)
		polls[i] = (struct pollfd){buffers[i].fd, POLLIN, 0};
	for (;;) {
		double left;

		clock_gettime(CLOCK_MONOTONIC, &now);
		left = end - (now.tv_sec + now.tv_nsec / 1e9);
		if (left <= 0 || enough)
			return;
		/* The signal may come just before poll(). */
		if (left > 0.1)
			left = 0.1;
		if (poll(polls, nr_buffers, left * 1000 + 1) < 0) {
			if (errno != EINTR)
				die("poll");
			continue;
		}
		for (i = 0; i < nr_buffers; i++) {
			if (polls[i].revents)
				packet_take(&buffers[i]);
		}
	}
}

/* Takes complete packets, flushes, and takes what that has completed. */
static void buffer_drain(struct buffer *buffer)
{
	while (packet_take(buffer))
		;
	while (ioctl(buffer->fd, KT_FLUSH)) {
		if (errno != ENOSPC)
			die("KT_FLUSH");
		if (!packet_take(buffer)) {
			complain("cpu%u: cannot be flushed", buffer->cpu);
			return;
		}
	}
	while (packet_take(buffer))
		;
}

static void print_totals(void)
{
	static const char *const names[KT_LOST_NR] = {
		"full", "overwritten", "nested", "large", "task", "recursion"};
	uint64_t read = 0, stale = 0, lost[KT_LOST_NR] = {0};
	unsigned int i, j;

	for (i = 0; i < nr_buffers; i++) {
		read += buffers[i].read;
		stale += buffers[i].stale;
		for (j = 0; j < KT_LOST_NR; j++)
			lost[j] += buffers[i].control->lost[j];
	}
	if (!quiet) {
		for (i = KT_ID_FIRST; i < IDS_MAX; i++) {
			if (events[i].name)
				printf("event %s %" PRIu64 "\n", events[i].name,
				       events[i].count);
		}
		printf("task switch %" PRIu64 "\ntask task %" PRIu64
		       "\ntask exit %" PRIu64 "\n",
		       task_counts[KT_ID_SWITCH], task_counts[KT_ID_TASK],
		       task_counts[KT_ID_EXIT]);
	}
	printf("total events %" PRIu64, read);
	for (j = 0; j < KT_LOST_NR; j++)
		printf(" %s %" PRIu64, names[j], lost[j]);
	printf(" stale %" PRIu64 "\n", stale);
}

int main(int argc, char **argv)
{
	double seconds = 0;
	unsigned int i;
	int option;

	while ((option = getopt(argc, argv, "w:dlq")) != -1) {
		switch (option) {
		case 'w':
			seconds = atof(optarg);
			break;
		case 'd':
			dump = true;
			break;
		case 'l':
			leave = true;
			break;
		case 'q':
			quiet = true;
			break;
		default:
			return 2;
		}
	}
	if (optind + 1 != argc) {
		fputs("usage: ktread [-w SECONDS] [-dlq] DIR\n", stderr);
		return 2;
	}
	trace_read(argv[optind]);
	info_read(argv[optind]);
	buffers_open(argv[optind]);
	buffers_follow(seconds);
	for (i = 0; i < nr_buffers; i++)
		buffer_drain(&buffers[i]);
	print_totals();
	return failed;
}
