// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reads the records of both tracers: the descriptions of events, ftrace's pages and our
 * packets.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "oracle.h"
#include "packet.h"

#define TRACEFS "/sys/kernel/tracing"
#define KTRACE	"/sys/kernel/ktrace"

void records_add(struct records *records, uint64_t time, const uint8_t *payload,
		 uint32_t size)
{
	if (records->nr == records->room) {
		records->room = records->room ? 2 * records->room : 64;
		records->all = realloc(records->all,
				       records->room * sizeof(*records->all));
		if (!records->all)
			die("no memory");
	}
	records->all[records->nr++] = (struct record){time, payload, size};
}

/* ---- descriptions --------------------------------------------------------- */

/* Parses a line of a format file; the caller frees the name. */
static bool field_parse(const char *line, struct field *field,
			struct place *place)
{
	char declaration[256], *bracket, *name;
	int is_signed;

	if (sscanf(line, "\tfield:%255[^;];\toffset:%u;\tsize:%u;\tsigned:%d;",
		   declaration, &place->offset, &place->size, &is_signed) != 4)
		return false;
	bracket = strchr(declaration, '[');
	*field = (struct field){
		.dynamic = !strncmp(declaration, "__data_loc ", 11),
		.string = bracket && strstr(declaration, "char"),
		.array = bracket,
		.is_signed = is_signed,
	};
	if (bracket && !field->dynamic)
		*bracket = '\0';
	name = strrchr(declaration, ' ');
	field->name = name ? strdup(name + 1) : NULL;
	return name;
}

static void field_add(struct kind *kind, const char *line)
{
	struct field field;
	struct place place;

	if (!field_parse(line, &field, &place))
		return;
	if (place.offset < FTRACE_HEADER) {
		free(field.name);
		return;
	}
	field.ftrace.offset = place.offset - FTRACE_HEADER;
	field.ftrace.size = place.size;
	kind->fields = realloc(kind->fields,
			       (kind->nr_fields + 1) * sizeof(*kind->fields));
	if (!kind->fields)
		die("no memory");
	kind->fields[kind->nr_fields++] = field;
}

static void field_locate(struct kind *kind, const char *line)
{
	struct field found;
	struct place place;

	if (!field_parse(line, &found, &place))
		return;
	for (unsigned int i = 0; i < kind->nr_fields; i++)
		if (!strcmp(kind->fields[i].name, found.name))
			kind->fields[i].ktrace = place;
	free(found.name);
}

static void lines_each(const char *path, struct kind *kind,
		       void (*use)(struct kind *kind, const char *line))
{
	char *text = read_file(path), *rest = text, *line;

	while (rest && (line = strsep(&rest, "\n")))
		use(kind, line);
	free(text);
}

static unsigned int number_in(const char *path)
{
	char *text = read_file(path);
	unsigned int number = text ? strtoul(text, NULL, 10) : 0;

	free(text);
	return number;
}

/* False: one of the tracers does not have the event. */
bool kind_read(struct kind *kind, const char *system, const char *name)
{
	char path[512], *text, *line;
	unsigned int dynamic, size;

	*kind = (struct kind){.system = strdup(system), .name = strdup(name)};
	snprintf(path, sizeof(path), TRACEFS "/events/%s/%s/id", system, name);
	kind->ftrace_id = number_in(path);
	snprintf(path, sizeof(path), KTRACE "/events/%s/%s/id", system, name);
	kind->ktrace_id = number_in(path);
	if (!kind->ftrace_id || !kind->ktrace_id)
		return false;

	snprintf(path, sizeof(path), TRACEFS "/events/%s/%s/format", system,
		 name);
	lines_each(path, kind, field_add);
	snprintf(path, sizeof(path), KTRACE "/events/%s/%s/format", system,
		 name);
	lines_each(path, kind, field_locate);
	for (unsigned int i = 0; i < kind->nr_fields; i++)
		if (!kind->fields[i].ktrace.size)
			die("%s: no %s", path, kind->fields[i].name);

	text = read_file(path);
	if (!text || !(line = strstr(text, "\nsize: ")) ||
	    sscanf(line, "\nsize: %u\ndynamic: %u", &size, &dynamic) != 2)
		die("%s: no size", path);
	kind->size = size;
	kind->dynamic = dynamic;
	free(text);
	return true;
}

/* ---- ftrace --------------------------------------------------------------- */

static struct kind *kind_by_ftrace_id(unsigned int id)
{
	for (unsigned int i = 0; i < nr_kinds; i++)
		if (kinds[i].ftrace_id == id)
			return &kinds[i];
	return NULL;
}

static void ftrace_record(unsigned int cpu, uint64_t time, const uint8_t *data,
			  uint32_t size)
{
	struct kind *kind;
	uint16_t id;

	memcpy(&id, data, sizeof(id));
	kind = kind_by_ftrace_id(id);
	if (kind && size >= FTRACE_HEADER)
		records_add(&kind->ftrace[cpu], time, data + FTRACE_HEADER,
			    size - FTRACE_HEADER);
}

/*
 * A page has the time of its start, the number of used bytes, and events.  An
 * event begins with a word: 5 bits for type or length, and 27 bits for the time
 * since the previous event.
 */
