// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Plays a kernel with Intel's PT for `ktrace branch --by pt': to be preloaded.
 *
 * $PT_FILE is a file of tests/branch/packets.c, of one thread: what is traced is told to have done what that says.
 * $PT_DEVICE stands in the place of /sys/bus/event_source/devices/intel_pt.  $PT_ERROR: no event can be opened,
 * with this errno.  What was asked for is appended to $PT_ASKED, a line for each event.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEVICE	   "/sys/bus/event_source/devices/intel_pt"
#define EVENTS_MAX 64
#define AREA_MAX   (80l << 20)
#define PAGE	   4096l
#define AUXTRACE   71

static int events[EVENTS_MAX];
static int nr;

static void fail(const char *what)
{
	fprintf(stderr, "fake_pt: %s\n", what);
	_exit(99);
}

static char *file_read(size_t *size)
{
	FILE *f = fopen(getenv("PT_FILE"), "re");
	char *bytes = malloc(AREA_MAX);

	if (!f || !bytes)
		fail("no $PT_FILE");
	*size = fread(bytes, 1, AREA_MAX, f);
	fclose(f);
	return bytes;
}

/* A record of the thread, without the number of its event, which was not asked for. */
static size_t record_put(int fd, size_t at, const char *record, int tid)
{
	struct perf_event_header head;
	char copy[65536];

	memcpy(&head, record, sizeof(head));
	memcpy(copy, record, head.size);
	head.size -= 8;
	memcpy(copy, &head, sizeof(head));
	memcpy(copy + sizeof(head), &tid, 4);
	memcpy(copy + sizeof(head) + 4, &tid, 4);
	if (pwrite(fd, copy, head.size, PAGE + at) != head.size)
		fail("pwrite");
	return at + head.size;
}

/* As the processor does: the newest packets overwrite the oldest. */
static void packets_put(int fd, const struct perf_event_mmap_page *page,
			uint64_t *at, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++, ++*at)
		if (pwrite(fd, bytes + i, 1,
			   page->aux_offset + *at % page->aux_size) != 1)
			fail("pwrite");
}

/* Tells what the file has: @tid: records of it; 0: packets. */
static void file_play(int fd, int tid)
{
	struct perf_event_mmap_page *page =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct perf_event_header head;
	size_t size, at, end;
	uint64_t part, where = 0;
	char *bytes = file_read(&size);

	memcpy(&at, bytes + 40, sizeof(at));
	memcpy(&end, bytes + 48, sizeof(end));
	for (end += at; at < end; at += head.size) {
		memcpy(&head, bytes + at, sizeof(head));
		if (tid && (head.type == PERF_RECORD_COMM ||
			    head.type == PERF_RECORD_MMAP2))
			page->data_head = record_put(fd, page->data_head,
						     bytes + at, tid);
		if (head.type != AUXTRACE)
			continue;
		memcpy(&part, bytes + at + 8, sizeof(part));
		/* perf fills each piece up to 8 bytes: the next one begins before these. */
		memcpy(&where, bytes + at + 16, sizeof(where));
		if (!tid)
			packets_put(fd, page, &where, bytes + at + head.size,
				    part);
		at += part;
	}
	page->aux_head = where;
	page->cap_user_time_zero = 1;
	page->time_mult = 1;
	munmap(page, PAGE);
	free(bytes);
}

static int event_open(const struct perf_event_attr *attr, int tid, int cpu)
{
	FILE *asked = fopen(getenv("PT_ASKED"), "ae");
	int fd;

	if (asked) {
		fprintf(asked, "type=%u config=%llx cpu=%d %s%s%s%s\n",
			attr->type, attr->config, cpu,
			attr->exclude_kernel ? "user " : "",
			attr->inherit ? "inherit " : "",
			attr->enable_on_exec ? "exec " : "",
			attr->mmap2 && attr->comm_exec && attr->task ? "told"
								     : "");
		fclose(asked);
	}
	if (getenv("PT_ERROR")) {
		errno = atoi(getenv("PT_ERROR"));
		return -1;
	}
	fd = memfd_create("pt", MFD_CLOEXEC);
	if (fd < 0 || nr == EVENTS_MAX || ftruncate(fd, AREA_MAX))
		fail("no event");
	events[nr++] = fd;
	file_play(fd, tid);
	return fd;
}

static void filter_ask(const char *filter)
{
	FILE *asked = fopen(getenv("PT_ASKED"), "ae");

	if (!asked)
		fail("no $PT_ASKED");
	fprintf(asked, "%s\n", filter);
	fclose(asked);
}

/* ---- in the place of the C library's -------------------------------------- */

long syscall(long number, ...)
{
	long (*real)(long, ...) = dlsym(RTLD_NEXT, "syscall");
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_perf_event_open)
		return event_open((void *)a[0], a[1], a[2]);
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int, unsigned long, ...) = dlsym(RTLD_NEXT, "ioctl");
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	for (int i = 0; i < nr; i++)
		if (events[i] == fd) {
			if (request == PERF_EVENT_IOC_DISABLE)
				file_play(fd, 0);
			if (request == PERF_EVENT_IOC_SET_FILTER)
				filter_ask(arg);
			return 0;
		}
	return real(fd, request, arg);
}

int openat(int dir, const char *path, int flags, ...)
{
	int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, "openat");
	char other[4096];
	va_list args;
	int mode;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	if (strncmp(path, DEVICE, strlen(DEVICE)))
		return real(dir, path, flags, mode);
	snprintf(other, sizeof(other), "%s%s", getenv("PT_DEVICE"),
		 path + strlen(DEVICE));
	return real(dir, other, flags, mode);
}

/* Of programs with large files. */
int openat64(int dir, const char *path, int flags, ...)
	__attribute__((alias("openat")));
