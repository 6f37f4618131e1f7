// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The end of a recording if the control tree fails: everything in the buffers is still
 * written, and accounted for.  The tree consists of plain files, which have no ioctl(), so
 * it is replaced here.
 */
#include "check.h"
#include "scratch.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <ktrace.h>
#include <ktrace/recording.h>

#include "read/frame.h"

#define PACKETS 32
#define EVENTS	7

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct kt_control *control;
	char path[64];
	struct stat st;
	va_list ap;
	void *to;
	bool stale;
	int own;

	va_start(ap, request);
	to = va_arg(ap, void *);
	va_end(ap);
	if (request == KT_FLUSH)
		return 0;
	if (request == KT_GET_SIZE) {
		if (fstat(fd, &st))
			return -1;
		*(uint64_t *)to = st.st_size - KT_CONTROL_SIZE;
		return 0;
	}
	CHECK_EQ(request, KT_PUT_CONSUMED);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, O_RDWR);
	control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE,
		       MAP_SHARED, own, 0);
	CHECK(control != MAP_FAILED);
	stale = *(uint64_t *)to < control->consumed;
	if (!stale)
		CHECK_EQ(*(uint64_t *)to, control->consumed++);
	munmap(control, sizeof(*control));
	close(own);
	errno = ESTALE;
	return stale ? -1 : 0;
}

/* A file of this name can be opened so many times more; not counted if it is NULL. */
static const char *scarce;
static int scarce_left;

int __real_openat64(int folder, const char *name, int flags, ...);
int __wrap_openat64(int folder, const char *name, int flags, ...);
int __wrap_openat64(int folder, const char *name, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	if (scarce && !strcmp(name, scarce) && !scarce_left--) {
		errno = EMFILE;
		return -1;
	}
	return __real_openat64(folder, name, flags, mode);
}

/* A plain file cannot be waited for: it may always have something. */
int __wrap_epoll_ctl(int epoll, int op, int fd, struct epoll_event *event);
int __wrap_epoll_ctl(int epoll, int op, int fd, struct epoll_event *event)
{
	return 0;
}

int __wrap_epoll_wait(int epoll, struct epoll_event *events, int nr, int ms);
int __wrap_epoll_wait(int epoll, struct epoll_event *events, int nr, int ms)
{
	usleep(1000);
	return 1;
}

static void tree_path(char path[512], const char *name)
{
	snprintf(path, 512, "%s/tree/%s", directory, name);
}

static void tree_file(const char *name, const char *text)
{
	char path[512];
	FILE *f;

	tree_path(path, name);
	f = fopen(path, "w");
	CHECK(f);
	fputs(text, f);
	fclose(f);
}

static void tree_folder(const char *name)
{
	char path[512];

	tree_path(path, name);
	CHECK(!mkdir(path, 0700));
}

/* When a packet begins: the packets of the CPUs take turns. */
static uint64_t packet_begin(uint32_t cpu, uint64_t seq)
{
	return 2000 + 100 * seq + 10 * cpu;
}

static enum kt_mode mode;
/* Lost before each packet, but for the first, and behind the last one. */
static uint64_t lost_each, lost_last;
/* Overwritten before each, but for the first. */
static uint64_t overwritten_each;

