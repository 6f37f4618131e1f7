/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Makes traces of system calls, as they would be recorded, and shows them like strace. */
#ifndef KT_TESTS_TRACE_CALLED_H
#define KT_TESTS_TRACE_CALLED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maker.h"
#include "scratch.h"
#include "shown.h"

#define BUFFER 4096

static struct maker *maker;
static FILE *lines; /* of the metadata, in addition to the maker's */
static char *lines_text;
static size_t lines_size;
static uint32_t next_id;
static uint64_t clock_now;

static inline void begin(void)
{
	scratch_make();
	maker = maker_create(directory, 1, 64, false, 9);
	CHECK(maker);
	lines = open_memstream(&lines_text, &lines_size);
	next_id = 100;
	clock_now = 5000000000000ull;
}

/* The arguments of a call, and the memory that was captured. */
struct record {
	uint8_t bytes[BUFFER];
	uint32_t size;
	uint32_t loc; /* of the next captured field */
};

/*
 * Defines an event of a system.  @fields are separated by spaces: numbers, and captured fields, which
 * begin with two underscores; these are strings if they end with `$'.  Returns its id.
 */
static inline uint32_t type_of(const char *system, const char *name,
			       const char *fields)
{
	uint32_t offset = 0;
	bool dynamic = false;

	fprintf(lines,
		"{\"type\":\"event\",\"id\":%u,\"system\":\"%s\","
		"\"name\":\"%s\",\"fields\":[",
		next_id, system, name);
	while (*fields) {
		int n = strcspn(fields, " $");
		bool string = fields[n] == '$';
		bool captured = !strncmp(fields, "__", 2) &&
				strncmp(fields, "__cut", 5) != 0 &&
				strncmp(fields, "__unread", 8) != 0;

		fprintf(lines,
			"%s{\"name\":\"%.*s\",\"ctype\":\"x\",\"kind\":\"%s\","
			"\"offset\":%u,\"size\":%u}",
			offset ? "," : "", n, fields,
			string			     ? "dynstring"
			: captured		     ? "dynbytes"
			: !strncmp(fields, "ret", 3) ? "int"
						     : "uint",
			offset, captured ? 4 : 8);
		dynamic |= captured;
		offset += captured ? 4 : 8;
		fields += n + string;
		fields += strspn(fields, " ");
	}
	fprintf(lines, "],\"size\":%u,\"dynamic\":%s}\n", offset,
		dynamic ? "true" : "false");
	return next_id++;
}

static inline uint32_t type(const char *name, const char *fields)
{
	return type_of("syscalls", name, fields);
}

static inline void layout(const char *name, uint32_t size, const char *members)
{
	fprintf(lines,
		"{\"type\":\"struct\",\"name\":\"%s\",\"size\":%u,"
		"\"members\":[%s]}\n",
		name, size, members);
}

static inline void number(struct record *r, uint64_t value)
{
	memcpy(r->bytes + r->size, &value, sizeof(value));
	r->size += sizeof(value);
}

/* To be called after all numbers: @captured fields follow. */
static inline void captured(struct record *r, unsigned int fields)
{
	r->loc = r->size;
	r->size += 4 * fields;
}

static inline void memory(struct record *r, const void *bytes, uint32_t size)
{
	uint32_t loc = size << 16 | r->size;

	memcpy(r->bytes + r->loc, &loc, sizeof(loc));
	memcpy(r->bytes + r->size, bytes, size);
	r->loc += sizeof(loc);
	r->size += size;
}

static inline void happen(uint32_t id, const struct record *r)
{
	maker_time(maker, clock_now += 2500);
	CHECK(maker_raw(maker, 0, id, r->bytes, r->size, r->loc));
}

static inline void returns(uint32_t id, int64_t result)
{
	struct record r = {0};

	number(&r, result);
	happen(id, &r);
}

/* Calls of read(). */
static uint32_t read_enter, read_exit;

static inline void read_types(void)
{
	read_enter = type("sys_enter_read", "fd buf count");
	read_exit = type("sys_exit_read", "ret __buf_val");
}

static inline void read_begins(int fd)
{
	struct record r = {0};

	number(&r, fd);
	number(&r, 0x1000);
	number(&r, 100);
	happen(read_enter, &r);
}

static inline void read_ends(const char *text)
{
	struct record r = {0};

	number(&r, strlen(text));
	captured(&r, 1);
	memory(&r, text, strlen(text));
	happen(read_exit, &r);
}

static inline void run(uint32_t tid, uint32_t tgid)
{
	maker_run(maker, 0, tid, tgid, "program");
}

/* The output; the caller frees it. */
static inline char *shown_as(const char *kind,
			     struct ktrace_output_options where)
{
	struct ktrace *trace;
	char path[512], *text;
	FILE *f;

	CHECK_EQ(maker_finish(maker, false), 0);
	fclose(lines);
	path_of(path, "metadata");
	f = fopen(path, "a");
	CHECK(f);
	fwrite(lines_text, 1, lines_size, f);
	fclose(f);
	free(lines_text);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	text = shown_with(trace, kind, where, NULL);
	CHECK(!ktrace_warning(trace, 0));
	ktrace_close(trace);
	return text;
}

static inline char *shown_where(struct ktrace_output_options where)
{
	return shown_as("strace", where);
}

static inline char *shown(const struct ktrace_output_calls *options)
{
	return shown_where((struct ktrace_output_options){.calls = options});
}

static inline void check_shown_with(const struct ktrace_output_calls *options,
				    const char *want)
{
	char *text = shown(options);

	CHECK_STR(text, want);
	free(text);
}

static inline void check_shown(const char *want)
{
	check_shown_with(NULL, want);
}

#endif /* KT_TESTS_TRACE_CALLED_H */
