// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * compare - do ftrace and ktrace agree, if they record the same events at the same time?
 *
 *   compare SYSTEM... -- COMMAND [ARG...]
 *
 * Both record all events of the systems while the command runs; ftrace is switched on first
 * and off last.  Then, for each kind of event on each CPU, our records must be a part of
 * ftrace's without a gap, equal in every field, including strings.
 *
 * Two differences are tolerated.  First, if an interrupt comes between the two tracers'
 * probes of an event, one tracer has the event before the interrupt's own events, the other
 * after them.  So a record may be out of place (far away, if the interrupt freed a lot of
 * memory), as long as each record has its own match.  Their number is printed.  Second,
 * each probe reads a few fields by itself (see volatiles).
 *
 * Tens of thousands of events are compared; a single difference fails.
 */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oracle.h"

#define TRACEFS "/sys/kernel/tracing"
#define KTRACE	"/sys/kernel/ktrace"

/* How far a record may be out of place, and how many differences are shown. */
#define REORDER_MAX 4096
#define SHOWN_MAX   5

struct kind *kinds;
unsigned int nr_kinds;

void die(const char *format, ...)
{
	va_list args;

	fputs("compare: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &room, '\0', file) < 0)
		text = strdup("");
	fclose(file);
	return text;
}

void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) == EOF || fclose(file))
		die("cannot write %s to %s: %s", text, path, strerror(errno));
}

/* ---- comparing ------------------------------------------------------------ */

struct value {
	const uint8_t *bytes;
	size_t size;
};

/* The content of a field; for a string, what is before the NUL. */
static bool value_get(const struct field *field, const struct place *place,
		      const struct record *record, unsigned int base,
		      struct value *value)
{
	uint32_t where = place->offset, size = place->size, word;

	if (where + size > record->size)
		return false;
	if (field->dynamic) {
		memcpy(&word, record->payload + where, sizeof(word));
		where = (word & 0xffff) - base;
		size = word >> 16;
		if (where > record->size || size > record->size - where)
			return false;
	}
	value->bytes = record->payload + where;
	value->size = field->string ? strnlen((const char *)value->bytes, size)
				    : size;
	return true;
}

/*
 * Fields whose value is not part of the event: each probe looks it up, and it
 * may change in between, because it is a clock or another CPU changes it.
 */
static const struct {
	const char *system, *event, *field;
	uint64_t later; /* how much later it may be; 0: any difference */
} volatiles[] = {
	{"timer", NULL, "now", 250},		    /* jiffies */
	{"sched", "sched_switch", "prev_state", 0}, /* somebody reaps it */
	{"writeback", NULL, "state", 0},	    /* of an inode in use */
	{"writeback", NULL, "age", 1000},	    /* ms, from jiffies */
};

static int64_t number_of(const struct field *field, const struct value *value)
{
	unsigned int unused = 64 - 8 * value->size;
	uint64_t number = 0;

	memcpy(&number, value->bytes, value->size);
	number <<= unused;
	return field->is_signed ? (int64_t)number >> unused
				: (int64_t)(number >> unused);
}

static bool is_equal(const struct field *field, const struct value *a,
		     const struct value *b)
{
	if (a->size == b->size)
		return !memcmp(a->bytes, b->bytes, a->size);
	return !field->array && a->size <= 8 && b->size <= 8 &&
	       number_of(field, a) == number_of(field, b);
}

static bool is_volatile(const struct kind *kind, const struct field *field,
			const struct value *theirs, const struct value *ours)
{
	uint64_t before = 0, after = 0;

	for (size_t i = 0; i < sizeof(volatiles) / sizeof(*volatiles); i++) {
		if (strcmp(volatiles[i].system, kind->system) ||
		    strcmp(volatiles[i].field, field->name) ||
		    (volatiles[i].event &&
		     strcmp(volatiles[i].event, kind->name)))
			continue;
		if (!volatiles[i].later)
			return true;
		if (theirs->size > sizeof(before))
			return false;
		memcpy(&before, theirs->bytes, theirs->size);
		memcpy(&after, ours->bytes, ours->size);
		return after - before <= volatiles[i].later;
	}
	return false;
}

/*
 * NULL: they are equal; else the first field that differs.  @changed is set if
 * only volatile fields differ.
 */
