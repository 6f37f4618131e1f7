// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Branches by Intel's PT, of threads that run now, through perf.
 *
 * Each thread has an event of its own, with an AUX area that the processor overwrites: it keeps the newest
 * packets, and stays when the thread has ended.  Beside it is a ring, in which the kernel tells of mappings and of
 * threads that begin.  What comes from both is what a file of perf has, and is decoded as that.
 *
 * Source: perf_event_open(2), and the comments of <linux/perf_event.h>.
 */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/grow.h"
#include "perf_branches.h"
#include "perf_trace.h"

#define DEVICE	     "/sys/bus/event_source/devices/intel_pt/"
#define RING_PAGES   16u /* a power of two */
#define RECORD_MAX   65536u
#define THREADS_MAX  4096u
#define ENTRIES_SIZE KTRACE_BRANCHES_RECORDED

struct live_thread {
	pid_t tid;
	int fd;
	struct perf_event_mmap_page *page; /* the ring is behind it */
	const uint8_t *packets;
};

struct perf_live {
	struct perf_event_attr attr;
	struct perf_trace trace;
	struct live_thread *threads;
	size_t nr;
	size_t page_size, size; /* bytes: of a page, of packets */
	size_t seen;		/* news that were looked at for new threads */
	bool threads_too, children_too;
	char *filter;	   /* as perf has it; NULL: all code */
	uint32_t untraced; /* threads that could not be traced */
	uint8_t record[RECORD_MAX];
};

/* ---- what the machine has ------------------------------------------------- */

/* The bit of the event's configuration; 0: there is none of that name. */
static uint64_t format_bit(const char *name)
{
	char path[128], *text;
	unsigned int bit;
	uint64_t found = 0;

	snprintf(path, sizeof(path), DEVICE "format/%s", name);
	if (file_read(AT_FDCWD, path, &text, NULL))
		return 0;
	if (sscanf(text, "config:%u", &bit) == 1 && bit < 64)
		found = 1ull << bit;
	free(text);
	return found;
}

const char *ktrace_branches_without_pt(void)
{
	if (access(DEVICE "type", R_OK))
		return "this machine has no Processor Trace (Intel's PT, which "
		       "virtual machines mostly have not)";
	return pt_decoder_known() ? NULL
				  : IPT_SONAME " is not there, by which its "
					       "packets are decoded: install "
					       "libipt2";
}

static int attr_make(struct perf_event_attr *attr, bool executes)
{
	unsigned int type;
	char *text;
	bool known;

	if (file_read(AT_FDCWD, DEVICE "type", &text, NULL))
		return error_set(-EOPNOTSUPP,
				 "%s: branches can be found by single-stepping "
				 "(by step), on every machine",
				 ktrace_branches_without_pt());
	known = sscanf(text, "%u", &type) == 1;
	free(text);
	if (!known)
		return error_set(-EOPNOTSUPP, DEVICE "type is no number");
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = type,
		/* With times; returns are told as all that is indirect. */
		.config = format_bit("tsc") | format_bit("noretcomp"),
		.sample_type =
			PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = true,
		.disabled = executes,
		.enable_on_exec = executes,
		.exclude_kernel = true,
		.exclude_hv = true,
		.mmap = true,
		.mmap2 = true,
		.comm = true,
		.comm_exec = true,
		.task = true,
	};
	return 0;
}

static void processor_read(struct pt_processor *processor)
{
	unsigned int a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d))
		return;
	processor->family = a >> 8 & 15;
	processor->model = (a >> 4 & 15) | (a >> 16 & 15) << 4;
	processor->stepping = a & 15;
}

/* ---- threads -------------------------------------------------------------- */

static int refused(int err, pid_t tid)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return error_set(
			-EPERM,
			"thread %d may not be traced by perf: root may "
			"(and kernel.perf_event_paranoid may allow it)",
			(int)tid);
	case -EBUSY:
		return error_set(err,
				 "Intel's PT is in use: somebody traces "
				 "whole CPUs by it, as perf record -a does");
	case -EDOM:
	case -EOPNOTSUPP:
		return error_set(-EINVAL,
				 "this kernel or processor does not take the "
				 "range");
	case -ESRCH:
		return error_set(err, "thread %d is not there", (int)tid);
	case -ENOMEM:
		return error_set(err,
				 "no memory for the packets of thread %d: "
				 "a smaller size may do",
				 (int)tid);
	}
	return error_set(err, "Intel's PT of thread %d: %s", (int)tid,
			 strerror(-err));
}

