// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * compare TRACE CALLS TABLE COUNTS MARKER - compares the calls of functions in a trace with
 * those that the emulator has seen
 *
 * CALLS	what plugin.c has written: calls from the first one of MARKER on, in their order
 * TABLE	the file function_table of the session: which function has which index
 * COUNTS	what work.c has written: how many calls were missed, before and after two
 *		calls of MARKER, and which two these are.  What is between them is compared
 *
 * There is one processor, so both have one order.  They differ in two ways:
 *
 *  - A call is not in the trace.  Then a hook was running already (recursion), or half of the
 *    stack was used up, and ktrace has counted it.  How many there are is known from both
 *    sides, and must be the same.  There are a few more reasons, which the emulator cannot
 *    see: there may not be more of such calls than ktrace has counted for these.
 *  - An interrupt comes when a function has been called, but the place of its record is not
 *    taken yet.  Then the calls of the interrupt are in front of it; and if it was the end of
 *    the task's turn, those of other tasks.
 *
 * Functions are joined by their addresses, because several have the same name.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <ktrace/trace.h>

#include "log.h"

#define AHEAD	    3000 /* how far the call of the next record may be */
#define SHOWN	    30	 /* lines of what is wrong */
#define STACK_SIZE  16384
#define FRAME	    256 /* of a trampoline, at most */
#define REASONS_MAX 16

struct function {
	uint64_t address;
	char *name;
	uint32_t *calls;	  /* in the log */
	uint32_t nr_calls, first; /* those before are matched */
	uint32_t nr_recorded, nr_words;
	uint32_t missed, unexplained;
	bool compared; /* arguments, of a call at least */
};

static struct function *functions; /* by address */
static size_t nr_functions;
static struct function **by_index;
static size_t nr_indices;

static const struct log_call *calls;
static size_t nr_calls;
static size_t nr_before; /* calls before the marker at the begin */
static bool *matched;
static unsigned int begin_marker, end_marker; /* numbers of calls */
static size_t next; /* behind the last one that is matched */

static uint64_t nr_foreign, nr_records, nr_words, nr_late, nr_lost;
static uint64_t nr_wrong; /* what must not be */

static void die(const char *what)
{
	fprintf(stderr, "compare: %s\n", what);
	exit(2);
}

static void *more(void *array, size_t nr, size_t size)
{
	/* Twice the room at each power of two. */
	if (nr & (nr - 1))
		return array;
	array = realloc(array, 2 * (nr + !nr) * size);
	if (!array)
		die("out of memory");
	return array;
}

/* ---- functions ------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct function *f = a, *g = b;

	return (f->address > g->address) - (f->address < g->address);
}

static struct function *function_at(uint64_t address)
{
	const struct function key = {.address = address};

	return bsearch(&key, functions, nr_functions, sizeof(key), by_address);
}

/* Rows of one function have one address: it had another index before. */
static void functions_sort(void)
{
	size_t nr = 0;

	qsort(functions, nr_functions, sizeof(*functions), by_address);
	for (size_t i = 0; i < nr_functions; i++)
		if (!nr || functions[nr - 1].address != functions[i].address)
			functions[nr++] = functions[i];
	nr_functions = nr;
}

static void table_read(const char *path)
{
	FILE *file = fopen(path, "r");
	uint64_t *addresses = NULL, address;
	char line[4096], name[1024];
	unsigned int index;

	if (!file)
		die("the table of functions cannot be read");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%u %*s 0x%" SCNx64 " %*s %1023s", &index,
			   &address, name) != 3 ||
		    index != nr_indices || !address)
			die("the table of functions is not as expected");
		addresses = more(addresses, nr_indices, sizeof(*addresses));
		addresses[nr_indices++] = address;
		functions = more(functions, nr_functions, sizeof(*functions));
		functions[nr_functions++] = (struct function){
			.address = address, .name = strdup(name)};
	}
	fclose(file);
	functions_sort();
	by_index = calloc(nr_indices + 1, sizeof(*by_index));
	for (size_t i = 0; by_index && i < nr_indices; i++)
		by_index[i] = function_at(addresses[i]);
	free(addresses);
}