static const struct field *difference(const struct kind *kind,
				      const struct record *theirs,
				      const struct record *ours, bool *changed)
{
	for (unsigned int i = 0; i < kind->nr_fields; i++) {
		const struct field *field = &kind->fields[i];
		struct value a, b;

		if (!value_get(field, &field->ftrace, theirs, FTRACE_HEADER,
			       &a) ||
		    !value_get(field, &field->ktrace, ours, 0, &b))
			return field;
		if (is_equal(field, &a, &b))
			continue;
		if (!is_volatile(kind, field, &a, &b))
			return field;
		*changed = true;
	}
	return NULL;
}

static void print_value(const struct field *field, const struct place *place,
			const struct record *record, unsigned int base)
{
	struct value value;

	if (!value_get(field, place, record, base, &value)) {
		printf("beyond its end");
		return;
	}
	if (field->string) {
		printf("\"%.*s\"", (int)value.size, value.bytes);
		return;
	}
	for (size_t i = 0; i < value.size; i++)
		printf("%02x", value.bytes[i]);
}

/* If @ours has no equal, prints it beside the record at its expected place. */
static void print_difference(const struct kind *kind, unsigned int cpu,
			     const struct records *theirs, size_t at,
			     const struct record *ours)
{
	const struct field *field;
	bool changed;

	printf("not ok %s:%s cpu%u: ", kind->system, kind->name, cpu);
	if (at >= theirs->nr) {
		printf("ftrace has no more\n");
		return;
	}
	field = difference(kind, &theirs->all[at], ours, &changed);
	if (!field) {
		printf("twice\n");
		return;
	}
	printf("%s: ftrace has ", field->name);
	print_value(field, &field->ftrace, &theirs->all[at], FTRACE_HEADER);
	printf(", ktrace ");
	print_value(field, &field->ktrace, ours, 0);
	putchar('\n');
}

/* The progress of matching: from @first, all below @low is matched. */
struct progress {
	bool *taken;
	size_t first;
	size_t low;
	size_t end; /* beyond the last one */
};

/*
 * Finds their record that matches ours: the first that is equal and not yet
 * taken. It is at @low unless an interrupt has put it out of order.
 */
static long find(const struct kind *kind, const struct records *theirs,
		 const struct progress *progress, const struct record *ours,
		 bool *changed)
{
	for (size_t away = 0; away <= REORDER_MAX; away++) {
		size_t at = progress->low + away;

		*changed = false;
		if (at < theirs->nr && !progress->taken[at] &&
		    theirs->all[at].time <= ours->time &&
		    !difference(kind, &theirs->all[at], ours, changed))
			return at;
	}
	for (size_t away = 1; away <= REORDER_MAX; away++) {
		size_t at = progress->first - away;

		*changed = false;
		if (at < theirs->nr && !progress->taken[at] &&
		    !difference(kind, &theirs->all[at], ours, changed))
			return at;
	}
	return -1;
}

/* Finds the place of our first record: if several are equal, the last one before it. */
static size_t find_first(const struct kind *kind, const struct records *theirs,
			 const struct record *ours)
{
	bool changed;
	size_t last = 0;

	for (size_t i = 0; i < theirs->nr; i++)
		if (theirs->all[i].time <= ours->time &&
		    !difference(kind, &theirs->all[i], ours, &changed))
			last = i;
	return last;
}

void kind_compare(const struct kind *kind, unsigned int cpu,
		  struct result *result)
{
	const struct records *theirs = &kind->ftrace[cpu];
	const struct records *ours = &kind->ktrace[cpu];
	struct progress progress = {0};
	size_t wrong = 0, passed_over = 0;

	if (!ours->nr)
		return;
	progress.taken = calloc(theirs->nr + 1, sizeof(*progress.taken));
	if (!progress.taken)
		die("no memory");
	progress.first = find_first(kind, theirs, &ours->all[0]);
	progress.low = progress.first;
	progress.end = progress.first;

	for (size_t i = 0; i < ours->nr; i++) {
		const struct record *record = &ours->all[i];
		bool changed;
		long at = find(kind, theirs, &progress, record, &changed);
		uint64_t time;

		if (at < 0) {
			if (wrong++ < SHOWN_MAX)
				print_difference(kind, cpu, theirs,
						 progress.low, record);
			continue;
		}
		time = record->time - theirs->all[at].time;
		if (time > result->distance)
			result->distance = time;
		result->reordered += (size_t)at != progress.low;
		result->changed += changed;
		progress.taken[at] = true;
		if ((size_t)at < progress.first)
			progress.first = at;
		if ((size_t)at >= progress.end)
			progress.end = at + 1;
		while (progress.taken[progress.low])
			progress.low++;
	}
	for (size_t i = progress.first; i < progress.end; i++)
		passed_over += !progress.taken[i];
	/* A different record also counts as passed over. */
	if (passed_over > wrong) {
		printf("not ok %s:%s cpu%u: ktrace lacks %zu records\n",
		       kind->system, kind->name, cpu, passed_over - wrong);
		wrong = passed_over;
	}
	result->compared += ours->nr;
	result->different += wrong;
	for (unsigned int i = 0; i < kind->nr_fields; i++)
		result->strings += kind->fields[i].string ? ours->nr : 0;
	free(progress.taken);
}