static void thread_close(const struct perf_live *live,
			 struct live_thread *thread)
{
	if (thread->packets)
		munmap((void *)thread->packets, live->size);
	if (thread->page)
		munmap(thread->page, (RING_PAGES + 1) * live->page_size);
	if (thread->fd >= 0)
		close(thread->fd);
}

/* Without the right to write it, the newest packets overwrite the oldest ones. */
static int areas_map(const struct perf_live *live, struct live_thread *thread)
{
	size_t ring = (RING_PAGES + 1) * live->page_size;
	void *page = mmap(NULL, ring, PROT_READ | PROT_WRITE, MAP_SHARED,
			  thread->fd, 0);
	void *packets;

	if (page == MAP_FAILED)
		return -errno;
	thread->page = page;
	thread->page->aux_offset = ring;
	thread->page->aux_size = live->size;
	packets =
		mmap(NULL, live->size, PROT_READ, MAP_SHARED, thread->fd, ring);
	if (packets == MAP_FAILED)
		return -errno;
	thread->packets = packets;
	return 0;
}

/* 0 or -errno, without a message. */
static int thread_add(struct perf_live *live, pid_t tid)
{
	struct live_thread thread = {.tid = tid}, *more;
	int err = 0;

	if (live->nr >= THREADS_MAX)
		return -EMFILE;
	thread.fd = syscall(SYS_perf_event_open, &live->attr, tid, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
	if (thread.fd < 0)
		return -errno;
	if (live->filter &&
	    ioctl(thread.fd, PERF_EVENT_IOC_SET_FILTER, live->filter))
		err = errno == EINVAL ? -EDOM : -errno;
	err = err ?: areas_map(live, &thread);
	more = err ? NULL : array_grow(live->threads, live->nr, sizeof(*more));
	if (!more) {
		thread_close(live, &thread);
		return err ?: -ENOMEM;
	}
	live->threads = more;
	more[live->nr++] = thread;
	return 0;
}

/* What it has mapped already, as perf would have told it. */
static int mappings_take(struct perf_live *live, pid_t tid)
{
	struct perf_news news = {.kind = PERF_MAPS, .pid = tid, .tid = tid};
	char path[40], *text, *rest, *line;
	int at, pid, err = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	if (!file_read(AT_FDCWD, path, &text, NULL)) {
		line = strstr(text, "\nTgid:");
		if (line && sscanf(line, "\nTgid: %d", &pid) == 1)
			news.pid = pid;
		free(text);
	}
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)tid);
	if (file_read(AT_FDCWD, path, &text, NULL))
		return 0;
	for (rest = text; !err && (line = strsep(&rest, "\n")) && *line;) {
		char rights[5];

		if (sscanf(line,
			   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n",
			   &news.map.begin, &news.map.end, rights,
			   &news.map.offset, &at) < 4 ||
		    rights[2] != 'x')
			continue;
		news.map.path = arena_strdup(&live->trace.texts, line + at);
		err = news.map.path ? perf_news_add(&live->trace, news)
				    : -ENOMEM;
	}
	free(text);
	return err;
}

/* ---- the kernel's records ------------------------------------------------- */

static void ring_copy(const struct live_thread *thread, uint64_t at, void *to,
		      size_t size, size_t page_size)
{
	const uint8_t *ring = (const uint8_t *)thread->page + page_size;
	size_t mask = RING_PAGES * page_size - 1;

	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = ring[(at + i) & mask];
}

