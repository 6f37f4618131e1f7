// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * analyse-make DIRECTORY <SCRIPT - makes a trace of what the script says
 *
 *	cpus COUNT			must come first
 *	type SYSTEM:NAME FIELD...	defines an event, or one more type of it; fields are as in happen.h
 *	known TID TGID COMM		a thread that exists when the trace begins
 *
 * All other lines begin with a time, in ns; an even one is exact in the trace.
 *
 *	NS run CPU TID TGID COMM	the thread is known to run there
 *	NS exit CPU TID
 *	NS switch CPU PREV STATE NEXT COMM
 *	NS wakeup CPU TID TARGET COMM	sched:sched_wakeup
 *	NS event CPU SYSTEM:NAME VALUE...	numbers, or up to 8 characters
 *	NS gap CPU			from here on its events are lost ...
 *	NS end_gap CPU			... until here
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "happen.h"

#define WORDS_MAX 16
#define TYPES_MAX 32
#define EPOCH	  5000000000000ull /* ticks */

static struct {
	char name[64];
	uint32_t id;
} types[TYPES_MAX];
static uint32_t nr_types;

static uint64_t number(const char *word)
{
	char *end;
	uint64_t value = strtoull(word, &end, 0);

	CHECK(end != word && !*end);
	return value;
}

static int words_split(char *line, char *words[WORDS_MAX])
{
	int nr = 0;

	for (char *word = strtok(line, " \t\n"); word && *word != '#';
	     word = strtok(NULL, " \t\n")) {
		CHECK(nr < WORDS_MAX - 1);
		words[nr++] = word;
	}
	words[nr] = (char *)"";
	return nr;
}

static void type_define(char **words, int nr)
{
	char fields[256] = "", *colon = strchr(words[1], ':');

	CHECK(colon && nr_types < TYPES_MAX);
	for (int i = 2; i < nr; i++) {
		strcat(fields, i > 2 ? " " : "");
		strcat(fields, words[i]);
	}
	strcpy(types[nr_types].name, words[1]);
	*colon = '\0';
	types[nr_types++].id = type(words[1], colon + 1, fields);
}

/* The newest one, if the event has several. */
static uint32_t type_find(const char *name)
{
	uint32_t i = nr_types;

	while (i && strcmp(types[i - 1].name, name) != 0)
		i--;
	CHECK(i);
	return types[i - 1].id;
}

static void switch_make(uint32_t cpu, char **words)
{
	struct maker_switch s = {
		.prev_pid = number(words[0]),
		.prev_prio = 120,
		.prev_state = number(words[1]),
		.next_pid = number(words[2]),
		.next_prio = 120,
	};

	strncpy(s.next_comm, words[3], sizeof(s.next_comm) - 1);
	CHECK(maker_event(maker, cpu, MAKER_SWITCH, &s, sizeof(s)));
}

static void wakeup_make(uint32_t cpu, char **words)
{
	struct maker_wakeup w = {
		.pid = number(words[0]),
		.prio = 120,
		.target_cpu = number(words[1]),
	};

	strncpy(w.comm, words[2], sizeof(w.comm) - 1);
	CHECK(maker_event(maker, cpu, MAKER_WAKEUP, &w, sizeof(w)));
}

static void event_make(uint32_t cpu, char **words, int nr)
{
	uint64_t values[WORDS_MAX];

	for (int i = 1; i < nr; i++)
		values[i - 1] = isdigit((unsigned char)*words[i])
					? number(words[i])
					: text(words[i]);
	CHECK(maker_raw(maker, cpu, type_find(words[0]), values,
			(nr - 1) * sizeof(*values), false));
}

static void event_do(char **words, int nr)
{
	const char *verb = words[1];
	uint32_t cpu;

	CHECK(nr >= 3);
	cpu = number(words[2]);
	clock_now = EPOCH + number(words[0]) * 5 / 2;
	maker_time(maker, clock_now);
	words += 3;
	nr -= 3;
	if (!strcmp(verb, "switch") && nr == 4) {
		switch_make(cpu, words);
	} else if (!strcmp(verb, "wakeup") && nr == 3) {
		wakeup_make(cpu, words);
	} else if (!strcmp(verb, "event") && nr) {
		event_make(cpu, words, nr);
	} else if (!strcmp(verb, "run") && nr == 3) {
		CHECK(maker_run(maker, cpu, number(words[0]), number(words[1]),
				words[2]));
		CHECK(maker_task(maker, cpu, number(words[0]), number(words[1]),
				 number(words[1]), words[2]));
	} else if (!strcmp(verb, "exit") && nr == 1) {
		CHECK(maker_exit(maker, cpu, number(words[0])));
	} else if (!strcmp(verb, "gap") && !nr) {
		gap_begin(cpu);
	} else if (!strcmp(verb, "end_gap") && !nr) {
		gap_end(cpu);
	} else {
		check_fail("no such line: %s", verb);
	}
}

static void line_do(const char *text_of_line)
{
	char *line = strdup(text_of_line), *words[WORDS_MAX];
	int nr = words_split(line, words);

	if (nr && !strcmp(*words, "type"))
		type_define(words, nr);
	else if (nr && !strcmp(*words, "known"))
		maker_known(maker, number(words[1]), number(words[2]),
			    number(words[2]), words[3]);
	else if (nr)
		event_do(words, nr);
	free(line);
}

static int script_do(const char *path, uint32_t cpus)
{
	char line[256];

	if (setjmp(check_escape))
		return 1;
	strcpy(directory, path);
	maker = maker_create(directory, cpus, 64, false, 9);
	CHECK(maker);
	lines = open_memstream(&lines_text, &lines_size);
	next_id = 100;
	while (fgets(line, sizeof(line), stdin))
		line_do(line);
	ktrace_close(trace_end());
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int cpus;

	if (argc != 2 || strlen(argv[1]) >= sizeof(directory) ||
	    scanf("cpus %u\n", &cpus) != 1)
		return 2;
	return script_do(argv[1], cpus);
}