/* ---- what the emulator saw ------------------------------------------------- */

/* What is not between the markers is left out. */
static void calls_cut(const char *marker)
{
	size_t begin = 0, end = 0;
	unsigned int markers = 0;

	for (size_t i = 0; i < nr_calls; i++) {
		const struct function *f = function_at(calls[i].address);

		if (!f || strcmp(f->name, marker))
			continue;
		if (markers == begin_marker)
			begin = i + 1;
		if (markers++ == end_marker)
			end = i;
	}
	if (begin >= end)
		die("the emulator has not seen the markers");
	calls += begin;
	nr_calls = end - begin;
	nr_before = begin - 1;
}

static void calls_read(const char *path, const char *marker)
{
	int fd = open(path, O_RDONLY);
	struct stat about;

	if (fd < 0 || fstat(fd, &about) || !about.st_size ||
	    about.st_size % sizeof(*calls))
		die("the emulator's calls cannot be read: was the marker called?");
	calls = mmap(NULL, about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	nr_calls = about.st_size / sizeof(*calls);
	if (calls == MAP_FAILED)
		die("out of memory");
	calls_cut(marker);
	matched = calloc(nr_calls, sizeof(*matched));
	if (!matched)
		die("out of memory");
	for (size_t i = 0; i < nr_calls; i++) {
		struct function *f = function_at(calls[i].address);

		if (!f) {
			nr_foreign++;
			matched[i] = true;
			continue;
		}
		f->calls = more(f->calls, f->nr_calls, sizeof(*f->calls));
		f->calls[f->nr_calls++] = i;
	}
}

/* May it be missed? */
static bool is_excused(const struct log_call *call)
{
	return call->flags & LOG_HOOK ||
	       (call->flags & LOG_KNOWN &&
		call->rsp % STACK_SIZE < STACK_SIZE / 2 + FRAME);
}

/* ---- records --------------------------------------------------------------- */

struct record {
	struct function *function;
	uint64_t words[LOG_REGISTERS];
	unsigned int nr_words; /* that were in registers */
};

/* kernel/source/function/README.md has the layout. */
static void record_read(struct record *to, const struct ktrace_event *event)
{
	uint32_t index, place;
	size_t begin, size;

	if (event->size < sizeof(index))
		die("a record is too short");
	memcpy(&index, event->payload, sizeof(index));
	if (index >= nr_indices)
		die("a record has an index that is not in the table");
	*to = (struct record){.function = by_index[index]};
	if (event->size < 2 * sizeof(uint32_t))
		return;
	memcpy(&place, event->payload + sizeof(index), sizeof(place));
	begin = place & 0xffff;
	size = place >> 16;
	if (begin + size > event->size)
		die("a record is too short for its words");
	if (size > sizeof(to->words))
		size = sizeof(to->words);
	memcpy(to->words, event->payload + begin, size);
	to->nr_words = size / sizeof(*to->words);
}

static bool is_same(const struct record *record, const struct log_call *call)
{
	return !(call->flags & LOG_KNOWN) ||
	       !memcmp(record->words, call->registers,
		       record->nr_words * sizeof(*record->words));
}

static void wrong(const char *what, const struct record *record)
{
	if (nr_wrong++ >= SHOWN)
		return;
	printf("# WRONG: %s: %s(", what, record->function->name);
	for (unsigned int i = 0; i < record->nr_words; i++)
		printf("%s%" PRIx64, i ? ", " : "", record->words[i]);
	puts(")");
}

/*
 * The call of a record; NULL: there is none.  It is the next one.  If it is not, it was one
 * that an interrupt has delayed.  If it is not that either, those up to it are delayed, or were
 * missed.
 */
static const uint32_t *call_find(const struct record *record, bool any_words)
{
	struct function *f = record->function;
	const uint32_t *delayed = NULL;

	while (f->first < f->nr_calls && matched[f->calls[f->first]])
		f->first++;
	while (next < nr_calls && matched[next])
		next++;
	for (uint32_t i = f->first; i < f->nr_calls; i++) {
		uint32_t call = f->calls[i];

		if (call >= next + AHEAD || (call > next && delayed))
			break;
		if (matched[call] ||
		    !(any_words || is_same(record, &calls[call])))
			continue;
		if (call >= next)
			return &f->calls[i];
		delayed = &f->calls[i];
	}
	return delayed;
}

static void record_match(const struct record *record)
{
	const uint32_t *call = call_find(record, false);

	nr_records++;
	record->function->nr_recorded++;
	if (!call) {
		call = call_find(record, true);
		wrong(call ? "these were not the arguments"
			   : "it was not called so often",
		      record);
		if (!call)
			return;
	}
	matched[*call] = true;
	if (*call < next)
		nr_late++;
	else
		next = *call + 1;
	if (!(calls[*call].flags & LOG_KNOWN))
		return;
	nr_words += record->nr_words;
	record->function->compared |= record->nr_words > 0;
	if (record->nr_words > record->function->nr_words)
		record->function->nr_words = record->nr_words;
}

/* ---- interrupts at the markers --------------------------------------------- */

/*
 * An interrupt may come between the call of a marker and its record, too.  Then its records are in front
 * of that, and its calls behind.  So the last records wait here until it is known on which side
 * they are.
 */
static struct record waiting[2 * AHEAD];
static size_t nr_waiting;

static void waiting_drop(size_t nr)
{
	nr_waiting -= nr;
	memmove(waiting, waiting + nr, nr_waiting * sizeof(*waiting));
}

/* The calls of an interrupt are more than these. */
#define ALIKE_MIN 8

/* May the call have no record? */
static bool is_skipped(const struct log_call *call)
{
	return !function_at(call->address) || call->flags & LOG_HOOK;
}

/*
 * Are @nr records, from @record on in steps of @step, those of the calls from @call on?  There are @left
 * calls in this direction.
 */
static bool are_alike_from(const struct record *record, size_t nr,
			   const struct log_call *call, size_t left, int step)
{
	for (; nr; nr--, record += step, call += step, left--) {
		while (left && function_at(call->address) != record->function &&
		       is_skipped(call)) {
			call += step;
			left--;
		}
		if (!left || function_at(call->address) != record->function)
			return false;
	}
	return true;
}

/* The last @nr of them are what the emulator has seen first behind the marker. */
static bool are_behind(size_t nr)
{
	return are_alike_from(&waiting[nr_waiting - nr], nr, calls, nr_calls,
			      1);
}

/* The last ones but @nr are what the emulator has seen last, before the call at @last. */
static bool are_before(const struct log_call *last, size_t left, size_t nr)
{
	return nr_waiting >= nr + ALIKE_MIN &&
	       are_alike_from(&waiting[nr_waiting - nr - 1], ALIKE_MIN, last,
			      left, -1);
}

/* Behind the marker: only those stay that are late. */
static void begin_reached(void)
{
	size_t nr = nr_waiting < nr_calls ? nr_waiting : nr_calls;

	/* calls[-1] is the marker; before the first one, the emulator has written nothing. */
	if (begin_marker && are_before(calls - 2, nr_before, 0))
		nr = 0;
	while (nr && !are_behind(nr))
		nr--;
	if (nr < ALIKE_MIN)
		nr = 0;
	waiting_drop(nr_waiting - nr);
}

static void end_reached(void)
{
	size_t nr = 0;

	while (nr < nr_waiting &&
	       !are_before(&calls[nr_calls - 1], nr_calls, nr))
		nr++;
	/* If none fits, a call before the marker was missed. */
	if (nr == nr_waiting || nr < ALIKE_MIN)
		nr = 0;
	for (size_t i = 0; i < nr_waiting - nr; i++)
		record_match(&waiting[i]);
	nr_waiting = 0;
}

static void record_wait(const struct record *record, bool inside)
{
	if (nr_waiting == 2 * AHEAD) {
		for (size_t i = 0; inside && i < AHEAD; i++)
			record_match(&waiting[i]);
		waiting_drop(AHEAD);
	}
	waiting[nr_waiting++] = *record;
}

static void trace_read(const char *path, const char *marker)
{
	struct ktrace_cursor *cursor;
	unsigned int markers = 0;
	bool inside = false;
	struct ktrace *trace;
	int item;

	if (ktrace_open(path, &trace) ||
	    ktrace_cursor_create(trace, NULL, &cursor))
		die(ktrace_last_error());
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		const struct ktrace_event *event;
		struct record record;

		if (item == KTRACE_LOSS) {
			if (inside)
				nr_lost += ktrace_cursor_loss(cursor)->count;
			continue;
		}
		event = ktrace_cursor_event(cursor);
		if (strcmp(event->type->system, "function"))
			continue;
		record_read(&record, event);
		if (!strcmp(record.function->name, marker)) {
			if (markers == begin_marker)
				begin_reached();
			if (markers == end_marker)
				end_reached();
			inside =
				markers >= begin_marker && markers < end_marker;
			/* Markers within are calls like others. */
			if (markers++ == begin_marker)
				continue;
		}
		record_wait(&record, inside);
	}
	if (item < 0)
		die(ktrace_last_error());
	if (markers <= end_marker)
		die("the trace does not have the markers");
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
}