static int records_take(struct perf_live *live, struct live_thread *thread)
{
	struct perf_event_mmap_page *page = thread->page;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;
	struct perf_event_header record;
	int err = 0;

	while (!err && head - tail >= sizeof(record)) {
		ring_copy(thread, tail, &record, sizeof(record),
			  live->page_size);
		if (record.size < sizeof(record) || record.size > head - tail)
			break;
		ring_copy(thread, tail, live->record, record.size,
			  live->page_size);
		err = perf_record_take(&live->trace, &live->attr, live->record,
				       record.size);
		tail += record.size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	return err;
}

static bool is_traced(const struct perf_live *live, pid_t tid)
{
	for (size_t i = 0; i < live->nr; i++)
		if (live->threads[i].tid == tid)
			return true;
	return false;
}

/* Threads that began since the last time. */
static void begun_add(struct perf_live *live)
{
	for (; live->seen < live->trace.nr_news; live->seen++) {
		const struct perf_news *news = &live->trace.news[live->seen];
		bool child = news->pid != news->parent;

		if (news->kind != PERF_BEGINS || is_traced(live, news->tid) ||
		    !(child ? live->children_too : live->threads_too))
			continue;
		if (thread_add(live, news->tid))
			live->untraced++;
	}
}

static int live_follow(struct contexts *contexts)
{
	struct perf_live *live = contexts->found;
	int err = 0;

	/* It executes nothing any more: what begins now is traced at once. */
	live->attr.disabled = live->attr.enable_on_exec = false;
	for (size_t i = 0; !err && i < live->nr; i++)
		err = records_take(live, &live->threads[i]);
	if (err)
		return error_set(err, "out of memory for branches");
	begun_add(live);
	return 0;
}

/* ---- reading -------------------------------------------------------------- */

/* Has the area been filled once?  It was zero at first, and no packet has a block of zeros. */
static bool has_wrapped(const struct perf_live *live,
			const struct live_thread *thread, size_t head)
{
	size_t begin = live->size - live->page_size;

	if (begin < head)
		begin = head;
	for (size_t i = begin; i < live->size; i++)
		if (thread->packets[i])
			return true;
	return false;
}

/* Writes them to our file, the oldest first. */
static int packets_take(struct perf_live *live, size_t number, uint64_t *at)
{
	struct live_thread *thread = &live->threads[number];
	struct perf_trace *trace = &live->trace;
	struct perf_part *more =
		array_grow(trace->parts, trace->nr_parts, sizeof(*more));
	size_t head;
	int err = 0;

	if (!more)
		return -ENOMEM;
	trace->parts = more;
	ioctl(thread->fd, PERF_EVENT_IOC_DISABLE, 0);
	head = __atomic_load_n(&thread->page->aux_head, __ATOMIC_ACQUIRE) %
	       live->size;
	more += trace->nr_parts++;
	*more = (struct perf_part){.at = *at,
				   .size = head,
				   .buffer = number,
				   .tid = thread->tid,
				   .cpu = PERF_NO_CPU};
	if (has_wrapped(live, thread, head)) {
		err = file_write(trace->fd, thread->packets + head,
				 live->size - head);
		more->size = live->size;
	}
	err = err ?: file_write(trace->fd, thread->packets, head);
	*at += more->size;
	ioctl(thread->fd, PERF_EVENT_IOC_ENABLE, 0);
	return err;
}

static void clock_take(struct perf_live *live)
{
	const struct perf_event_mmap_page *page = live->threads[0].page;

	live->trace.clock = (struct perf_conversion){
		.known = page->cap_user_time_zero && page->time_shift < 64,
		.shift = page->time_shift,
		.mult = page->time_mult,
		.zero = page->time_zero,
	};
}

static int live_read(struct contexts *contexts)
{
	struct perf_live *live = contexts->found;
	struct perf_trace *trace = &live->trace;
	uint64_t at = 0;
	int err = live_follow(contexts);

	if (err)
		return err;
	branches_free(&contexts->branches);
	contexts->branches.is_decoded = true;
	trace->nr_parts = 0;
	free(trace->parts);
	trace->parts = NULL;
	if (ftruncate(trace->fd, 0) || lseek(trace->fd, 0, SEEK_SET))
		err = -errno;
	for (size_t i = 0; !err && i < live->nr; i++)
		err = packets_take(live, i, &at);
	if (err)
		return error_set(err, "packets: %s", strerror(-err));
	clock_take(live);
	perf_records_sort(trace);
	live->seen = trace->nr_news;
	err = perf_branches_make(contexts, trace, ENTRIES_SIZE);
	contexts->branches.decoded.untraced = live->untraced;
	return err;
}

static void live_close(struct contexts *contexts)
{
	struct perf_live *live = contexts->found;

	for (size_t i = 0; i < live->nr; i++)
		thread_close(live, &live->threads[i]);
	free(live->threads);
	free(live->filter);
	perf_trace_close(&live->trace);
	free(live);
}

static const struct branch_finder finder = {
	.follow = live_follow,
	.read = live_read,
	.close = live_close,
};

/* ---- beginning ------------------------------------------------------------ */

static int threads_open(struct perf_live *live,
			const struct ktrace_branches_options *options)
{
	int err = 0, gone = -ESRCH;

	for (size_t i = 0; !err && i < options->nr_tids; i++) {
		err = thread_add(live, options->tids[i]);
		/* A thread that has ended meanwhile has no branches. */
		if (err == -ESRCH) {
			err = 0;
			continue;
		}
		if (err)
			return refused(err, options->tids[i]);
		gone = 0;
		if (!options->executes)
			err = mappings_take(live, options->tids[i]);
	}
	if (err)
		return error_set(err, "out of memory for branches");
	return gone ? refused(gone, options->nr_tids ? options->tids[0] : 0)
		    : 0;
}

/* "OFFSET/SIZE@FILE" becomes what perf takes. */
static int filter_make(struct perf_live *live, const char *range)
{
	long long offset, size;
	int at = 0;
	char *path;

	if (sscanf(range, "%lli/%lli@%n", &offset, &size, &at) < 2 || !at ||
	    offset < 0 || size <= 0)
		return error_set(-EINVAL,
				 "range `%s': OFFSET/SIZE@FILE is expected",
				 range);
	path = realpath(range + at, NULL);
	if (!path)
		return error_set(-errno, "%s: %s", range + at, strerror(errno));
	if (asprintf(&live->filter, "filter %#llx/%#llx@%s", offset, size,
		     path) < 0)
		live->filter = NULL;
	free(path);
	return live->filter ? 0
			    : error_set(-ENOMEM, "out of memory for branches");
}

static int live_make(struct perf_live *live,
		     const struct ktrace_branches_options *options)
{
	uint32_t bytes = options->bytes ?: KTRACE_BRANCHES_PACKETS;
	int err = options->range ? filter_make(live, options->range) : 0;

	err = err ?: attr_make(&live->attr, options->executes);
	if (err)
		return err;
	live->threads_too = options->threads;
	live->children_too = options->children;
	live->page_size = live->size = sysconf(_SC_PAGESIZE);
	while (live->size < bytes)
		live->size *= 2;
	/* Files are those of now, and so is the kernel. */
	live->trace.made = INT64_MAX;
	live->trace.same_kernel = true;
	processor_read(&live->trace.processor);
	live->trace.fd = memfd_create("packets", MFD_CLOEXEC);
	if (live->trace.fd < 0)
		return error_set(-errno, "packets: %s", strerror(errno));
	return threads_open(live, options);
}

int perf_live_open(const struct ktrace_branches_options *options,
		   struct ktrace_branches **opened)
{
	struct contexts *contexts;
	struct perf_live *live;
	int err;

	if (options->all_cpus || options->nr_cpus || options->events)
		return error_set(-EOPNOTSUPP,
				 "Intel's PT is asked for threads, "
				 "not for CPUs or events");
	err = perf_contexts_open(options, &contexts);
	if (err)
		return err;
	live = calloc(1, sizeof(*live));
	if (!live) {
		ktrace_branches_close(&contexts->branches);
		return error_set(-ENOMEM, "out of memory for branches");
	}
	live->trace.fd = -1;
	contexts->found = live;
	contexts->finder = &finder;
	err = live_make(live, options);
	if (err)
		ktrace_branches_close(&contexts->branches);
	else
		*opened = &contexts->branches;
	return err;
}