static void ftrace_page(unsigned int cpu, const uint8_t *page)
{
	enum { PADDING = 29, EXTEND, STAMP };
	const uint8_t *at = page + 16, *end;
	uint64_t time, used;

	memcpy(&time, page, sizeof(time));
	memcpy(&used, page + 8, sizeof(used));
	end = at + (used & 0xfffff);
	while (at < end) {
		uint32_t word, type, delta, size, more;

		memcpy(&word, at, sizeof(word));
		memcpy(&more, at + 4, sizeof(more));
		type = word & 31;
		delta = word >> 5;
		at += 4;
		if (type == EXTEND) {
			time += delta + ((uint64_t)more << 27);
			at += 4;
		} else if (type == STAMP) {
			time = (time >> 59 << 59) | delta |
			       (uint64_t)more << 27;
			at += 4;
		} else if (type == PADDING) {
			if (!delta)
				return;
			time += delta;
			at += more;
		} else {
			time += delta;
			size = type ? type * 4 : more - 4;
			at += type ? 0 : 4;
			ftrace_record(cpu, time, at, size);
			at += size;
		}
	}
}

/* ftrace must not have lost anything. */
static void ftrace_check(unsigned int cpu)
{
	static const char *const losses[] = {
		"overrun: ", "commit overrun: ", "dropped events: "};
	char path[512], *text;

	snprintf(path, sizeof(path), TRACEFS "/per_cpu/cpu%u/stats", cpu);
	text = read_file(path);
	for (unsigned int i = 0; text && i < 3; i++) {
		const char *at = strstr(text, losses[i]);

		if (at && strtoul(at + strlen(losses[i]), NULL, 10))
			die("ftrace lost events on cpu%u:\n%s", cpu, text);
	}
	free(text);
}

void ftrace_read(void)
{
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++) {
		char path[512];
		int fd;

		snprintf(path, sizeof(path),
			 TRACEFS "/per_cpu/cpu%u/trace_pipe_raw", cpu);
		fd = open(path, O_RDONLY | O_NONBLOCK);
		if (fd < 0)
			continue;
		ftrace_check(cpu);
		for (;;) {
			/* Never freed, because records point into the page. */
			uint8_t *page = calloc(1, 4096 + 8);

			if (!page)
				die("no memory");
			if (read(fd, page, 4096) <= 0) {
				free(page);
				break;
			}
			ftrace_page(cpu, page);
		}
		close(fd);
	}
}

/* ---- ktrace --------------------------------------------------------------- */

static struct kind *kind_by_ktrace_id(unsigned int id)
{
	for (unsigned int i = 0; i < nr_kinds; i++)
		if (kinds[i].ktrace_id == id)
			return &kinds[i];
	return NULL;
}

static u32 size_of(const void *arg, u32 id)
{
	const struct kind *kind;

	(void)arg;
	if (id < KT_ID_FIRST)
		return kt_task_size(id);
	kind = kind_by_ktrace_id(id);
	if (!kind)
		return KT_SIZE_UNKNOWN;
	return kind->dynamic ? KT_SIZE_DYNAMIC : kind->size;
}

static void ktrace_packet(unsigned int cpu, const uint8_t *packet)
{
	struct kt_walk walk;
	int err = kt_walk_begin(&walk, packet, KT_PACKET_SIZE);

	while (!err && (err = kt_walk_next(&walk, size_of, NULL)) > 0) {
		err = 0;
		if (walk.id >= KT_ID_FIRST)
			records_add(&kind_by_ktrace_id(walk.id)->ktrace[cpu],
				    walk.time, walk.payload, walk.size);
	}
	if (err < 0)
		die("cpu%u: bad packet: %s (id %u)", cpu, strerror(-err),
		    walk.id);
}

static void ktrace_check(const struct kt_control *control)
{
	for (int cause = 0; cause < KT_LOST_NR; cause++)
		if (control->lost[cause])
			die("ktrace lost events on cpu%u: %llu for reason %d",
			    control->cpu,
			    (unsigned long long)control->lost[cause], cause);
}

/* The buffers stay mapped, because records point into them. */
void ktrace_read(void)
{
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++) {
		const struct kt_control *control;
		char path[512];
		uint64_t size;
		int fd;

		snprintf(path, sizeof(path), KTRACE "/buffers/cpu%u", cpu);
		fd = open(path, O_RDONLY);
		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0 || ioctl(fd, KT_GET_SIZE, &size))
			die("%s: %s", path, strerror(errno));
		if (ioctl(fd, KT_FLUSH))
			die("%s: cannot be flushed: %s", path, strerror(errno));
		control = mmap(NULL, KT_CONTROL_SIZE + size, PROT_READ,
			       MAP_SHARED, fd, 0);
		if (control == MAP_FAILED)
			die("%s: cannot be mapped: %s", path, strerror(errno));
		ktrace_check(control);
		for (uint64_t seq = control->consumed; seq < control->produced;
		     seq++)
			ktrace_packet(cpu,
				      (const uint8_t *)control +
					      KT_CONTROL_SIZE +
					      (seq & (control->packets - 1)) *
						      KT_PACKET_SIZE);
	}
}