/* ---- what is missing ------------------------------------------------------- */

static bool are_alike(const struct function *f, uint32_t a, uint32_t b)
{
	return !memcmp(calls[a].registers, calls[b].registers,
		       f->nr_words * sizeof(*calls->registers));
}

/*
 * A call that was missed may have got the record of the next one that is alike, that one the record
 * of the one behind it, and so on: then another call is left over.  So the calls that are alike are
 * followed in both directions, as far as each could get its neighbour's record.
 */
static bool alike_exchange(const struct function *f, uint32_t missed, int step)
{
	uint32_t last = f->calls[missed], call;

	for (uint32_t i = missed + step; i < f->nr_calls; i += step) {
		call = f->calls[i];
		if (call + AHEAD < last || call > last + AHEAD)
			break;
		if (!are_alike(f, call, last))
			continue;
		if (matched[call] && is_excused(&calls[call])) {
			matched[call] = false;
			matched[f->calls[missed]] = true;
			return true;
		}
		last = call;
	}
	return false;
}

static void function_misses(struct function *f)
{
	for (uint32_t i = 0; i < f->nr_calls; i++)
		f->missed += !matched[f->calls[i]];
	for (uint32_t i = 0; i < f->nr_calls; i++) {
		uint32_t call = f->calls[i];

		if (!matched[call] && !is_excused(&calls[call]) &&
		    !alike_exchange(f, i, -1) && !alike_exchange(f, i, 1))
			f->unexplained++;
	}
}

