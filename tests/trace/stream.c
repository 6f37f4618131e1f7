// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A trace that is read as a stream gives the same as a directory, in whatever order its
 * frames come.  A stream that is cut is read up to its last complete packet.  What was read
 * is freed.
 */
#include "check.h"
#include "maker.h"
#include "rnd.h"
#include "scratch.h"

#include <errno.h>
#include <sys/mman.h>

#include <ktrace.h>

#include "read/frame.h"
#include "read/trace.h"

#define CPUS   3
#define EVENTS 60000
#define BEGIN  5000000000000ull
#define STEP   1000

static struct ktrace_memory metadata, end, cpus[CPUS];

/* The stream: a file in memory, and where each frame begins. */
static int stream = -1;
static size_t nr_frames;
static struct {
	off_t at;
	uint32_t kind;
	uint32_t events;
} frames[4096];

static void make(void)
{
	struct maker_wakeup wake = {.comm = "woken", .pid = 4};
	struct maker *maker;
	const char *last;

	if (metadata.size)
		return;
	scratch_make();
	maker = maker_create(directory, CPUS, 4, false, 99);
	CHECK(maker);
	for (uint32_t i = 0; i < EVENTS; i++) {
		uint32_t cpu = rnd(10) < 7 ? 0 : 1 + !rnd(40);

		maker_time(maker, BEGIN + i * STEP);
		maker_stall(maker, 0, i > 30000 && i < 45000);
		maker_event(maker, cpu, MAKER_WAKEUP, &wake, sizeof(wake));
		if (!rnd(20))
			maker_run(maker, cpu, 10 + rnd(3), 10, "runs");
	}
	CHECK(maker_lost(maker, 0) > 0);
	CHECK_EQ(maker_finish(maker, false), 0);
	metadata = load("metadata");
	last = strstr(metadata.data, "{\"type\":\"end\"");
	CHECK(last);
	end = (struct ktrace_memory){last, strlen(last)};
	metadata.size -= end.size;
	cpus[0] = load("cpu0");
	cpus[1] = load("cpu1");
	cpus[2] = load("cpu2");
}

static void stream_begin(void)
{
	if (stream >= 0)
		close(stream);
	stream = memfd_create("stream", MFD_CLOEXEC);
	CHECK(stream >= 0);
	nr_frames = 0;
}

static void frame_put(uint32_t kind, uint32_t number, const void *bytes,
		      uint32_t size)
{
	struct frame frame = {FRAME_MAGIC, kind, number, size};

	CHECK(nr_frames < sizeof(frames) / sizeof(*frames));
	frames[nr_frames].at = lseek(stream, 0, SEEK_CUR);
	frames[nr_frames].kind = kind;
	frames[nr_frames++].events =
		kind == KTRACE_FILE_CPU && size
			? ((const struct kt_packet *)bytes)->events
			: 0;
	CHECK_EQ(write(stream, &frame, sizeof(frame)), sizeof(frame));
	CHECK_EQ(write(stream, bytes, size), size);
}

/* How far each stream was read. */
static size_t at[CPUS];

static const struct kt_packet *packet_next(uint32_t cpu)
{
	return at[cpu] < cpus[cpu].size
		       ? (const void *)((const char *)cpus[cpu].data + at[cpu])
		       : NULL;
}

static void packet_put(uint32_t cpu)
{
	const struct kt_packet *packet = packet_next(cpu);
	uint32_t size = (packet->used + 7) & ~7u;

	frame_put(KTRACE_FILE_CPU, cpu, packet, size);
	at[cpu] += size;
}

/* Says that everything before the next packets is there. */
static void sync_put(void)
{
	uint64_t until = UINT64_MAX;

	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		if (packet_next(cpu) && packet_next(cpu)->begin <= until)
			until = packet_next(cpu)->begin - 1;
	frame_put(FRAME_SYNC, 0, &until, sizeof(until));
}

static uint32_t packet_oldest(void)
{
	uint32_t oldest = 0;

	for (uint32_t cpu = 1; cpu < CPUS; cpu++)
		if (packet_next(cpu) &&
		    (!packet_next(oldest) ||
		     packet_next(cpu)->begin < packet_next(oldest)->begin))
			oldest = cpu;
	return oldest;
}

enum order {
	MIXED,	  /* CPUs are far ahead of others */
	IN_ORDER, /* as by a recorder that is fast enough */
	UNKNOWN,  /* mixed, and streams come without announcement */
};