/* A buffer with packets whose events have no type: they are only counted. */
static void buffer_make(uint32_t cpu, uint32_t first, uint32_t packets)
{
	static struct {
		struct kt_control control;
		uint8_t pad[KT_CONTROL_SIZE - sizeof(struct kt_control)];
		uint8_t packets[PACKETS][KT_PACKET_SIZE];
	} buffer;
	char path[512], name[32];
	int fd;

	memset(&buffer, 0, sizeof(buffer));
	buffer.control = (struct kt_control){
		.magic = KT_CONTROL_MAGIC,
		.version = KT_ABI_VERSION,
		.packet_size = KT_PACKET_SIZE,
		.packets = PACKETS,
		.cpu = cpu,
		.mode = mode,
		.trace_id = 5,
		.produced = first + packets,
		.consumed = first,
		.events = (EVENTS + overwritten_each) * (first + packets),
		.lost = {[KT_LOST_FULL] =
				 lost_each * (first + packets - 1) + lost_last,
			 [KT_LOST_OVERWRITTEN] =
				 overwritten_each * (first + packets - 1)},
	};
	if (overwritten_each)
		buffer.control.events -= overwritten_each;
	for (uint32_t seq = first; seq < first + packets; seq++)
		*(struct kt_packet *)buffer.packets[seq % PACKETS] =
			(struct kt_packet){
				.magic = KT_PACKET_MAGIC,
				.version = KT_ABI_VERSION,
				.header_size = sizeof(struct kt_packet),
				.packet_size = KT_PACKET_SIZE,
				.used = sizeof(struct kt_packet),
				.seq = seq,
				.begin = packet_begin(cpu, seq),
				.end = packet_begin(cpu, seq),
				.events = EVENTS,
				.events_before =
					(EVENTS + overwritten_each) * seq,
				.lost_full = lost_each * seq,
				.cpu = cpu,
				.trace_id = 5,
			};
	snprintf(name, sizeof(name), "buffers/cpu%u", cpu);
	tree_path(path, name);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	/* The packets first: who sees a control page that tells of them may read them. */
	CHECK_EQ(pwrite(fd, buffer.packets, sizeof(buffer.packets),
			KT_CONTROL_SIZE),
		 sizeof(buffer.packets));
	CHECK_EQ(pwrite(fd, &buffer, KT_CONTROL_SIZE, 0), KT_CONTROL_SIZE);
	close(fd);
}

static void tree_remove(void)
{
	char command[600];

	snprintf(command, sizeof(command), "cd %s && rm -rf tree t u v w",
		 directory);
	CHECK(!system(command));
}

static struct ktrace_session *session;
static struct ktrace_recording *recording;
static bool keep = true;
static bool stacked; /* an event has stacks of the kernel */

/* Of @packets of each CPU; into the file @output, -1: into a directory. */
static void begin_with(uint32_t packets, int output)
{
	struct ktrace_recording_options options = {
		.size = sizeof(options),
		.overwrite = mode == KT_MODE_OVERWRITE,
		.keep = keep,
		.output = output,
	};
	char path[512], trace[512];

	if (*directory)
		tree_remove();
	scratch_make();
	snprintf(path, sizeof(path), "%s/tree", directory);
	CHECK(!mkdir(path, 0700));
	setenv("KTRACE_ROOT", path, 1);
	tree_file("version", "test 1\n");
	tree_file("trace", "trace_id 5\nclock mono\nfrequency 1000000000\n"
			   "sync 1000 1000 1000\n");
	tree_file("enabled", "0\n");
	tree_file("types", "");
	tree_file("tasks", "1 1 0 init\n");
	tree_file("mode", "");
	tree_file("overflow", "cpu0 events 7 full 0\ntotal events 7 full 0\n"
			      "source knock missed 5\n"
			      "source hook missed 11 nmi 2 node 9\n");
	if (stacked) {
		tree_file("stack", "sched/sched_switch: kernel\n");
		tree_file("stacks", "");
	}
	tree_folder("buffers");
	buffer_make(0, 0, packets);
	buffer_make(1, 0, packets);
	CHECK_EQ(ktrace_session_open(NULL, &session), 0);
	path_of(trace, "t");
	if (output < 0)
		options.directory = trace;
	if (ktrace_recording_create(session, &options, &recording))
		check_fail("%s", ktrace_last_error());
	CHECK_EQ(ktrace_recording_start(recording), 0);
}

static void begin(void)
{
	mode = KT_MODE_OVERWRITE;
	begin_with(1, -1);
}

/* All intact buffers are in the trace, and its end has the reason. */
static void end_check(const char *reason)
{
	const struct ktrace_info *info;
	struct ktrace *trace;
	char path[512];

	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	path_of(path, "t");
	CHECK_EQ(ktrace_open(path, &trace), 0);
	info = ktrace_get_info(trace);
	CHECK(info->reason);
	CHECK(strstr(info->reason, reason));
	CHECK_EQ(info->nr_cpus, 2);
	for (uint32_t i = 0; i < 2; i++) {
		CHECK(info->cpus[i].known);
		CHECK_EQ(info->cpus[i].events, EVENTS);
		CHECK_EQ(info->cpus[i].lost[KTRACE_LOST_UNWRITTEN], 0);
	}
	CHECK_EQ(info->bytes, 2 * sizeof(struct kt_packet));
	ktrace_close(trace);
	tree_remove();
}