/* ---- what ktrace counted --------------------------------------------------- */

struct reason {
	char name[32];
	uint64_t at[4];
};

static struct reason reasons[REASONS_MAX]; /* the first: all of them */
static size_t nr_reasons;

static void reason_add(const char *name, unsigned int at, uint64_t count)
{
	size_t i;

	for (i = 0; i < nr_reasons && strcmp(reasons[i].name, name); i++)
		;
	if (i == REASONS_MAX)
		die("there are too many reasons");
	if (i == nr_reasons)
		snprintf(reasons[nr_reasons++].name, sizeof(reasons->name),
			 "%s", name);
	reasons[i].at[at] = count;
}

/* Lines "begin N", "end N", "at N" and "source function missed N REASON N...". */
static void counts_read(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[4096], name[32];
	unsigned int at = 0;

	if (!file)
		die("the counts of what was missed cannot be read");
	while (fgets(line, sizeof(line), file)) {
		const char *word = line + strlen("source function");
		uint64_t count;
		int size;

		sscanf(line, "begin %u", &begin_marker);
		sscanf(line, "end %u", &end_marker);
		sscanf(line, "at %u", &at);
		if (at > 3 || strncmp(line, "source function ", 16))
			continue;
		while (sscanf(word, "%31s %" SCNu64 "%n", name, &count,
			      &size) == 2) {
			reason_add(name, at, count);
			word += size;
		}
	}
	fclose(file);
	if (!nr_reasons)
		die("there are no counts of what was missed");
}