static void stream_make(uint32_t packets, enum order order)
{
	make();
	stream_begin();
	memset(at, 0, sizeof(at));
	frame_put(KTRACE_FILE_METADATA, 0, metadata.data, metadata.size);
	for (uint32_t cpu = 0; order != UNKNOWN && cpu < CPUS; cpu++)
		frame_put(KTRACE_FILE_CPU, cpu, NULL, 0);
	sync_put();
	while (packet_next(0) || packet_next(1) || packet_next(2)) {
		for (uint32_t i = 0; i < packets; i++) {
			uint32_t cpu =
				order == IN_ORDER ? packet_oldest() : rnd(CPUS);

			if (packet_next(cpu))
				packet_put(cpu);
		}
		sync_put();
		/* A frame of a later version. */
		frame_put(99, 0, "later", 5);
	}
	frame_put(KTRACE_FILE_METADATA, 0, end.data, end.size);
}

static int stream_open(struct ktrace **trace)
{
	CHECK_EQ(lseek(stream, 0, SEEK_SET), 0);
	return ktrace_open_stream(stream, trace);
}

static void same_item(const struct ktrace_cursor *a,
		      const struct ktrace_cursor *b, int item)
{
	if (item == KTRACE_EVENT) {
		const struct ktrace_event *x = ktrace_cursor_event(a);
		const struct ktrace_event *y = ktrace_cursor_event(b);

		CHECK_EQ(x->cpu, y->cpu);
		CHECK_EQ(x->tid, y->tid);
		CHECK_STR(x->comm, y->comm);
		CHECK_EQ(x->type->id, y->type->id);
		CHECK_EQ(x->size, y->size);
		CHECK(!memcmp(x->payload, y->payload, x->size));
		CHECK_EQ(x->time, y->time);
	} else if (item == KTRACE_LOSS) {
		const struct ktrace_loss *x = ktrace_cursor_loss(a);
		const struct ktrace_loss *y = ktrace_cursor_loss(b);

		CHECK_EQ(x->cpu, y->cpu);
		CHECK_EQ(x->cause, y->cause);
		CHECK_EQ(x->count, y->count);
	}
}

/* The memory that the files behind the streams take. */
static uint64_t memory_of(const struct ktrace *trace)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < trace->nr_sources; i++) {
		struct stat st;

		CHECK(!fstat(trace->sources[i].fd, &st));
		sum += st.st_blocks * 512ull;
	}
	return sum;
}

static uint64_t compare(void)
{
	struct ktrace_cursor *a, *b;
	struct ktrace *whole, *trace;
	uint64_t most = 0;
	int item;

	CHECK_EQ(ktrace_open(directory, &whole), 0);
	CHECK_EQ(ktrace_cursor_create(whole, NULL, &a), 0);
	CHECK_EQ(stream_open(&trace), 0);
	CHECK(ktrace_get_info(trace)->live);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &b), 0);
	do {
		item = ktrace_cursor_next(a);
		CHECK_EQ(ktrace_cursor_next(b), item);
		same_item(a, b, item);
		if (memory_of(trace) > most)
			most = memory_of(trace);
	} while (item > 0);
	CHECK_EQ(item, KTRACE_END);
	CHECK_EQ(ktrace_cursor_next(b), KTRACE_END);
	CHECK(!ktrace_get_info(trace)->live);
	CHECK_STR(ktrace_get_info(trace)->reason, "stopped");
	CHECK_EQ(ktrace_get_info(trace)->nr_cpus, CPUS);
	CHECK_EQ(ktrace_get_info(trace)->bytes, ktrace_get_info(whole)->bytes);
	/* One warning: about the unknown frames. */
	CHECK(ktrace_warning(trace, 0) && !ktrace_warning(trace, 1));
	ktrace_cursor_destroy(a);
	ktrace_cursor_destroy(b);
	ktrace_close(whole);
	ktrace_close(trace);
	return most;
}

TEST(as_a_directory)
{
	for (int i = 0; i < 10; i++) {
		stream_make(1 + rnd(20), MIXED);
		compare();
	}
}

TEST(streams_that_come_later)
{
	stream_make(3, UNKNOWN);
	compare();
}

TEST(all_at_once)
{
	stream_make(100000, MIXED);
	compare();
}

TEST(memory_is_given_back)
{
	uint64_t most;

	stream_make(2, IN_ORDER);
	most = compare();
	/* At most: the packets between two syncs, and one of each CPU that is ahead. */
	check_note("%zu bytes, at most %llu in memory", cpus[0].size,
		   (unsigned long long)most);
	CHECK(cpus[0].size > 15 * KT_PACKET_SIZE);
	CHECK(most < 8 * KT_PACKET_SIZE);
}