TEST(all_is_well)
{
	begin();
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	end_check("over");
}

TEST(a_cpu_that_was_plugged_in_cannot_be_read)
{
	begin();
	tree_file("buffers/cpu2", "no buffer at all");
	CHECK(ktrace_recording_stop(recording, "over") < 0);
	CHECK(strstr(ktrace_last_error(), "cpu2"));
	end_check("cpu2");
}

/* "SOURCE/REASON COUNT" of each in the trace, which are those of the recording as well. */
static void misses_check(const char *want)
{
	const struct ktrace_miss *misses;
	struct ktrace *trace;
	char path[512], got[256] = "";

	path_of(path, "t");
	CHECK_EQ(ktrace_open(path, &trace), 0);
	const struct ktrace_info *info = ktrace_get_info(trace);
	CHECK_EQ(ktrace_recording_misses(recording, &misses), info->nr_misses);
	for (uint32_t i = 0; i < info->nr_misses; i++) {
		CHECK_STR(info->misses[i].source, misses[i].source);
		CHECK_EQ(info->misses[i].count, misses[i].count);
		snprintf(got + strlen(got), sizeof(got) - strlen(got),
			 "%s/%s %lu\n", info->misses[i].source,
			 info->misses[i].reason ?: "", info->misses[i].count);
	}
	CHECK_STR(got, want);
	ktrace_close(trace);
}

/* Those that came during the recording; also of a source that has come since. */
TEST(what_sources_miss)
{
	mode = KT_MODE_OVERWRITE;
	keep = false;
	begin_with(1, -1);
	keep = true;
	tree_file(
		"overflow",
		"cpu0 events 7 full 0\nsource\nsource odd\nsource odd missed\n"
		"source knock missed 6\nsource hook missed 24 nmi 2 node 19 "
		"idle 3\nsource new missed 1 late 1\nsource odd lost 3\n");
	CHECK_EQ(ktrace_recording_stop(recording, "done"), 0);
	misses_check("knock/ 1\nhook/nmi 0\nhook/node 10\nhook/idle 3\n"
		     "new/late 1\n");
	end_check("done");
}

/* With the buffers of before, also what was missed then. */
TEST(what_sources_have_missed)
{
	begin();
	CHECK_EQ(ktrace_recording_stop(recording, "done"), 0);
	misses_check("knock/ 5\nhook/nmi 2\nhook/node 9\n");
	end_check("done");
}

/* A module that was loaded anew counts from 0. */
TEST(what_a_new_source_misses)
{
	mode = KT_MODE_OVERWRITE;
	keep = false;
	begin_with(1, -1);
	keep = true;
	tree_file("overflow", "source knock missed 3\n");
	CHECK_EQ(ktrace_recording_stop(recording, "done"), 0);
	misses_check("knock/ 3\n");
	end_check("done");
}

TEST(it_cannot_be_switched_off)
{
	char path[512];

	begin();
	tree_path(path, "enabled");
	CHECK(!unlink(path));
	CHECK_EQ(ktrace_recording_stop(recording, "over"), -ENOENT);
	CHECK(strstr(ktrace_last_error(), "enabled"));
	end_check("over");
}

/*
 * Who reads a stream of it needs no memory for the buffers: CPUs take turns, as their
 * packets did, and again and again it is said up to where they are whole.
 */
