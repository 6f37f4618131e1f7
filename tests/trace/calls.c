// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calls DIRECTORY <SCRIPT - makes a trace of calls that no kernel made, from lines:
 *
 *	US run CPU TID COMM		from here on this thread has the CPU
 *	US call CPU FUNCTION
 *	US back CPU FUNCTION RESULT
 *	US whole CPU FUNCTION RESULT TOOK	a call in one event, which took so many US
 *	US enter CPU SYSCALL
 *	US leave CPU SYSCALL RESULT
 *	US irq CPU NAME			an interrupt begins
 *	US done CPU NAME		and ends
 *	US lose CPU			so many events that some are lost
 *	US miss SOURCE REASON COUNT	REASON may be `-'
 *
 * US: microseconds since the begin.  They do not go back.  `#' begins a comment.
 */
#include <stdlib.h>

#include "check.h"
#include "maker.h"

#define US 2500 /* clock ticks */
/* What stands for function:entry and function:exit: records of any size. */
#define ENTRY	  MAKER_EXEC
#define EXIT	  MAKER_NET
#define WHOLE	  MAKER_MASK /* call:function */

#define CPUS	  2
#define NAMES_MAX 4096

static struct maker *maker;
static FILE *lines; /* of the metadata, in addition to the maker's */
static char *lines_text;
static size_t lines_size;
static char *functions[NAMES_MAX];
static char *types[NAMES_MAX]; /* by id, less 100 */
static uint32_t nr_functions, nr_types;

/* Defines an event with one number of 8 bytes, unless it is there.  Returns its id. */
static uint32_t type(const char *system, const char *field, const char *form,
		     const char *name)
{
	char full[128];

	snprintf(full, sizeof(full), form, name);
	for (uint32_t i = 0; i < nr_types; i++)
		if (!strcmp(types[i], full))
			return 100 + i;
	CHECK(nr_types < NAMES_MAX);
	types[nr_types] = strdup(full);
	fprintf(lines,
		"{\"type\":\"event\",\"id\":%u,\"system\":\"%s\","
		"\"name\":\"%s\",\"fields\":[{\"name\":\"%s\",\"ctype\":"
		"\"long\",\"kind\":\"int\",\"offset\":0,\"size\":8}],"
		"\"size\":8}\n",
		100 + nr_types, system, full, field);
	return 100 + nr_types++;
}

static uint32_t function(const char *name)
{
	static const struct ktrace_field argument = {
		.name = "count",
		.ctype = "size_t",
		.offset = 8,
		.size = 8,
		.kind = KTRACE_UINT,
	};
	static const struct ktrace_field result = {
		.name = "ret",
		.ctype = "long",
		.offset = 4,
		.size = 8,
		.kind = KTRACE_INT,
	};
	uint32_t i;

	for (i = 0; i < nr_functions; i++)
		if (!strcmp(functions[i], name))
			return i;
	CHECK(nr_functions < NAMES_MAX);
	functions[nr_functions++] = strdup(name);
	CHECK_EQ(maker_variant(maker, ENTRY, i, "function", name, &argument),
		 0);
	CHECK_EQ(maker_variant(maker, EXIT, i, "return", name, &result), 0);
	return i;
}

static void plain(uint32_t cpu, uint32_t id, int64_t value)
{
	CHECK(maker_raw(maker, cpu, id, &value, sizeof(value), false));
}

static void lose(uint32_t cpu)
{
	const struct maker_plain idle = {1, cpu};
	uint64_t before = maker_lost(maker, cpu);

	maker_stall(maker, cpu, true);
	while (maker_lost(maker, cpu) == before)
		maker_event(maker, cpu, MAKER_PLAIN, &idle, sizeof(idle));
	maker_stall(maker, cpu, false);
}

