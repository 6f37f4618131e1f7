// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * judge - have ktrace and another tool seen the same stacks of a program?
 *
 *   judge TRACE NAME perf|gdb <TEXT
 *
 * TRACE is what ktrace has recorded, TEXT what the other one has seen at the same time, as
 *
 *   perf script --no-inline -F tid,event,trace,ip,sym,symoff,dso
 *
 * prints it; gdb.awk makes the same of what gdb says.  The events are raw_syscalls:sys_enter
 * and sched:sched_switch.  The other one has some threads only, and those not from their
 * beginning to their end, and may have some system calls only.  So its events of a thread must
 * be found among ktrace's of such calls, without a gap: the calls and all their arguments.
 *
 * A frame is a file and the offset in it.  perf unwinds a copy of the stack afterwards, with
 * libunwind; it shows the byte before a return address.
 *
 * Prints a line for each kind of difference, with an example, and one for all:
 *
 *   sum NAME STACKS SWITCHES EQUAL GUESSED LONGER UNJUDGED INCOMPLETE MARKED WRONG UNPAIRED
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <ktrace/trace.h>

#define WORDS	   7 /* of a system call: its number and arguments */
#define FRAMES_MAX 512
#define CALLS_MAX  1024

static void __attribute__((noreturn, format(printf, 1, 2)))
die(const char *format, ...)
{
	va_list args;

	fputs("judge: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

/* A frame as the other one tells it. */
struct frame {
	uint64_t address; /* in the file; in the process if there is none */
	char *file;
	char *line; /* to be shown */
};

struct event {
	uint32_t tid;
	size_t order;
	bool call; /* else a switch */
	uint64_t words[WORDS];
	/* of the other one */
	struct frame *frames;
	uint32_t nr;
	/* of ktrace */
	uint32_t stack;
};

struct events {
	struct event *all;
	size_t nr, room;
};

static struct event *event_add(struct events *events)
{
	struct event *event;

	if (events->nr == events->room) {
		events->room = events->room ? 2 * events->room : 4096;
		events->all = reallocarray(events->all, events->room,
					   sizeof(*events->all));
		if (!events->all)
			die("out of memory");
	}
	event = &events->all[events->nr];
	*event = (struct event){.order = events->nr++};
	return event;
}

/* By thread, and in a thread by time. */
static int event_order(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void events_sort(struct events *events)
{
	if (events->nr)
		qsort(events->all, events->nr, sizeof(*events->all),
		      event_order);
}

static bool event_same(const struct event *x, const struct event *y)
{
	return x->call == y->call &&
	       !memcmp(x->words, y->words, sizeof(x->words));
}

/* ---- the other's ------------------------------------------------------------------- */

/* "   1fc47 brk+0x7 (/usr/lib/x86_64-linux-gnu/libc.so.6)" */
static bool frame_parse(char *line, struct frame *frame)
{
	char *end, *file, *close;

	errno = 0;
	frame->address = strtoull(line, &end, 16);
	if (end == line || errno)
		return false;
	close = strrchr(line, ')');
	file = close;
	while (file && file > line && !(file[0] == '(' && file[-1] == ' '))
		file--;
	if (!file || file == line)
		return false;
	frame->line = strdup(line + strspn(line, " \t"));
	frame->file = strndup(file + 1, close - file - 1);
	if (!frame->line || !frame->file)
		die("out of memory");
	return true;
}

/* " 1234 raw_syscalls:sys_enter: NR 12 (0, 7ffd19b7b10c, 0, 37f, 0, 0)" */
static bool head_parse(const char *line, struct event *event)
{
	unsigned int tid;
	char name[64];
	int at;

	if (sscanf(line, " %u %63[^ ] %n", &tid, name, &at) != 2)
		return false;
	event->tid = tid;
	if (!strcmp(name, "sched:sched_switch:"))
		return true;
	event->call = true;
	return !strcmp(name, "raw_syscalls:sys_enter:") &&
	       sscanf(line + at,
		      "NR %" SCNd64 " (%" SCNx64 ", %" SCNx64 ", %" SCNx64
		      ", %" SCNx64 ", %" SCNx64 ", %" SCNx64 ")",
		      (int64_t *)&event->words[0], &event->words[1],
		      &event->words[2], &event->words[3], &event->words[4],
		      &event->words[5], &event->words[6]) == WORDS;
}

static void theirs_read(struct events *events)
{
	static struct frame frames[FRAMES_MAX];
	struct event *event = NULL;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	while ((length = getline(&line, &room, stdin)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!*line) {
			event = NULL;
		} else if (*line != '\t') {
			event = event_add(events);
			if (!head_parse(line, event))
				die("a line is of another form: %s", line);
		} else {
			if (!event || event->nr == FRAMES_MAX ||
			    !frame_parse(line + 1, &frames[event->nr]))
				die("a frame is of another form: %s", line);
			/* It has no more of the stack: more was used than it copies. */
			if (frames[event->nr].address == UINT64_MAX)
				continue;
			event->nr++;
			event->frames = reallocarray(event->frames, event->nr,
						     sizeof(*frames));
			if (!event->frames)
				die("out of memory");
			event->frames[event->nr - 1] = frames[event->nr - 1];
		}
	}
	free(line);
	events_sort(events);
}

/* ---- ktrace's ----------------------------------------------------------------- */

static void words_get(const struct ktrace_event *from, struct event *event)
{
	const struct ktrace_field *args = ktrace_field_find(from->type, "args");
	const struct ktrace_field *id = ktrace_field_find(from->type, "id");
	const uint8_t *bytes;
	size_t size;

	if (!args || !id)
		die("the event has not the fields id and args");
	bytes = ktrace_field_bytes(from, args, &size);
	if (size != (WORDS - 1) * sizeof(uint64_t))
		die("a system call has %zu bytes of arguments", size);
	event->words[0] = ktrace_field_int(from, id);
	memcpy(&event->words[1], bytes, size);
}

/* Which events the other one has. */
struct wanted {
	bool switches;
	bool calls[CALLS_MAX];
};

static void wanted_set(struct wanted *wanted, const struct events *theirs)
{
	for (size_t i = 0; i < theirs->nr; i++) {
		const struct event *event = &theirs->all[i];

		if (!event->call)
			wanted->switches = true;
		else if (event->words[0] < CALLS_MAX)
			wanted->calls[event->words[0]] = true;
	}
}

static bool wants(const struct wanted *wanted, const struct event *event)
{
	if (!event->call)
		return wanted->switches;
	return event->words[0] < CALLS_MAX && wanted->calls[event->words[0]];
}

static void ours_read(struct ktrace *trace, const struct wanted *wanted,
		      struct events *events)
{
	struct ktrace_cursor *cursor;
	struct ktrace_stack stack;
	int item;

	if (ktrace_cursor_create(trace, NULL, &cursor))
		die("the trace cannot be read");
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		const struct ktrace_event *from = ktrace_cursor_event(cursor);
		struct event *event;

		if (item == KTRACE_LOSS)
			die("ktrace has lost events");
		if (!ktrace_event_user_stack(trace, from, &stack))
			die("%s has no stack", from->type->name);
		event = event_add(events);
		event->tid = from->tid;
		event->stack = stack.id;
		event->call = !strcmp(from->type->name, "sys_enter");
		if (event->call)
			words_get(from, event);
		if (!wants(wanted, event))
			events->nr--;
	}
	if (item < 0)
		die("the trace cannot be read to its end");
	ktrace_cursor_destroy(cursor);
	events_sort(events);
}

/* ---- which are the same events ------------------------------------------------ */

/* How many of the events, which are sorted, are of the first one's thread. */
static size_t thread_count(const struct event *event, size_t nr)
{
	size_t n = 0;

	while (n < nr && event[n].tid == event->tid)
		n++;
	return n;
}

static bool all_same(const struct event *theirs, const struct event *ours,
		     size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!event_same(&theirs[i], &ours[i]))
			return false;
	return true;
}

/* Where in ours theirs begin.  NULL: nowhere. */
static const struct event *place_find(const struct event *theirs, size_t nr,
				      const struct event *ours, size_t nr_ours)
{
	for (; nr_ours >= nr; ours++, nr_ours--)
		if (all_same(theirs, ours, nr))
			return ours;
	return NULL;
}

/* ---- the judgement ------------------------------------------------------------ */

enum verdict {
	EQUAL,	  /* complete, and each frame is the same */
	GUESSED,  /* the same, but some frames were told by no table */
	LONGER,	  /* complete; the other's is the inner part of it */
	UNJUDGED, /* the other one cannot tell */
	PARTIAL, /* the same as far as it goes, and it says why it does not go on */
	MARKED, /* a frame differs, which is or follows one that is marked as a guess */
	WRONG, /* a frame differs, or the stack has an end that it has not */
	VERDICTS,
};

static const char *const verdicts[VERDICTS] = {
	"equal",    "equal with guesses", "the other's ends before",
	"unjudged", "incomplete",	  "wrong and marked",
	"WRONG",
};

/* What is counted and shown apart. */
struct kind {
	enum verdict verdict;
	char text[2048];
	size_t count;
};

static struct kind kinds[512];
static unsigned int nr_kinds;

/* How many there were of this kind before. */
static size_t kind_count(enum verdict verdict, const char *text)
{
	for (unsigned int i = 0; i < nr_kinds; i++)
		if (kinds[i].verdict == verdict && !strcmp(kinds[i].text, text))
			return kinds[i].count++;
	if (nr_kinds < sizeof(kinds) / sizeof(*kinds)) {
		struct kind *kind = &kinds[nr_kinds++];

		kind->verdict = verdict;
		kind->count = 1;
		snprintf(kind->text, sizeof(kind->text), "%s", text);
	}
	return 0;
}

static bool frame_same(const struct frame *theirs,
		       const struct ktrace_stack_frame *ours, bool innermost)
{
	/* Code that was made at run time is in no file: perf says which file names it. */
	bool made = ours->file && !strcmp(ours->file, "[jit]") &&
		    !strncmp(theirs->file, "/tmp/perf-", strlen("/tmp/perf-"));

	if (ours->file && !made && strcmp(ours->file, theirs->file))
		return false;
	return theirs->address == ours->address ||
	       (!innermost && theirs->address + 1 == ours->address);
}

static const char *ours_text(const struct ktrace_stack_frame *frame)
{
	static char text[1024];

	snprintf(text, sizeof(text), "%#" PRIx64 " %.200s (%.400s)%s",
		 frame->address, frame->function ? frame->function : "?",
		 frame->file ? frame->file : "no file",
		 frame->guess ? " [guess]" : "");
	return text;
}

static void stacks_show(const struct ktrace *trace, const struct event *theirs,
			const struct ktrace_stack *ours)
{
	struct ktrace_stack_frame frame;
	const char *end = ktrace_stack_end_text(ours->end);

	printf("#     ktrace: %s\n", end ? end : "complete");
	for (uint32_t i = 0; i < ours->nr; i++) {
		ktrace_stack_frame(trace, ours, i, &frame);
		printf("#       %s\n", ours_text(&frame));
	}
	puts("#     the other one:");
	for (uint32_t i = 0; i < theirs->nr; i++)
		printf("#       %s\n", theirs->frames[i].line);
}

static enum verdict judge(const struct ktrace *trace,
			  const struct event *theirs,
			  const struct ktrace_stack *ours, bool by_perf,
			  char *cause, size_t size)
{
	const char *end = ktrace_stack_end_text(ours->end);
	struct ktrace_stack_frame frame = {0};
	bool guess = false;
	uint32_t i = 0;

	/*
	 * The call is the last instruction of the function that ends a signal.  libunwind looks
	 * up the one behind it, finds nothing, and guesses.
	 */
	if (by_perf && theirs->call && theirs->words[0] == SYS_rt_sigreturn)
		return UNJUDGED;
	for (; i < ours->nr; i++) {
		ktrace_stack_frame(trace, ours, i, &frame);
		guess |= frame.guess;
		if (i == theirs->nr)
			break;
		if (!frame_same(&theirs->frames[i], &frame, !i)) {
			snprintf(cause, size, "at %s", ours_text(&frame));
			return guess ? MARKED : WRONG;
		}
	}
	if (ours->end != KTRACE_STACK_COMPLETE) {
		snprintf(cause, size, "%s: %.200s (%.400s)",
			 end ? end : "no cause",
			 frame.guess	  ? "behind a guess"
			 : frame.function ? frame.function
					  : "?",
			 frame.guess || !frame.file ? "-" : frame.file);
		return PARTIAL;
	}
	if (ours->nr > theirs->nr) {
		snprintf(cause, size, "%s", ours_text(&frame));
		return LONGER;
	}
	if (ours->nr < theirs->nr) {
		snprintf(cause, size, "ends behind %s", ours_text(&frame));
		return guess ? MARKED : WRONG;
	}
	return guess ? GUESSED : EQUAL;
}

int main(int argc, char **argv)
{
	struct events theirs = {0}, ours = {0};
	size_t sums[VERDICTS] = {0}, switches = 0, unpaired = 0, at = 0, nr;
	struct wanted wanted = {0};
	struct ktrace *trace;

	if (argc != 4)
		die("usage: judge TRACE NAME perf|gdb <TEXT");
	if (ktrace_open(argv[1], &trace))
		die("there is no trace %s", argv[1]);
	theirs_read(&theirs);
	wanted_set(&wanted, &theirs);
	ours_read(trace, &wanted, &ours);

	for (size_t i = 0; i < theirs.nr; i += nr) {
		const struct event *thread = &theirs.all[i], *same;

		nr = thread_count(thread, theirs.nr - i);
		while (at < ours.nr && ours.all[at].tid < thread->tid)
			at++;
		same = place_find(thread, nr, &ours.all[at],
				  thread_count(&ours.all[at], ours.nr - at));
		if (!same || ours.all[at].tid != thread->tid) {
			printf("#   thread %" PRIu32
			       ": %zu events are not found\n",
			       thread->tid, nr);
			unpaired += nr;
			continue;
		}
		for (size_t k = 0; k < nr; k++) {
			char cause[2048] = "";
			struct ktrace_stack stack;
			enum verdict verdict;

			if (!ktrace_stack_find(trace, same[k].stack, &stack))
				die("stack %" PRIu32 " is missing",
				    same[k].stack);
			verdict = judge(trace, &thread[k], &stack,
					!strcmp(argv[3], "perf"), cause,
					sizeof(cause));
			sums[verdict]++;
			switches += !thread[k].call;
			if (kind_count(verdict, cause) == 0 &&
			    verdict >= LONGER) {
				printf("#   %s %s\n", verdicts[verdict], cause);
				stacks_show(trace, &thread[k], &stack);
			}
		}
	}
	for (unsigned int i = 0; i < nr_kinds; i++)
		printf("# %s: %zu %s %s\n", argv[2], kinds[i].count,
		       verdicts[kinds[i].verdict], kinds[i].text);
	printf("sum %s %zu %zu", argv[2], theirs.nr - unpaired, switches);
	for (int verdict = 0; verdict < VERDICTS; verdict++)
		printf(" %zu", sums[verdict]);
	printf(" %zu\n", unpaired);
	ktrace_close(trace);
	return 0;
}