static void order_check(const uint32_t first[2])
{
	int output = memfd_create("output", MFD_CLOEXEC), points = 0;
	uint64_t last = 0, until = 0;
	struct kt_packet packet;
	struct frame frame;
	uint32_t packets = 0;

	mode = KT_MODE_OVERWRITE;
	begin_with(PACKETS, output);
	buffer_make(0, first[0], PACKETS);
	buffer_make(1, first[1], PACKETS);
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	CHECK_EQ(lseek(output, 0, SEEK_SET), 0);
	while (read(output, &frame, sizeof(frame)) == sizeof(frame)) {
		off_t next = lseek(output, 0, SEEK_CUR) + frame.size;

		CHECK_EQ(frame.magic, FRAME_MAGIC);
		if (frame.kind == FRAME_SYNC) {
			CHECK_EQ(read(output, &until, sizeof(until)),
				 sizeof(until));
			CHECK(until >= last);
			points++;
		} else if (frame.kind == KTRACE_FILE_CPU && frame.size) {
			CHECK_EQ(read(output, &packet, sizeof(packet)),
				 sizeof(packet));
			CHECK(packet.begin > last);
			CHECK(packet.begin > until);
			last = packet.begin;
			packets++;
		}
		CHECK_EQ(lseek(output, next, SEEK_SET), next);
	}
	CHECK_EQ(packets, 2 * PACKETS);
	CHECK(points >= 3);
	close(output);
	tree_remove();
}

TEST(what_is_left_comes_in_order)
{
	order_check((const uint32_t[]){0, 0});
}

/* The writer has overwritten packets since the buffers were opened. */
TEST(what_is_left_comes_in_order_after_a_wrap)
{
	order_check((const uint32_t[]){10, 3});
}

/* Packets of a CPU in a stream, up to a frame that says up to where it is whole. */
static uint32_t packets_whole(int output, uint32_t cpu)
{
	uint32_t packets = 0, whole = 0;
	struct frame frame;
	off_t next;

	CHECK_EQ(lseek(output, 0, SEEK_SET), 0);
	while (read(output, &frame, sizeof(frame)) == sizeof(frame)) {
		next = lseek(output, 0, SEEK_CUR) + frame.size;
		if (frame.kind == FRAME_SYNC)
			whole = packets;
		else
			packets += frame.kind == KTRACE_FILE_CPU &&
				   frame.number == cpu && frame.size;
		CHECK_EQ(lseek(output, next, SEEK_SET), next);
	}
	return whole;
}

/*
 * Its events are where those of the other CPUs are of the same time: the next sync finds
 * it, before readers are told that its events' times are over.
 */
TEST(a_cpu_is_plugged_in_while_a_stream_is_read)
{
	int output = memfd_create("output", MFD_CLOEXEC);

	mode = KT_MODE_DISCARD;
	begin_with(3, output);
	CHECK_EQ(ktrace_recording_sync(recording, NULL), 0);
	CHECK_EQ(packets_whole(output, 1), 3);
	buffer_make(2, 0, 5);
	CHECK_EQ(ktrace_recording_sync(recording, NULL), 0);
	CHECK_EQ(packets_whole(output, 2), 5);
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	CHECK_EQ(packets_whole(output, 2), 5);
	close(output);
	tree_remove();
}

/* What readers find in a trace, from its packets and from its end. */
struct found {
	uint64_t first, last; /* numbers of packets */
	uint64_t events, recorded;
	uint64_t full, overwritten;	      /* by the end */
	uint64_t told_full, told_overwritten; /* by the cursor */
};

static void packets_find(const char *name, uint32_t cpu, struct found *found)
{
	struct kt_packet packet;
	char file[64], path[512];
	int fd;

	snprintf(file, sizeof(file), "%s/cpu%u", name, cpu);
	path_of(path, file);
	fd = open(path, O_RDONLY);
	*found = (struct found){.first = UINT64_MAX};
	while (fd >= 0 && read(fd, &packet, sizeof(packet)) == sizeof(packet)) {
		if (found->first == UINT64_MAX)
			found->first = packet.seq;
		else
			CHECK_EQ(packet.seq, found->last + 1);
		found->last = packet.seq;
	}
	if (fd >= 0)
		close(fd);
}

static void trace_find(const char *name, const char *reason, uint32_t cpu,
		       struct found *found)
{
	const struct ktrace_loss *loss;
	struct ktrace_cursor *cursor;
	const struct ktrace_cpu *end;
	struct ktrace *trace;
	char path[512];
	int item;