/* How reading ends, if so much may be kept. */
static int end_with(uint64_t held, uint64_t text)
{
	struct ktrace_cursor *cursor;
	struct ktrace *trace;
	int item;

	CHECK_EQ(stream_open(&trace), 0);
	trace->held_max = held;
	trace->text_max = text;
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	do
		item = ktrace_cursor_next(cursor);
	while (item > 0);
	CHECK(memory_of(trace) < held + 4 * KT_PACKET_SIZE);
	CHECK_EQ(ktrace_cursor_next(cursor), item);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	return item;
}

/* However often it says up to where it is whole: what was not read counts. */
TEST(packets_are_bounded_in_sum)
{
	uint64_t until = 1;

	stream_make(2, IN_ORDER);
	CHECK_EQ(end_with(8 * KT_PACKET_SIZE, 1 << 20), KTRACE_END);
	stream_begin();
	memset(at, 0, sizeof(at));
	frame_put(KTRACE_FILE_METADATA, 0, metadata.data, metadata.size);
	frame_put(FRAME_SYNC, 0, &until, sizeof(until));
	while (packet_next(0)) {
		packet_put(0);
		frame_put(FRAME_SYNC, 0, &until, sizeof(until));
	}
	CHECK_EQ(end_with(8 * KT_PACKET_SIZE, 1 << 20), -E2BIG);
	CHECK(strstr(ktrace_last_error(), "--size"));
	CHECK_EQ(end_with(64 * KT_PACKET_SIZE, 1 << 20), KTRACE_END);
}

TEST(metadata_is_bounded_in_sum)
{
	static char line[10000] = "{\"type\":\"later\"}";

	memset(line + strlen(line), ' ', sizeof(line) - strlen(line));
	line[sizeof(line) - 1] = '\n';
	stream_make(20, IN_ORDER);
	for (int i = 0; i < 10; i++)
		frame_put(KTRACE_FILE_METADATA, 0, line, sizeof(line));
	CHECK_EQ(end_with(64 * KT_PACKET_SIZE, 1 << 20), KTRACE_END);
	CHECK_EQ(end_with(64 * KT_PACKET_SIZE, 80000), -EFBIG);
	CHECK(strstr(ktrace_last_error(), "metadata"));
}

TEST(one_cursor)
{
	struct ktrace_cursor *cursor, *second;
	struct ktrace *trace;

	stream_make(4, MIXED);
	CHECK_EQ(stream_open(&trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &second), -EBUSY);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
}

/* In what events_read() read: events that were lost by damage. */
static uint64_t lost_damaged;

/* The number of events in the stream; -1: it is refused. */
static int64_t events_read(bool *warned)
{
	struct ktrace_cursor *cursor;
	struct ktrace *trace;
	int64_t events = 0;
	int item;

	if (stream_open(&trace))
		return -1;
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	lost_damaged = 0;
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		events += item == KTRACE_EVENT;
		if (item == KTRACE_LOSS &&
		    ktrace_cursor_loss(cursor)->cause == KTRACE_LOST_DAMAGED)
			lost_damaged += ktrace_cursor_loss(cursor)->count;
	}
	CHECK_EQ(item, KTRACE_END);
	*warned = false;
	for (size_t i = 0; ktrace_warning(trace, i); i++)
		*warned |= strstr(ktrace_warning(trace, i), "come later") ||
			   strstr(ktrace_warning(trace, i), "cut off") ||
			   strstr(ktrace_warning(trace, i), "damaged");
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	return events;
}

/* Cuts each frame: in its header, in its content, and at its end. */
TEST(cut)
{
	int64_t events = 0;
	off_t next;
	bool warned;

	stream_make(4, MIXED);
	for (size_t i = 0; i < nr_frames; i++)
		events += frames[i].events;
	next = lseek(stream, 0, SEEK_CUR);
	for (size_t i = nr_frames; i-- > 0; next = frames[i].at) {
		const off_t cuts[] = {next - 1, frames[i].at + 20,
				      frames[i].at + 7};

		events -= frames[i].events;
		for (size_t k = 0; k < sizeof(cuts) / sizeof(*cuts); k++) {
			if (cuts[k] >= next)
				continue;
			CHECK_EQ(ftruncate(stream, cuts[k]), 0);
			CHECK_EQ(events_read(&warned), i ? events : -1);
			CHECK(warned || !i);
		}
	}
	CHECK_EQ(events, 0);
}

static uint8_t byte_flip(off_t offset, uint8_t mask)
{
	uint8_t byte;

	CHECK_EQ(pread(stream, &byte, 1, offset), 1);
	byte ^= mask;
	CHECK_EQ(pwrite(stream, &byte, 1, offset), 1);
	return byte;
}