static void function_event(uint32_t cpu, const char *name, bool back,
			   int64_t result)
{
	const struct {
		uint32_t index, pad;
		uint64_t count;
	} entry = {.index = function(name), .count = 1};
	const struct {
		uint32_t index;
		int64_t result;
		uint8_t more[16];
	} __attribute__((packed)) exit = {entry.index, result, {0}};

	CHECK(maker_event(maker, cpu, back ? EXIT : ENTRY,
			  back ? (const void *)&exit : &entry,
			  back ? sizeof(exit) : sizeof(entry)));
}

static void whole_event(uint32_t cpu, const char *name, int64_t result,
			uint64_t us)
{
	const struct {
		uint32_t index, arguments;
		uint64_t duration;
		int64_t result;
	} call = {.index = function(name),
		  .duration = us * 1000,
		  .result = result};

	fprintf(lines,
		"{\"type\":\"variant\",\"id\":%d,\"index\":%u,\"system\":\"call\","
		"\"name\":\"%s\",\"fields\":[{\"name\":\"ret\",\"ctype\":\"long\","
		"\"kind\":\"int\",\"offset\":16,\"size\":8},{\"name\":\"duration\","
		"\"ctype\":\"u64\",\"kind\":\"uint\",\"offset\":8,\"size\":8}],"
		"\"size\":24,\"dynamic\":true}\n",
		WHOLE, call.index, name);
	CHECK(maker_event(maker, cpu, WHOLE, &call, sizeof(call)));
}

static void line_make(const char *line)
{
	char word[16] = "", a[64] = "", b[64] = "", c[64] = "", d[64] = "";
	unsigned long us;
	uint32_t cpu;

	if (sscanf(line, "%lu %15s %63s %63s %63s %63s", &us, word, a, b, c,
		   d) < 3)
		return;
	if (!strcmp(word, "miss")) {
		maker_miss(maker, a, strcmp(b, "-") ? b : NULL, atol(c));
		return;
	}
	cpu = atoi(a);
	CHECK(cpu < CPUS);
	maker_time(maker, 5000000000000ull + us * US);
	if (!strcmp(word, "run")) {
		CHECK(maker_run(maker, cpu, atoi(b), atoi(b), c));
		CHECK(maker_task(maker, cpu, atoi(b), atoi(b), 1, c));
	} else if (!strcmp(word, "call")) {
		function_event(cpu, b, false, 0);
	} else if (!strcmp(word, "back")) {
		function_event(cpu, b, true, atol(c));
	} else if (!strcmp(word, "whole")) {
		whole_event(cpu, b, atol(c), atol(d));
	} else if (!strcmp(word, "enter")) {
		plain(cpu, type("syscalls", "fd", "sys_enter_%s", b), 3);
	} else if (!strcmp(word, "leave")) {
		plain(cpu, type("syscalls", "ret", "sys_exit_%s", b), atol(c));
	} else if (!strcmp(word, "irq")) {
		plain(cpu, type("irq_vectors", "vector", "%s_entry", b), 1);
	} else if (!strcmp(word, "done")) {
		plain(cpu, type("irq_vectors", "vector", "%s_exit", b), 1);
	} else if (!strcmp(word, "lose")) {
		lose(cpu);
	} else {
		check_fail("no such line: %s", line);
	}
}

static void metadata_append(const char *path)
{
	FILE *f = fopen(path, "a");

	CHECK(f);
	fwrite(lines_text, 1, lines_size, f);
	CHECK_EQ(fclose(f), 0);
}

static const char *output;

/* Not a test, but its checks end the program with a message. */
TEST(make)
{
	char line[256], path[512];

	maker = maker_create(output, CPUS, 4, false, 9);
	lines = open_memstream(&lines_text, &lines_size);
	CHECK(maker && lines);
	while (fgets(line, sizeof(line), stdin))
		line_make(line);
	CHECK_EQ(maker_finish(maker, false), 0);
	fclose(lines);
	snprintf(path, sizeof(path), "%s/metadata", output);
	metadata_append(path);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: calls DIRECTORY <SCRIPT\n");
		return 2;
	}
	output = argv[1];
	return check_run(1, argv);
}