	packets_find(name, cpu, found);
	path_of(path, name);
	CHECK_EQ(ktrace_open(path, &trace), 0);
	CHECK_STR(ktrace_get_info(trace)->reason, reason);
	CHECK(cpu < ktrace_get_info(trace)->nr_cpus);
	end = &ktrace_get_info(trace)->cpus[cpu];
	CHECK(end->known);
	found->events = end->events;
	found->recorded = end->recorded;
	found->full = end->lost[KTRACE_LOST_FULL];
	found->overwritten = end->lost[KTRACE_LOST_OVERWRITTEN];
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		CHECK_EQ(item, KTRACE_LOSS);
		loss = ktrace_cursor_loss(cursor);
		if (loss->cpu != cpu)
			continue;
		if (loss->cause == KTRACE_LOST_FULL)
			found->told_full += loss->count;
		else if (loss->cause == KTRACE_LOST_OVERWRITTEN)
			found->told_overwritten += loss->count;
		else /* The packets say that they have events, but have none. */
			CHECK_EQ(loss->cause, KTRACE_LOST_DAMAGED);
	}
	CHECK_EQ(item, KTRACE_END);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	CHECK_EQ(found->told_full, found->full);
	CHECK_EQ(found->told_overwritten, found->overwritten);
	CHECK_EQ(found->recorded, found->events + found->overwritten);
}

static void rotate(const char *name)
{
	char path[512];

	path_of(path, name);
	if (ktrace_recording_rotate(recording, path, "it goes on"))
		check_fail("%s", ktrace_last_error());
}

static void begin_anew(enum kt_mode its_mode, uint32_t packets)
{
	mode = its_mode;
	keep = false;
	begin_with(packets, -1);
	keep = true;
}

/* All packets are there, one behind the other, and so are all losses, each once. */
static void parts_check(uint32_t cpu, uint64_t packets)
{
	static const char *const names[] = {"t", "u", "v", "w"};
	uint64_t next = 0, events = 0, full = 0, overwritten = 0;
	struct found found;

	for (int i = 0; i < 4; i++) {
		trace_find(names[i], i == 3 ? "over" : "it goes on", cpu,
			   &found);
		if (found.first != UINT64_MAX) {
			CHECK_EQ(found.first, next);
			next = found.last + 1;
		}
		events += found.events;
		full += found.full;
		overwritten += found.overwritten;
	}
	CHECK_EQ(next, packets);
	CHECK_EQ(events, EVENTS * packets);
	CHECK_EQ(full, lost_each * (packets - 1) + lost_last);
	CHECK_EQ(overwritten, overwritten_each * (packets - 1));
}

/* The second part has nothing of the second CPU, the third one nothing at all. */
static void parts_make(enum kt_mode its_mode)
{
	struct ktrace_recording_status status;

	lost_each = 3;
	lost_last = 2;
	overwritten_each = its_mode == KT_MODE_OVERWRITE ? 5 : 0;
	begin_anew(its_mode, 3);
	rotate("u");
	buffer_make(0, 3, 20);
	rotate("v");
	rotate("w");
	buffer_make(0, 23, 1);
	buffer_make(1, 3, 9);
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	ktrace_recording_status(recording, &status);
	CHECK_EQ(status.events, EVENTS * (24 + 12));
	CHECK_EQ(status.recorded,
		 status.events + status.lost[KTRACE_LOST_OVERWRITTEN]);
	CHECK_EQ(status.bytes_newest, 10 * sizeof(struct kt_packet));
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	parts_check(0, 24);
	parts_check(1, 12);
	lost_each = lost_last = overwritten_each = 0;
	tree_remove();
}

TEST(it_goes_on_in_other_traces)
{
	parts_make(KT_MODE_DISCARD);
}

/* What the buffers had, each time. */
TEST(snapshots)
{
	parts_make(KT_MODE_OVERWRITE);
}