/* Nothing crashes, and no event is invented. */
TEST(damaged)
{
	int64_t whole, found;
	bool warned;

	stream_make(4, MIXED);
	whole = events_read(&warned);
	CHECK(whole > 0 && !warned);
	for (int i = 0; i < 300; i++) {
		/* Mostly in the headers of frames. */
		off_t offset = frames[rnd(nr_frames)].at + rnd(24);
		uint8_t mask = 1u << rnd(8);

		byte_flip(offset, mask);
		found = events_read(&warned);
		CHECK(found <= whole);
		byte_flip(offset, mask);
	}
	CHECK_EQ(events_read(&warned), whole);
}

/* What comes when its time is over does not pass for something of another time. */
TEST(late)
{
	uint64_t until = UINT64_MAX - 1;
	bool warned;

	stream_make(100000, IN_ORDER);
	events_read(&warned);
	CHECK(!warned);
	stream_begin();
	memset(at, 0, sizeof(at));
	frame_put(KTRACE_FILE_METADATA, 0, metadata.data, metadata.size);
	packet_put(0);
	frame_put(FRAME_SYNC, 0, &until, sizeof(until));
	packet_put(1);
	frame_put(KTRACE_FILE_METADATA, 0, end.data, end.size);
	CHECK_EQ(events_read(&warned), frames[1].events + frames[3].events);
	CHECK(warned);
}

/* A packet's header: that packet is lost and counted, and no other. */
TEST(damaged_header)
{
	static const size_t fields[] = {
		offsetof(struct kt_packet, magic),
		offsetof(struct kt_packet, version),
		offsetof(struct kt_packet, header_size),
		offsetof(struct kt_packet, used) + 2,
		offsetof(struct kt_packet, seq) + 6,
		offsetof(struct kt_packet, end) + 7,
		offsetof(struct kt_packet, begin) + 7,
		offsetof(struct kt_packet, cpu),
		offsetof(struct kt_packet, trace_id),
	};
	int64_t whole, found, tried = 0;
	bool warned;

	stream_make(1, IN_ORDER);
	whole = events_read(&warned);
	for (size_t i = 0; i < nr_frames; i++) {
		const size_t field =
			fields[i % (sizeof(fields) / sizeof(*fields))];
		off_t offset = frames[i].at + sizeof(struct frame) + field;

		if (!frames[i].events)
			continue;
		tried++;
		byte_flip(offset, 0x40);
		found = events_read(&warned);
		CHECK_EQ(found + (int64_t)lost_damaged, whole);
		CHECK(found >= whole - frames[i].events);
		CHECK(warned || found == whole);
		byte_flip(offset, 0x40);
	}
	CHECK(tried > 20);
}

/* A packet that has grown is read again.  If it is none then, what was read of it before counts. */
TEST(damaged_when_it_has_grown)
{
	static const struct kt_packet none = {.used = 0xfffffff0};
	struct kt_packet head;
	uint64_t until;
	int64_t whole;
	bool warned;

	make();
	stream_begin();
	memset(at, 0, sizeof(at));
	frame_put(KTRACE_FILE_METADATA, 0, metadata.data, metadata.size);
	head = *packet_next(0);
	head.used = sizeof(head);
	head.events = 0;
	frame_put(FRAME_SHOWN, 0, &head, sizeof(head));
	until = head.begin;
	frame_put(FRAME_SYNC, 0, &until, sizeof(until));
	frame_put(FRAME_SHOWN, 0, &none, sizeof(none));
	until++;
	frame_put(FRAME_SYNC, 0, &until, sizeof(until));
	frame_put(KTRACE_FILE_PROGRAMS, 0, &head, sizeof(head));
	at[0] += (packet_next(0)->used + 7) & ~7u;
	whole = packet_next(0)->events;
	frame_put(KTRACE_FILE_PROGRAMS, 0, packet_next(0),
		  (packet_next(0)->used + 7) & ~7u);
	frame_put(KTRACE_FILE_METADATA, 0, end.data, end.size);
	CHECK_EQ(events_read(&warned), whole);
	CHECK(warned);
}

TEST(no_stream)
{
	bool warned;

	stream_begin();
	CHECK_EQ(events_read(&warned), -1);
	CHECK(strstr(ktrace_last_error(), "no stream"));
	CHECK_EQ(write(stream, "{\"type\":\"trace\",\"format\":1}\n", 28), 28);
	CHECK_EQ(events_read(&warned), -1);
	CHECK(strstr(ktrace_last_error(), "no stream"));
	stream_begin();
	frame_put(KTRACE_FILE_METADATA, 0,
		  "{\"type\":\"trace\",\"format\":99}\n", 29);
	CHECK_EQ(events_read(&warned), -1);
	CHECK(strstr(ktrace_last_error(), "format 99"));
}

CHECK_MAIN
