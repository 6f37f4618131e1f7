/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Traces of events that a test defines, one microsecond apart. */
#ifndef KT_TESTS_HAPPEN_H
#define KT_TESTS_HAPPEN_H

#include "maker.h"
#include "scratch.h"

#define US 2500 /* clock ticks */

static struct maker *maker;
static FILE *lines; /* of the metadata, in addition to the maker's */
static char *lines_text;
static size_t lines_size;
static uint32_t next_id;
static uint64_t clock_now;

static inline void begin_cpus(uint32_t cpus)
{
	scratch_make();
	maker = maker_create(directory, cpus, 2, false, 9);
	CHECK(maker);
	lines = open_memstream(&lines_text, &lines_size);
	next_id = 100;
	clock_now = 5000000000000ull;
}

/*
 * Defines an event.  @fields are separated by spaces.  Each is a number of 8 bytes or, if
 * it begins with $, a string of 8 bytes.  Returns its id.
 */
static inline uint32_t type(const char *system, const char *name,
			    const char *fields)
{
	uint32_t offset = 0;

	fprintf(lines,
		"{\"type\":\"event\",\"id\":%u,\"system\":\"%s\","
		"\"name\":\"%s\",\"fields\":[",
		next_id, system, name);
	while (*fields) {
		int n = strcspn(fields, " ");
		bool string = *fields == '$';

		fprintf(lines,
			"%s{\"name\":\"%.*s\",\"ctype\":\"x\",\"kind\":\"%s\","
			"\"offset\":%u,\"size\":8}",
			offset ? "," : "", n - string, fields + string,
			string ? "string" : "int", offset);
		offset += 8;
		fields += n;
		fields += strspn(fields, " ");
	}
	fprintf(lines, "],\"size\":%u}\n", offset);
	return next_id++;
}

/* Makes an event on @cpu, with the values of its fields; false: it is lost. */
static inline bool try(uint32_t cpu, uint32_t id, const uint64_t *values,
		       uint32_t nr)
{
	maker_time(maker, clock_now += US);
	return maker_raw(maker, cpu, id, values, nr * sizeof(*values), false);
}

#define happen(cpu, id, ...)                                \
	CHECK(try(cpu, id, (const uint64_t[]){__VA_ARGS__}, \
		  sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)))

static inline uint64_t text(const char *s)
{
	uint64_t word = 0;

	memcpy(&word, s, strnlen(s, sizeof(word)));
	return word;
}

static inline void run(uint32_t cpu, uint32_t tid, uint32_t tgid)
{
	CHECK(maker_run(maker, cpu, tid, tgid, "program"));
	CHECK(maker_task(maker, cpu, tid, tgid, tgid, "program"));
}

/* From here to gap_end(), events of @cpu are lost. */
static inline void gap_begin(uint32_t cpu)
{
	const struct maker_plain plain = {1, cpu};
	uint64_t before = maker_lost(maker, cpu);

	maker_stall(maker, cpu, true);
	while (maker_lost(maker, cpu) == before)
		maker_event(maker, cpu, MAKER_PLAIN, &plain, sizeof(plain));
}

static inline void gap_end(uint32_t cpu)
{
	maker_stall(maker, cpu, false);
}

static inline struct ktrace *trace_end(void)
{
	struct ktrace *trace;
	char path[512];
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
	return trace;
}

#endif /* KT_TESTS_HAPPEN_H */
