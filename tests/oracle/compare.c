// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * compare - ftrace and ktrace record the same events at the same time; do they
 * agree?
 *
 *   compare SYSTEM... -- COMMAND [ARG...]
 *
 * Both record all events of the systems while the command runs; ftrace is switched
 * on first and off last.  Then, for each kind of event on each CPU, our records
 * must be a part of ftrace's without a gap, equal in every field, strings
 * included.
 *
 * Only this is forgiven: an interrupt between the two tracers' probes of an event
 * makes one see the event before, and the other after the interrupt's own events.
 * So a record may be some places from where it should be, as long as each finds one
 * of its own.  How many were is told.
 *
 * Events are compared by tens of thousands; a single difference fails.
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
#define REORDER_MAX 16
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

/* What a field holds; of a string, what is before the NUL. */
static bool value_get(const struct field *field, const struct record *record,
		      unsigned int base, struct value *value)
{
	uint32_t where = field->offset, size = field->size, word;

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
	value->size = field->string ?
			      strnlen((const char *)value->bytes, size) :
			      size;
	return true;
}

/* NULL: they are equal; else the first field that is not. */
static const struct field *difference(const struct kind *kind,
				      const struct record *theirs,
				      const struct record *ours)
{
	for (unsigned int i = 0; i < kind->nr_fields; i++) {
		const struct field *field = &kind->fields[i];
		struct value a, b;

		if (!value_get(field, theirs, FTRACE_HEADER, &a) ||
		    !value_get(field, ours, 0, &b) || a.size != b.size ||
		    memcmp(a.bytes, b.bytes, a.size))
			return field;
	}
	return NULL;
}

static void print_value(const struct field *field, const struct record *record,
			unsigned int base)
{
	struct value value;

	if (!value_get(field, record, base, &value)) {
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

static void print_difference(const struct kind *kind, unsigned int cpu,
			     const struct field *field,
			     const struct record *theirs,
			     const struct record *ours)
{
	printf("not ok %s:%s cpu%u %s: ftrace has ", kind->system, kind->name,
	       cpu, field->name);
	print_value(field, theirs, FTRACE_HEADER);
	printf(", ktrace ");
	print_value(field, ours, 0);
	putchar('\n');
}

/* The record of theirs, near @want and not yet taken, that is equal to @ours. */
static long find_near(const struct kind *kind, const struct records *theirs,
		      const bool *taken, long want, const struct record *ours)
{
	for (long away = 0; away <= REORDER_MAX; away++) {
		for (int side = -1; side <= 1; side += 2) {
			long at = want + side * away;

			if (at >= 0 && at < (long)theirs->nr && !taken[at] &&
			    !difference(kind, &theirs->all[at], ours))
				return at;
		}
	}
	return -1;
}

/*
 * Matches our records, the first one to the one at @start of theirs.  Returns how
 * many did not find one.
 */
static size_t match(const struct kind *kind, unsigned int cpu, size_t start,
		    struct result *result, bool show)
{
	const struct records *theirs = &kind->ftrace[cpu];
	const struct records *ours = &kind->ktrace[cpu];
	bool *taken = calloc(theirs->nr + 1, sizeof(*taken));
	size_t wrong = 0;

	if (!taken)
		die("no memory");
	for (size_t i = 0; i < ours->nr; i++) {
		long want = start + i;
		long at = find_near(kind, theirs, taken, want, &ours->all[i]);
		uint64_t a, b = ours->all[i].time;

		if (at >= 0) {
			taken[at] = true;
			a = theirs->all[at].time;
			result->reordered += at != want;
			if ((a > b ? a - b : b - a) > result->distance)
				result->distance = a > b ? a - b : b - a;
			continue;
		}
		if (wrong++ < SHOWN_MAX && show) {
			const struct record *record = &theirs->all[want];

			if (want < (long)theirs->nr)
				print_difference(kind, cpu,
						 difference(kind, record,
							    &ours->all[i]) ?:
							 kind->fields,
						 record, &ours->all[i]);
			else
				printf("not ok %s:%s cpu%u: ftrace has no more\n",
				       kind->system, kind->name, cpu);
		}
	}
	/* What we have passed over. */
	for (size_t i = start; i < start + ours->nr && i < theirs->nr; i++) {
		if (!taken[i] && !wrong) {
			wrong++;
			if (show)
				printf("not ok %s:%s cpu%u: ktrace lacks a record\n",
				       kind->system, kind->name, cpu);
		}
	}
	free(taken);
	return wrong;
}

/*
 * Both clocks are the same, so our first record is the one of theirs that is
 * nearest in time, or near that.
 */
void kind_compare(const struct kind *kind, unsigned int cpu,
		  struct result *result)
{
	const struct records *theirs = &kind->ftrace[cpu];
	const struct records *ours = &kind->ktrace[cpu];
	struct result best = { .different = SIZE_MAX };
	size_t nearest = 0, best_start = 0, from;

	if (!ours->nr)
		return;
	while (nearest < theirs->nr &&
	       theirs->all[nearest].time < ours->all[0].time)
		nearest++;
	from = nearest > REORDER_MAX ? nearest - REORDER_MAX : 0;
	for (size_t start = from; start <= nearest + REORDER_MAX; start++) {
		struct result tried = { 0 };

		if (start + ours->nr > theirs->nr)
			break;
		tried.different = match(kind, cpu, start, &tried, false);
		if (tried.different < best.different ||
		    (tried.different == best.different &&
		     tried.reordered < best.reordered)) {
			best = tried;
			best_start = start;
		}
		if (!best.different && !best.reordered)
			break;
	}
	if (best.different == SIZE_MAX) {
		printf("not ok %s:%s cpu%u: ktrace has %zu records, ftrace %zu\n",
		       kind->system, kind->name, cpu, ours->nr, theirs->nr);
		result->different += ours->nr;
		return;
	}
	if (best.different)
		match(kind, cpu, best_start, &(struct result){ 0 }, true);
	result->compared += ours->nr;
	result->reordered += best.reordered;
	result->different += best.different;
	if (best.distance > result->distance)
		result->distance = best.distance;
	for (unsigned int i = 0; i < kind->nr_fields; i++)
		result->strings += kind->fields[i].string ? ours->nr : 0;
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
			if (entry->d_name[0] == '.' || entry->d_type != DT_DIR)
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
	struct result total = { 0 };
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
		size_t before = total.compared;

		for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
			kind_compare(&kinds[i], cpu, &total);
		if (total.compared == before)
			continue;
		printf("# %s:%s %zu\n", kinds[i].system, kinds[i].name,
		       total.compared - before);
		met++;
	}
	printf("%zu records of %u kinds of events compared, %zu strings among their fields; %zu in another order, %zu different; times differ by %llu at most\n",
	       total.compared, met, total.strings, total.reordered,
	       total.different, (unsigned long long)total.distance);
	return total.different != 0;
}