/* Between the markers, at least and at most. */
static uint64_t reason_least(const struct reason *reason)
{
	return reason->at[2] - reason->at[1];
}

static uint64_t reason_most(const struct reason *reason)
{
	return reason->at[3] - reason->at[0];
}

/*
 * Reasons that cannot be seen from outside: RCU does not watch; or the stack is not that of the
 * task, because the kernel is just switching to another one.
 */
static uint64_t unseen_most(void)
{
	uint64_t most = 0;

	for (size_t i = 1; i < nr_reasons; i++)
		if (strcmp(reasons[i].name, "recursion"))
			most += reason_most(&reasons[i]);
	return most;
}

/* ---- sums ------------------------------------------------------------------ */

static void failure(const char *what)
{
	printf("# WRONG: %s\n", what);
	nr_wrong++;
}

int main(int argc, char **argv)
{
	uint64_t called = 0, equal = 0, missed = 0, unexplained = 0;
	uint64_t compared = 0, unknown = 0, hooks = 0;

	if (argc != 6)
		die("usage: compare TRACE CALLS TABLE COUNTS MARKER");
	table_read(argv[3]);
	counts_read(argv[4]);
	calls_read(argv[2], argv[5]);
	trace_read(argv[1], argv[5]);
	for (size_t i = 0; i < nr_calls; i++) {
		if (!function_at(calls[i].address))
			continue;
		unknown += !(calls[i].flags & LOG_KNOWN);
		hooks += (calls[i].flags & LOG_HOOK) > 0;
	}
	for (size_t i = 0; i < nr_functions; i++) {
		struct function *f = &functions[i];

		function_misses(f);
		called += f->nr_calls > 0;
		equal += f->nr_calls && !f->missed;
		compared += f->compared;
		missed += f->missed;
		unexplained += f->unexplained;
		if (f->missed)
			printf("# %s: %u calls, %u recorded, %u missed%s\n",
			       f->name, f->nr_calls, f->nr_recorded, f->missed,
			       f->unexplained ? ", not in a hook" : "");
	}
	printf("functions %zu: called %" PRIu64 ", equal %" PRIu64
	       ", with missed calls %" PRIu64 "\n",
	       nr_functions, called, equal, called - equal);
	printf("calls %" PRIu64 ": recorded %" PRIu64 ", missed %" PRIu64
	       ", not in a hook %" PRIu64 ", lost %" PRIu64 ", late %" PRIu64
	       "; in hooks %" PRIu64 ", of what cannot be hooked %" PRIu64 "\n",
	       nr_calls - nr_foreign, nr_records, missed, unexplained, nr_lost,
	       nr_late, hooks, nr_foreign);
	printf("arguments %" PRIu64 ": of functions %" PRIu64
	       ", calls without registers %" PRIu64 "\n",
	       nr_words, compared, unknown);
	for (size_t i = 0; i < nr_reasons; i++)
		if (reason_most(&reasons[i]))
			printf("counted %s: from %" PRIu64 " to %" PRIu64 "\n",
			       reasons[i].name, reason_least(&reasons[i]),
			       reason_most(&reasons[i]));
	if (unexplained > unseen_most())
		failure("calls were missed without a reason");
	if (missed < reason_least(&reasons[0]) ||
	    missed > reason_most(&reasons[0]))
		failure("ktrace has counted other misses");
	if (nr_lost)
		failure("events were lost: the buffer is too small");
	printf("wrong %" PRIu64 "\n", nr_wrong);
	return nr_wrong > 0;
}
