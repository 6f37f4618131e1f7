// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * census - checks the content of a trace, to the last byte
 *
 *	census TRACE [POISON]
 *	census --memory BUFFER POISON
 *
 * Prints a line "COUNT SYSTEM:NAME" for each kind of event, and how many were lost.  Fails
 * if the reader has a warning, or if an event that the kernel counted is neither in the
 * trace nor lost.
 *
 * With POISON, the byte with which ktrace.ko has filled the memory of records (its
 * parameter `poison'), fails if some of it got into the trace: if four bytes in a row have
 * this value, in records, between them or around them.  --memory checks that the unwritten
 * part of a buffer is full of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/trace.h>

#include <ktrace.h>

#define RUN 4

static const char *path;
static struct ktrace *trace;
static bool poisoned;
static uint8_t poison;
static uint64_t leaks;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "census: %s: %s\n", what, why);
	exit(2);
}

struct counted {
	uint64_t *by_type;
	uint64_t *leaky_by_type;
	uint32_t nr_types;
	uint64_t events;
	uint64_t lost;
};

/* ---- poison ---------------------------------------------------------------- */

/* Where the first run of poison begins; @size: nowhere. */
static size_t poison_find(const uint8_t *bytes, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < size; i++) {
		length = bytes[i] == poison ? length + 1 : 0;
		if (length == RUN)
			return i + 1 - RUN;
	}
	return size;
}

/* The field with the byte at @offset, or the last one that begins before it. */
static const char *field_at(const struct ktrace_event *event, size_t offset)
{
	const char *name = "padding";

	for (uint32_t i = 0; i < event->type->nr_fields; i++) {
		const struct ktrace_field *field = &event->type->fields[i];
		size_t size;
		const uint8_t *bytes = ktrace_field_bytes(event, field, &size);

		if (size && offset >= (size_t)(bytes - event->payload) &&
		    offset < bytes - event->payload + size)
			name = field->name;
		if (offset >= field->offset &&
		    offset < field->offset + field->size)
			name = field->name;
	}
	return name;
}

/* Records begin at multiples of 4: the bytes before the next one are checked too. */
static void event_check(struct counted *counted,
			const struct ktrace_event *event)
{
	size_t size = ((size_t)event->size + 3) & ~(size_t)3;
	size_t at = poison_find(event->payload, size);

	if (at == size)
		return;
	leaks++;
	/* One report for each kind is enough. */
	if (counted->leaky_by_type[event->type->number]++)
		return;
	printf("leak: %s:%s has poison at %zu of %zu bytes (%s)\n",
	       event->type->system, event->type->name, at, size,
	       field_at(event, at));
}

/* Checks all bytes of a stream: headers, records, and those between packets. */
static uint64_t stream_check(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *bytes;
	size_t at;

	if (fd < 0 || fstat(fd, &st))
		die(file, strerror(errno));
	if (!st.st_size) {
		close(fd);
		return 0;
	}
	bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		die(file, strerror(errno));
	close(fd);
	at = poison_find(bytes, st.st_size);
	if (at < (size_t)st.st_size) {
		leaks++;
		printf("leak: %s has poison at byte %zu of %zu\n", file, at,
		       (size_t)st.st_size);
	}
	munmap(bytes, st.st_size);
	return st.st_size;
}

static uint64_t streams_check(void)
{
	char pattern[4096];
	uint64_t bytes = 0;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/cpu*", path);
	if (glob(pattern, 0, NULL, &found))
		die(path, "it has no streams");
	for (size_t i = 0; i < found.gl_pathc; i++)
		bytes += stream_check(found.gl_pathv[i]);
	globfree(&found);
	return bytes;
}

/* Checks the second packet: the first one is open, and may have task records. */
static int memory_check(const char *file, const char *byte)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	size_t size = KT_CONTROL_SIZE + 2 * KT_PACKET_SIZE;
	const uint8_t *bytes;

	if (fd < 0)
		die(file, strerror(errno));
	bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		die(file, strerror(errno));
	for (size_t i = size - KT_PACKET_SIZE; i < size; i++) {
		if (bytes[i] == strtoul(byte, NULL, 0))
			continue;
		printf("%s: byte %zu is %#x\n", file, i, bytes[i]);
		return 1;
	}
	return 0;
}

/* ---- counting -------------------------------------------------------------- */

static uint64_t *more_counts(uint64_t *counts, uint32_t from, uint32_t to)
{
	uint64_t *more = realloc(counts, to * sizeof(*more));

	if (!more)
		die(path, "out of memory");
	memset(more + from, 0, (to - from) * sizeof(*more));
	return more;
}

static void event_count(struct counted *counted,
			const struct ktrace_event *event)
{
	uint32_t i = event->type->number, nr = i + 1024;

	if (i >= counted->nr_types) {
		counted->by_type =
			more_counts(counted->by_type, counted->nr_types, nr);
		counted->leaky_by_type = more_counts(counted->leaky_by_type,
						     counted->nr_types, nr);
		counted->nr_types = nr;
	}
	counted->by_type[i]++;
	counted->events++;
}

static void trace_count(struct counted *counted)
{
	struct ktrace_cursor *cursor;
	int item;

	if (ktrace_cursor_create(trace, NULL, &cursor))
		die(path, ktrace_last_error());
	while ((item = ktrace_cursor_next(cursor)) > KTRACE_END) {
		if (item == KTRACE_LOSS) {
			counted->lost += ktrace_cursor_loss(cursor)->count;
			continue;
		}
		event_count(counted, ktrace_cursor_event(cursor));
		if (poisoned)
			event_check(counted, ktrace_cursor_event(cursor));
	}
	if (item < 0)
		die(path, ktrace_last_error());
	ktrace_cursor_destroy(cursor);
}

static void types_print(const struct counted *counted)
{
	const struct ktrace_types *types = ktrace_get_types(trace);

	for (size_t i = 0; i < ktrace_types_count(types); i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);

		if (type->number < counted->nr_types &&
		    counted->by_type[type->number])
			printf("%" PRIu64 " %s:%s\n",
			       counted->by_type[type->number], type->system,
			       type->name);
	}
}

/* Every recorded event is in the trace, or is known to be lost. */
static bool account_check(const struct counted *counted)
{
	const struct ktrace_info *info = ktrace_get_info(trace);
	uint64_t recorded = 0, there = 0, written = 0;

	for (uint32_t i = 0; i < info->nr_cpus; i++) {
		const struct ktrace_cpu *cpu = &info->cpus[i];

		if (!cpu->known)
			return false;
		recorded += cpu->recorded;
		written += cpu->events;
		there += cpu->events + cpu->lost[KTRACE_LOST_OVERWRITTEN] +
			 cpu->lost[KTRACE_LOST_UNWRITTEN];
	}
	printf("%" PRIu64 " recorded %" PRIu64 " written %" PRIu64
	       " read %" PRIu64 " lost\n",
	       recorded, written, counted->events, counted->lost);
	return recorded == there && written == counted->events;
}

int main(int argc, char **argv)
{
	struct counted counted = {0};
	const char *warning;
	size_t warnings = 0;
	bool good;

	if (argc == 4 && !strcmp(argv[1], "--memory"))
		return memory_check(argv[2], argv[3]);
	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: census TRACE [POISON] | "
				"census --memory BUFFER POISON\n");
		return 2;
	}
	path = argv[1];
	poisoned = argc == 3;
	if (poisoned)
		poison = strtoul(argv[2], NULL, 0);
	if (ktrace_open(path, &trace))
		die(path, ktrace_last_error());
	trace_count(&counted);
	types_print(&counted);
	while ((warning = ktrace_warning(trace, warnings))) {
		printf("warning: %s\n", warning);
		warnings++;
	}
	good = account_check(&counted) && !warnings;
	if (poisoned) {
		uint64_t bytes = streams_check();

		printf("%" PRIu64 " bytes searched for %#x, leaks: %" PRIu64
		       "\n",
		       bytes, poison, leaks);
	}
	free(counted.by_type);
	free(counted.leaky_by_type);
	ktrace_close(trace);
	return good && !leaks ? 0 : 1;
}