/* Each trace has the misses of its time, and the recording all of them. */
TEST(what_sources_miss_meanwhile)
{
	const struct ktrace_miss *misses;

	begin_anew(KT_MODE_DISCARD, 1);
	tree_file("overflow", "source knock missed 9\n");
	rotate("u");
	tree_file("overflow", "source knock missed 10\n");
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	CHECK_EQ(ktrace_recording_misses(recording, &misses), 1);
	CHECK_EQ(misses->count, 5);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	for (int i = 0; i < 2; i++) {
		struct ktrace *trace;
		char path[512];

		path_of(path, i ? "u" : "t");
		CHECK_EQ(ktrace_open(path, &trace), 0);
		CHECK_EQ(ktrace_get_info(trace)->nr_misses, 1);
		CHECK_EQ(ktrace_get_info(trace)->misses->count, i ? 1 : 4);
		ktrace_close(trace);
	}
	tree_remove();
}

/* The threads may read what is there. */
static void written_await(uint64_t events)
{
	struct ktrace_recording_status status;

	do
		ktrace_recording_status(recording, &status);
	while (status.events < events);
}

/* Where nothing can be made, the recording goes on where it is. */
TEST(it_cannot_go_on_elsewhere)
{
	char path[512];

	begin_anew(KT_MODE_DISCARD, 3);
	path_of(path, "missing/u");
	CHECK_EQ(ktrace_recording_rotate(recording, path, "no"), -ENOENT);
	path_of(path, "t");
	CHECK_EQ(ktrace_recording_rotate(recording, path, "no"), -EEXIST);
	written_await(EVENTS * (3 + 3));
	buffer_make(0, 3, 4);
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	CHECK_EQ(ktrace_recording_rotate(recording, path, "no"), -EINVAL);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		struct found found;

		trace_find("t", "over", cpu, &found);
		CHECK_EQ(found.events, EVENTS * (cpu ? 3 : 7));
	}
	tree_remove();
}

/*
 * The second stream of the new trace cannot be made, when all writes to it already: each trace
 * has what it says, and what is left is counted.
 */
TEST(it_fails_when_it_has_gone_on)
{
	struct ktrace_recording_status status;
	struct found found;
	char path[512];

	begin_anew(KT_MODE_DISCARD, 3);
	written_await(EVENTS * (3 + 3));
	path_of(path, "u");
	scarce = "cpu1";
	scarce_left = 0;
	CHECK_EQ(ktrace_recording_rotate(recording, path, "on"), -EMFILE);
	path_of(path, "v");
	CHECK_EQ(ktrace_recording_rotate(recording, path, "on"), -EMFILE);
	CHECK(access(path, F_OK));
	buffer_make(0, 3, 5);
	scarce = NULL;
	CHECK(ktrace_recording_stop(recording, "over") < 0);
	ktrace_recording_status(recording, &status);
	CHECK_EQ(status.events, EVENTS * (3 + 3));
	CHECK_EQ(status.events_newest, 0);
	CHECK_EQ(status.unwritten, EVENTS * 5);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		trace_find("t", "on", cpu, &found);
		CHECK_EQ(found.events, EVENTS * 3);
	}
	tree_remove();
}

/* The same for the stacks, which go on after the events. */
TEST(stacks_fail_when_events_have_gone_on)
{
	struct found found;
	char path[512];

	stacked = true;
	begin_anew(KT_MODE_DISCARD, 3);
	stacked = false;
	path_of(path, "u");
	scarce = "stacks";
	scarce_left = 0;
	CHECK_EQ(ktrace_recording_rotate(recording, path, "on"), -EMFILE);
	scarce = NULL;
	buffer_make(0, 3, 5);
	CHECK(ktrace_recording_stop(recording, "over") < 0);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	trace_find("t", "on", 0, &found);
	CHECK_EQ(found.events, EVENTS * 3);
	trace_find("u", strerror(EMFILE), 0, &found);
	CHECK_EQ(found.events, EVENTS * 5);
	tree_remove();
}

TEST(a_stream_cannot_go_on_elsewhere)
{
	int output = memfd_create("output", MFD_CLOEXEC);
	char path[512];

	mode = KT_MODE_DISCARD;
	begin_with(3, output);
	path_of(path, "u");
	CHECK_EQ(ktrace_recording_rotate(recording, path, "no"), -EOPNOTSUPP);
	CHECK(access(path, F_OK));
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	close(output);
	tree_remove();
}

CHECK_MAIN
