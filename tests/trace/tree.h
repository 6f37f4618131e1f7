/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A recording of a control tree of plain files.  They have no ioctl(), so it is replaced here
 * (tests/trace/meson.build).
 */
#ifndef KT_TESTS_TRACE_TREE_H
#define KT_TESTS_TRACE_TREE_H

#include "check.h"
#include "scratch.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <ktrace.h>
#include <ktrace/recording.h>

#define PACKETS 32
#define EVENTS	7

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

static void packet_make(void *at, uint32_t cpu, uint64_t seq)
{
	*(struct kt_packet *)at = (struct kt_packet){
		.magic = KT_PACKET_MAGIC,
		.version = KT_ABI_VERSION,
		.header_size = sizeof(struct kt_packet),
		.packet_size = KT_PACKET_SIZE,
		.used = sizeof(struct kt_packet),
		.seq = seq,
		.begin = packet_begin(cpu, seq),
		.end = packet_begin(cpu, seq),
		.events = EVENTS,
		.events_before = (EVENTS + overwritten_each) * seq,
		.lost_full = lost_each * seq,
		.cpu = cpu,
		.trace_id = 5,
	};
}

/*
 * The load: as soon as a packet is given back, the writer has filled another one; so the open
 * packet can never be closed.
 */
static bool overloaded;

static int consume(int fd, uint64_t seq)
{
	struct kt_control *control;
	char path[64];
	struct stat st;
	bool stale;
	int own;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, O_RDWR);
	CHECK(!fstat(own, &st));
	control = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		       own, 0);
	CHECK(control != MAP_FAILED);
	stale = seq < control->consumed;
	if (!stale)
		CHECK_EQ(seq, control->consumed++);
	if (!stale && overloaded) {
		packet_make((uint8_t *)control + KT_CONTROL_SIZE +
				    control->produced % PACKETS *
					    KT_PACKET_SIZE,
			    control->cpu, control->produced);
		control->events += EVENTS;
		__atomic_store_n(&control->produced, control->produced + 1,
				 __ATOMIC_RELEASE);
	}
	munmap(control, st.st_size);
	close(own);
	errno = ESTALE;
	return stale ? -1 : 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct stat st;
	va_list ap;
	void *to;

	va_start(ap, request);
	to = va_arg(ap, void *);
	va_end(ap);
	if (request == KT_FLUSH) {
		errno = ENOSPC;
		return overloaded ? -1 : 0;
	}
	if (request == KT_GET_SIZE) {
		if (fstat(fd, &st))
			return -1;
		*(uint64_t *)to = st.st_size - KT_CONTROL_SIZE;
		return 0;
	}
	CHECK_EQ(request, KT_PUT_CONSUMED);
	return consume(fd, *(uint64_t *)to);
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

/* A file of this name can be opened so many times more; not counted if it is NULL. */
static const char *scarce;
static int scarce_left;
/* What was missed grows with each look at it; 0: it does not. */
static unsigned int ticks;
/* A task has another name each time, and there is a new one; 0: no. */
static unsigned int renames;

int __real_openat64(int folder, const char *name, int flags, ...);
int __wrap_openat64(int folder, const char *name, int flags, ...);
int __wrap_openat64(int folder, const char *name, int flags, ...)
{
	char text[64];
	va_list ap;
	int rights;

	va_start(ap, flags);
	rights = va_arg(ap, int);
	va_end(ap);
	if (ticks && !strcmp(name, "overflow")) {
		snprintf(text, sizeof(text), "source knock missed %u\n",
			 ticks++);
		tree_file("overflow", text);
	}
	if (renames && !strcmp(name, "tasks")) {
		snprintf(text, sizeof(text), "1 1 0 name%u\n%u 1 0 other\n",
			 renames, renames);
		tree_file("tasks", text);
		renames++;
	}
	if (scarce && !strcmp(name, scarce) && !scarce_left--) {
		errno = EMFILE;
		return -1;
	}
	return __real_openat64(folder, name, flags, rights);
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

static void tree_folder(const char *name)
{
	char path[512];

	tree_path(path, name);
	CHECK(!mkdir(path, 0700));
}

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
		packet_make(buffer.packets[seq % PACKETS], cpu, seq);
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
	tree_file("probe_hits",
		  "probe:old hits 9 missed nested 4 open 0 idle 0\n"
		  "probe:idle hits 7 missed nested 1 open 0 idle 0\n"
		  "probe:both hits 5 missed nested 1 open 2 idle 3\n");
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

#endif /* KT_TESTS_TRACE_TREE_H */