/* ---- recording ------------------------------------------------------------ */

static void events_switch(char **systems, int nr, const char *on)
{
	char path[512];

	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), TRACEFS "/events/%s/enable",
			 systems[i]);
		write_file(path, on);
		snprintf(path, sizeof(path), KTRACE "/events/%s/enabled",
			 systems[i]);
		write_file(path, on);
	}
}

static void find_kinds(char **systems, int nr)
{
	for (int i = 0; i < nr; i++) {
		char path[512];
		struct dirent *entry;
		DIR *dir;

		snprintf(path, sizeof(path), KTRACE "/events/%s", systems[i]);
		dir = opendir(path);
		if (!dir)
			die("%s: %s", path, strerror(errno));
		while ((entry = readdir(dir))) {
			if (entry->d_name[0] == '.')
				continue;
			kinds = realloc(kinds, (nr_kinds + 1) * sizeof(*kinds));
			if (!kinds)
				die("no memory");
			nr_kinds += kind_read(&kinds[nr_kinds], systems[i],
					      entry->d_name);
		}
		closedir(dir);
	}
}

static void prepare(void)
{
	char *clock = read_file(KTRACE "/trace");

	write_file(TRACEFS "/tracing_on", "0");
	write_file(TRACEFS "/current_tracer", "nop");
	write_file(TRACEFS "/trace_clock",
		   clock && strstr(clock, "clock tsc") ? "x86-tsc" : "mono");
	write_file(TRACEFS "/buffer_size_kb", "98304");
	write_file(TRACEFS "/trace", "");
	write_file(KTRACE "/enabled", "0");
	write_file(KTRACE "/mode", "discard");
	write_file(KTRACE "/buffer_size", "67108864");
	free(clock);
}

static int run(char **command)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		die("cannot fork: %s", strerror(errno));
	if (!child) {
		execvp(command[0], command);
		_exit(127);
	}
	if (waitpid(child, &status, 0) < 0)
		die("cannot wait: %s", strerror(errno));
	return status;
}

int main(int argc, char **argv)
{
	struct result total = {0};
	unsigned int met = 0;
	int nr = 0;

	while (1 + nr < argc && strcmp(argv[1 + nr], "--"))
		nr++;
	if (!nr || 2 + nr >= argc)
		die("usage: compare SYSTEM... -- COMMAND [ARG...]");

	prepare();
	events_switch(argv + 1, nr, "1");
	write_file(TRACEFS "/tracing_on", "1");
	write_file(KTRACE "/enabled", "1");
	if (run(argv + 2 + nr))
		die("%s failed", argv[2 + nr]);
	write_file(KTRACE "/enabled", "0");
	write_file(TRACEFS "/tracing_on", "0");

	find_kinds(argv + 1, nr);
	ftrace_read();
	ktrace_read();
	events_switch(argv + 1, nr, "0");
	for (unsigned int i = 0; i < nr_kinds; i++) {
		struct result result = {0};

		for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
			kind_compare(&kinds[i], cpu, &result);
		if (!result.compared && !result.different)
			continue;
		printf("# %s:%s %zu, times differ by %llu at most\n",
		       kinds[i].system, kinds[i].name, result.compared,
		       (unsigned long long)result.distance);
		total.compared += result.compared;
		total.strings += result.strings;
		total.reordered += result.reordered;
		total.changed += result.changed;
		total.different += result.different;
		if (result.distance > total.distance)
			total.distance = result.distance;
		met++;
	}
	printf("%zu records of %u kinds of events compared, %zu strings among their fields; %zu in another order, %zu changed meanwhile, %zu different; times differ by %llu at most\n",
	       total.compared, met, total.strings, total.reordered,
	       total.changed, total.different,
	       (unsigned long long)total.distance);
	return total.different != 0;
}
