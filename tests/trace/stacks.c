// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Events with stacks, and all outputs that show these. */
#include <errno.h>
#include <ktrace.h>
#include <regex.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "rnd.h"
#include "shown.h"
#include "stacked.h"

static char directory[] = "/tmp/ktrace-stacks-XXXXXX";

static void clean(void)
{
	static const char *const files[] = {"metadata", "cpu0", "cpu1",
					    "symbols", "stacks"};
	char path[64];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
		unlink(path);
	}
	rmdir(directory);
}

static struct ktrace *trace_open(void)
{
	static bool made;
	struct ktrace *trace;

	if (!made) {
		CHECK(mkdtemp(directory));
		made = true;
		atexit(clean);
		CHECK_EQ(stacked_make(directory), 0);
	}
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	return trace;
}

static char *merged(const char *kind, enum ktrace_output_weight weight,
		    const char *field)
{
	const struct ktrace_output_stacks options = {.weight = weight,
						     .field = field};
	const struct ktrace_output_options where = {.merged = &options};
	struct ktrace *trace = trace_open();
	char *text = shown_with(trace, kind, where, NULL);

	/* One event has the id of a stack that is not there. */
	CHECK(!ktrace_warning(trace, 0) ||
	      (strstr(ktrace_warning(trace, 0), "`stacks'") &&
	       !ktrace_warning(trace, 1)));
	ktrace_close(trace);
	return text;
}

#define WEIRD               \
	"</script><b>&amp?" \
	"?'????x"

static char *text_with(bool stacks, bool in_line)
{
	const struct ktrace_output_options where = {.stacks = stacks,
						    .stacks_in_line = in_line};
	struct ktrace *trace = trace_open();
	char *text = shown_with(trace, "text", where, NULL);

	ktrace_close(trace);
	return text;
}

/* The id of a stack tells people nothing. */
TEST(text)
{
	char *text = text_with(true, false);

	CHECK(strstr(text, " mm:alloc: bytes=100 result=0\n"
			   "\tpages+0x4\n\twork+0x8\n\tentry+0x10\n"));
	CHECK(strstr(text, " bytes=4000 result=7\n\tpages+0x4\n\t" WEIRD
			   "+0x8 [evil]\n"));
	CHECK(strstr(text, " bytes=50000 result=0\n\tpages+0x4\n\t0x1234\n"
			   "\t(there are more frames)\n"));
	CHECK(strstr(text, " bytes=600000 result=0\n"
			   "\t(no stack: there was no room for it)\n"));
	CHECK(strstr(text, " bytes=7000000 result=0\n"
			   "\t(no stack: the trace is damaged)\n"));
	CHECK(!strstr(text, "__kernel_stack"));
	free(text);
	text = text_with(false, false);
	CHECK(strstr(text, " bytes=100 result=0\n") && !strstr(text, "\t"));
	free(text);
	text = text_with(true, true);
	CHECK(strstr(text, " bytes=100 result=0 <- pages <- work <- entry\n"));
	CHECK(strstr(
		text,
		" bytes=50000 result=0 <- pages <- 0x1234 <- [truncated]\n"));
	CHECK(!strstr(text, "\t"));
	free(text);
}

/* Two stacks of the same functions are one; what is not known has a name. */
TEST(folded)
{
	char *text = merged("folded", KTRACE_WEIGHT_EVENTS, NULL);

	CHECK_STR(text, "a_<b>_c;entry;work 3\n"
			"a_<b>_c;entry;work;pages 3\n"
			"a_<b>_c;[damaged] 1\n"
			"a_<b>_c;[no_stack] 1\n"
			"a_<b>_c;[truncated];0x1234;pages 1\n"
			"a_<b>_c;entry;work;" WEIRD ";pages 1\n"
			"swapper/0;entry;work;pages 1\n"
			"swapper/1;entry;work;pages 1\n"
			"worker;entry;work;pages 1\n");
	free(text);
}

TEST(folded_by_field)
{
	char *text = merged("folded", KTRACE_WEIGHT_FIELD, "bytes");

	CHECK_STR(text, "a_<b>_c;[damaged] 7000000\n"
			"a_<b>_c;[no_stack] 600000\n"
			"a_<b>_c;[truncated];0x1234;pages 50000\n"
			"a_<b>_c;entry;work;" WEIRD ";pages 4000\n"
			"a_<b>_c;entry;work;pages 123\n");
	free(text);
	/* An error weighs nothing. */
	text = merged("folded", KTRACE_WEIGHT_FIELD, "result");
	CHECK(strstr(text, ";entry;work;pages 5\n"));
	free(text);
}

/* What is still asleep does not count, nor do idle CPUs. */
TEST(folded_by_time)
{
	char *text = merged("folded", KTRACE_WEIGHT_OFF_CPU, NULL);

	CHECK_STR(text, "worker;entry;work;pages 150000\n"
			"a_<b>_c;entry;work 40000\n");
	free(text);
}

/* A loss may have hidden that a thread came back, whether it is shown or not. */
static void lose_in_time(bool shown)
{
	const struct ktrace_loss loss = {
		.time = 1, .cause = KTRACE_LOST_FULL, .count = 1};
	const struct ktrace_loss none = {
		.time = 1, .cause = KTRACE_LOST_TASK, .count = 1};
	const struct ktrace_output_stacks options = {
		.weight = KTRACE_WEIGHT_OFF_CPU};
	int (*lose)(struct ktrace_output * output,
		    const struct ktrace_loss *loss) =
		shown ? ktrace_output_loss : ktrace_output_hidden_loss;
	struct ktrace *trace = trace_open();
	struct ktrace_output *output;
	struct ktrace_cursor *cursor;
	char text[256] = "";
	int fds[2], switches = 0;

	CHECK_EQ(pipe(fds), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_output_create(
			 trace, "folded",
			 &(struct ktrace_output_options){
				 .size = sizeof(struct ktrace_output_options),
				 .fd = fds[1],
				 .merged = &options},
			 &output),
		 0);
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT) {
		const struct ktrace_event *event = ktrace_cursor_event(cursor);

		CHECK_EQ(ktrace_output_event(output, event, NULL), 0);
		switches += !strcmp(event->type->name, "sched_switch");
		if (switches == 1)
			CHECK_EQ(lose(output, &none), 0);
		if (switches == 3)
			CHECK_EQ(lose(output, &loss), 0);
	}
	CHECK_EQ(ktrace_output_pause(output), 0);
	CHECK_EQ(ktrace_output_finish(output), 0);
	CHECK(read(fds[0], text, sizeof(text) - 1) > 0);
	CHECK_STR(text, "a_<b>_c;entry;work 10000\n");
	CHECK_EQ(!ktrace_output_losses(output), !shown);
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	close(fds[0]);
	close(fds[1]);
}

TEST(loss_in_time)
{
	lose_in_time(true);
}

TEST(hidden_loss_in_time)
{
	lose_in_time(false);
}

TEST(no_such_field)
{
	const struct ktrace_output_stacks options = {
		.weight = KTRACE_WEIGHT_FIELD, .field = "byte"};
	const struct ktrace_output_options where = {
		.size = sizeof(where), .fd = 1, .merged = &options};
	struct ktrace *trace = trace_open();
	struct ktrace_output *output;
	struct ktrace_cursor *cursor;

	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_output_create(trace, "folded", &where, &output), 0);
	CHECK_EQ(ktrace_output_run(output, cursor, NULL, NULL), -ENOENT);
	CHECK(strstr(ktrace_last_error(), "a field `byte'"));
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
}

static const char *const tables[] = {
	"         events   share  stack\n"
	"              3  23.1 %  a_<b>_c: work <- entry\n"
	"              3  23.1 %  a_<b>_c: pages <- work <- entry\n"
	"              1   7.7 %  a_<b>_c: [damaged]\n"
	"              6  46.2 %  in 6 more stacks: --head 0 shows all\n",
	"         events   share        total          min          avg          "
	"p99          max  stack\n"
	"              1  91.5 %      7000000      7000000      7000000      "
	"7000000      7000000  a_<b>_c: [damaged]\n"
	"              1   7.8 %       600000       600000       600000       "
	"600000       600000  a_<b>_c: [no_stack]\n"
	"              1   0.7 %        50000        50000        50000        "
	"50000        50000  a_<b>_c: pages <- 0x1234 <- [truncated]\n"
	"              4   0.1 %  in 2 more stacks: --head 0 shows all\n",
	"         events   share     total us       min us       avg us       "
	"p99 us       max us  stack\n"
	"              1  78.9 %      150.000      150.000      150.000      "
	"150.000      150.000  worker: pages <- work <- entry\n"
	"              2  21.1 %       40.000       10.000       20.000       "
	"30.000       30.000  a_<b>_c: work <- entry\n",
};

/* Innermost first; numbers have a distribution if they are not all 1. */
TEST(table)
{
	struct ktrace *trace = trace_open();

	for (int i = 0; i < 3; i++) {
		const struct ktrace_output_stacks options = {
			.weight = i, .field = "bytes", .limit = 3};
		const struct ktrace_output_options where = {.merged = &options};
		char *text = shown_with(trace, "stacks", where, NULL);

		CHECK_STR(text, tables[i]);
		free(text);
	}
	ktrace_close(trace);
}

/* As perf-script(1) describes it: a head, a line for each frame, an empty line. */
TEST(perf_script)
{
	static const char *const lines[] = {
		"^[^ #].* +[0-9]+/[0-9]+ +\\[[0-9]{3,}\\] +[0-9]+\\.[0-9]{9}: "
		"[a-z]+:[a-z_]+: ",
		"^\t *[0-9a-f]+ ([^ ]+\\+0x[0-9a-f]+|\\[[a-z_]+\\]) \\(\\[[^ ]+\\]\\)$",
	};
	char *text = merged("perf-script", KTRACE_WEIGHT_EVENTS, NULL);
	size_t heads = 0, frames = 0;
	char *line = text, *end;
	regex_t form[2];

	CHECK(strstr(text, ": mm:alloc: bytes=4000 result=7\n"
			   "\tffffffff81002004 pages+0x4 ([kernel.kallsyms])\n"
			   "\tffffffffc0000008 " WEIRD "+0x8 ([evil])\n"
			   "\tffffffff81001008 work+0x8 ([kernel.kallsyms])\n"
			   "\tffffffff81000010 entry+0x10 ([kernel.kallsyms])\n"
			   "\n"));
	/* The rest is not there, and viewers show that. */
	CHECK(strstr(text, "\t            1234 [unknown] ([kernel.kallsyms])\n"
			   "\t               0 [truncated] ([ktrace])\n\n"));
	CHECK(!strncmp(text, "a <b>?c ", 8));
	for (int i = 0; i < 2; i++)
		CHECK_EQ(regcomp(&form[i], lines[i], REG_EXTENDED | REG_NOSUB),
			 0);
	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		*end = '\0';
		if (!*line)
			continue;
		CHECK_EQ(regexec(&form[*line == '\t'], line, 0, NULL, 0), 0);
		heads += *line != '\t';
		frames += *line == '\t';
	}
	CHECK_EQ(heads, 14);
	/* The last three say why there are no more. */
	CHECK_EQ(frames, 3 * 3 + 4 + 2 + 3 * 2 + 3 * 3 + 3);
	for (int i = 0; i < 2; i++)
		regfree(&form[i]);
	free(text);
}

/* ---- programs --------------------------------------------------------------- */

/* The file `stacks' of a trace with these bytes instead. */
static void stacks_store(const void *bytes, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/stacks", directory);
	f = fopen(path, "w");
	CHECK(f);
	CHECK_EQ(fwrite(bytes, 1, size, f), size);
	CHECK_EQ(fclose(f), 0);
}

static size_t stacks_load(uint8_t *bytes, size_t room)
{
	char path[64];
	size_t size;
	FILE *f;

	ktrace_close(trace_open());
	snprintf(path, sizeof(path), "%s/stacks", directory);
	f = fopen(path, "r");
	CHECK(f);
	size = fread(bytes, 1, room, f);
	fclose(f);
	return size;
}

/* An entry that names a frame; @text has all its texts.  Returns its size. */
static size_t name_add(uint8_t *at, uint64_t frame, uint64_t behind,
		       const char *text, size_t size)
{
	const uint64_t words[] = {frame & ~KT_FRAME_GUESS, behind};
	const struct kt_stack head = {
		.frames = 2 + (size + 7) / 8,
		.kind = KT_STACK_NAME,
	};

	memset(at, 0, sizeof(head) + head.frames * 8);
	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), words, sizeof(words));
	memcpy(at + sizeof(head) + sizeof(words), text, size);
	return sizeof(head) + head.frames * 8;
}

#define NAME(at, frame, behind, text) \
	name_add(at, frame, behind, text, sizeof(text))

/* The same stacks, but as those of a program. */
static void programs_mark(uint8_t *bytes, size_t size)
{
	struct kt_stack head;

	for (size_t at = sizeof(struct kt_stacks); at < size;
	     at += sizeof(head) + head.frames * 8) {
		memcpy(&head, bytes + at, sizeof(head));
		head.kind = KT_STACK_USER;
		memcpy(bytes + at, &head, sizeof(head));
	}
}

/* Pages, work and entry have these names. */
static void programs_make(uint8_t *bytes, size_t size)
{
	programs_mark(bytes, size);
	size += NAME(bytes + size, 0xffffffff81002004, 4,
		     "_ZNSt3mapIiiEixEOi.cold\0/usr/bin/a;b c\0");
	size += NAME(bytes + size, 0xffffffff81001008, 8,
		     "_ZN4core3ptr4drop17h0123456789abcdefE\0/bin/c\0");
	size += NAME(bytes + size, 0xffffffff81000010, 16,
		     "plain \"\\;\n\x01\0/bin/c\0");
	stacks_store(bytes, size);
}

static char *frames_of(const char *kind, struct ktrace_output_options where)
{
	static const struct ktrace_output_stacks by_events;
	struct ktrace *trace = trace_open();
	char *text;

	where.merged = &by_events;
	text = shown_with(trace, kind, where, NULL);
	ktrace_close(trace);
	return text;
}

/* A name of C++ has blanks; nothing else that could end it is shown as it is. */
TEST(programs)
{
	static uint8_t whole[4096], bytes[8192];
	size_t size = stacks_load(whole, sizeof(whole));
	char *text;

	memcpy(bytes, whole, size);
	programs_make(bytes, size);
	text = frames_of("text",
			 (struct ktrace_output_options){.stacks = true});
	CHECK(strstr(text,
		     "\n\tstd::map<int, int>::operator[]+0x4 (a?b?c) [guess]\n"
		     "\tcore::ptr::drop+0x8 (c) [guess]\n"
		     "\tplain ?????+0x10 (c) [guess]\n"));
	free(text);
	text = frames_of(
		"text", (struct ktrace_output_options){.stacks_in_line = true});
	CHECK(strstr(text, " <- std::map<int, int>::operator[] <- "
			   "core::ptr::drop <- plain ?????\n"));
	free(text);
	text = frames_of("folded", (struct ktrace_output_options){0});
	CHECK(strstr(text, "\na_<b>_c;plain ?????;core::ptr::drop;"
			   "std::map<int, int>::operator[] "));
	free(text);
	text = frames_of("stacks", (struct ktrace_output_options){0});
	CHECK(strstr(text, " a_<b>_c: std::map<int, int>::operator[] <- "
			   "core::ptr::drop <- plain ?????\n"));
	free(text);
	text = frames_of("flame", (struct ktrace_output_options){0});
	CHECK(strstr(text, "std::map<int, int>::operator[]") ||
	      strstr(text, "std::map&lt;int, int>::operator[]") ||
	      strstr(text, "std::map\\u003cint, int"));
	free(text);
	text = frames_of("json", (struct ktrace_output_options){0});
	CHECK(strstr(text, "[\"std::map<int, int>::operator[]+0x4 (a?b?c) "
			   "[guess]\",\"core::ptr::drop+0x8 (c) [guess]\","));
	free(text);
	text = frames_of("perf-script", (struct ktrace_output_options){0});
	CHECK(strstr(text, " std::map<int, int>::operator[]+0x4 "
			   "(/usr/bin/a?b?c)\n"));
	free(text);
	stacks_store(whole, size);
}

/* As the file has them. */
TEST(programs_mangled)
{
	static const char *const kinds[] = {"text",   "json",  "folded",
					    "stacks", "flame", "perf-script"};
	static uint8_t whole[4096], bytes[8192];
	size_t size = stacks_load(whole, sizeof(whole));
	char *text;

	memcpy(bytes, whole, size);
	programs_make(bytes, size);
	for (int i = 0; i < 6; i++) {
		text = frames_of(kinds[i],
				 (struct ktrace_output_options){
					 .stacks = true, .mangled = true});
		CHECK(strstr(text, "_ZNSt3mapIiiEixEOi.cold"));
		CHECK(strstr(text, "_ZN4core3ptr4drop17h0123456789abcdefE"));
		CHECK(!strstr(text, "operator"));
		free(text);
	}
	stacks_store(whole, size);
}

/* Both names are told. */
TEST(programs_frame)
{
	static uint8_t whole[4096], bytes[8192];
	size_t size = stacks_load(whole, sizeof(whole));
	struct ktrace_stack_frame frame;
	struct ktrace_stack stack;
	struct ktrace *trace;

	memcpy(bytes, whole, size);
	programs_make(bytes, size);
	trace = trace_open();
	CHECK(ktrace_stack_find(trace, 1, &stack));
	for (int again = 0; again < 2; again++) {
		ktrace_stack_frame(trace, &stack, 0, &frame);
		CHECK_STR(frame.function, "std::map<int, int>::operator[]");
		CHECK_STR(frame.symbol, "_ZNSt3mapIiiEixEOi.cold");
		CHECK_EQ(frame.offset, 4);
		ktrace_stack_frame(trace, &stack, 2, &frame);
		CHECK(!strcmp(frame.function, frame.symbol));
	}
	ktrace_close(trace);
	stacks_store(whole, size);
}

/* Functions that were put into another one are shown as if it had called them. */
TEST(programs_inlined)
{
	static const struct ktrace_output_options whole_frames = {
		.stacks = true, .whole_frames = true};
	static uint8_t whole[4096], bytes[8192];
	size_t size = stacks_load(whole, sizeof(whole)), all = size;
	char *text;

	memcpy(bytes, whole, size);
	programs_mark(bytes, size);
	all += NAME(bytes + all, 0xffffffff81002004, 4,
		    "pages\0/bin/c\0/src/a.h:12\0_ZN1a5innerEv\0\0middle\0"
		    "b.c:41");
	all += NAME(bytes + all, 0xffffffff81001008, 8,
		    "work\0/bin/c\0/src/w.c:7");
	/* Cut off, and without positions. */
	all += NAME(bytes + all, 0xffffffff81000010, 16,
		    "entry\0/bin/c\0\0last");
	stacks_store(bytes, all);
	text = frames_of("text",
			 (struct ktrace_output_options){.stacks = true});
	CHECK(strstr(text, "\n\ta::inner [inlined] (c) at a.h:12 [guess]\n"
			   "\tmiddle [inlined] (c) [guess]\n"
			   "\tpages+0x4 (c) at b.c:41 [guess]\n"
			   "\twork+0x8 (c) at w.c:7 [guess]\n"
			   "\tlast [inlined] (c) [guess]\n"
			   "\tentry+0x10 (c) [guess]\n"));
	free(text);
	text = frames_of("text", whole_frames);
	CHECK(strstr(text, "\n\tpages+0x4 (c) at b.c:41 [guess]\n"
			   "\twork+0x8 (c) at w.c:7 [guess]\n"
			   "\tentry+0x10 (c) [guess]\n"));
	CHECK(!strstr(text, "inner"));
	free(text);
	text = frames_of(
		"text", (struct ktrace_output_options){.stacks_in_line = true});
	CHECK(strstr(text, " <- a::inner <- middle <- pages <- work <- last <- "
			   "entry\n"));
	free(text);
	text = frames_of("folded", (struct ktrace_output_options){0});
	CHECK(strstr(text, ";entry;last;work;pages;middle;a::inner "));
	free(text);
	text = frames_of("json", (struct ktrace_output_options){0});
	CHECK(strstr(text, "[\"a::inner [inlined] (c) at a.h:12 [guess]\","
			   "\"middle [inlined] (c) [guess]\","
			   "\"pages+0x4 (c) at b.c:41 [guess]\","));
	free(text);
	text = frames_of("perf-script", (struct ktrace_output_options){0});
	CHECK(strstr(text, "\t    7fff81002004 a::inner (inlined)\n"
			   "\t    7fff81002004 middle (inlined)\n"
			   "\t    7fff81002004 pages+0x4 (/bin/c)\n"));
	free(text);
	stacks_store(whole, size);
}

/* No more than there can be, however many a trace has. */
TEST(programs_inlined_without_end)
{
	static uint8_t whole[4096], bytes[65536];
	static char texts[40000] = "pages\0/bin/c\0";
	size_t size = stacks_load(whole, sizeof(whole));
	struct ktrace_stack_frame frame;
	struct ktrace_stack stack;
	struct ktrace *trace;

	for (size_t at = 14; at + 3 < sizeof(texts); at += 3)
		texts[at] = 'x';
	for (int i = 0; i < 2; i++) {
		memcpy(bytes, whole, size);
		programs_mark(bytes, size);
		stacks_store(bytes,
			     size + name_add(bytes + size, 0xffffffff81002004,
					     4, texts, i ? 40000 : 900));
		trace = trace_open();
		CHECK(ktrace_stack_find(trace, 1, &stack));
		ktrace_stack_frame(trace, &stack, 0, &frame);
		CHECK_EQ(frame.inlined, i ? 0 : KTRACE_INLINED_MAX);
		ktrace_close(trace);
	}
	stacks_store(whole, size);
}

/* ---- damage --------------------------------------------------------------- */

static size_t times(const char *text, const char *what)
{
	size_t nr = 0;

	while ((text = strstr(text, what))) {
		text++;
		nr++;
	}
	return nr;
}

/* All outputs of stacks; the sanitizers' build sees reads outside.  Returns the text. */
static char *damaged_show(void)
{
	static const char *const kinds[] = {"json", "folded", "stacks", "flame",
					    "perf-script"};
	static size_t turn;
	char *text = text_with(true, false);

	/* No event is lost with its stack. */
	CHECK_EQ(times(text, "mm:alloc:"), 7);
	CHECK_EQ(times(text, "sched:sched_switch:"), 6);
	/* One of them each time: the sanitizers take long to give each its memory. */
	free(merged(kinds[turn++ % 5], KTRACE_WEIGHT_EVENTS, NULL));
	return text;
}

static size_t pair_add(uint8_t *at, enum kt_stack_kind kind, uint64_t first,
		       uint64_t second)
{
	const struct kt_stack head = {.frames = 2, .kind = kind};
	const uint64_t words[] = {first, second};

	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), words, sizeof(words));
	return sizeof(head) + sizeof(words);
}

/* The id under which the stack is found; 0: it is not. */
static uint32_t id_found(uint32_t id)
{
	struct ktrace *trace = trace_open();
	struct ktrace_stack stack;
	bool found = ktrace_stack_find(trace, id, &stack);

	CHECK_EQ(found, stack.end != KTRACE_STACK_DAMAGED);
	CHECK(!found || stack.nr);
	ktrace_close(trace);
	return found ? stack.id : 0;
}

/* Stacks whose memory was not there at first. */
TEST(deferred)
{
	static uint8_t bytes[8192];
	size_t whole = stacks_load(bytes, sizeof(bytes) - 1024), size = whole;
	const uint32_t first = 1, later = whole / 8;
	struct kt_stack head;
	uint32_t second;

	memcpy(&head, bytes + 8 * first, sizeof(head));
	second = first + 1 + head.frames;
	size += pair_add(bytes + size, KT_STACK_DEFERRED, first, 1);
	stacks_store(bytes, size);
	CHECK_EQ(id_found(first), first);
	CHECK_EQ(id_found(later), first);
	/* What belongs to others changes nothing, wherever it is. */
	size += pair_add(bytes + size, KT_STACK_RESOLVED, later + 3, first);
	size += pair_add(bytes + size, KT_STACK_RESOLVED, later, second);
	size += pair_add(bytes + size, KT_STACK_RESOLVED, 3, first);
	stacks_store(bytes, size);
	CHECK_EQ(id_found(later), second);
	CHECK_EQ(id_found(first), first);
	CHECK_EQ(id_found(later + 3), 0);
	/* Neither itself, nor nothing, nor another one is a stack. */
	for (int i = 0; i < 4; i++) {
		const uint64_t wrong[] = {later, 1ull << 31, later + 3,
					  1ull << 32 | first};

		size = whole;
		size += pair_add(bytes + size, KT_STACK_DEFERRED, first, 1);
		size += pair_add(bytes + size, KT_STACK_DEFERRED, first, 2);
		size += pair_add(bytes + size, KT_STACK_RESOLVED, later,
				 wrong[i]);
		stacks_store(bytes, size);
		CHECK_EQ(id_found(later), 0);
		CHECK_EQ(id_found(later + 3), first);
	}
	size = whole + pair_add(bytes + whole, KT_STACK_DEFERRED, later, 1);
	stacks_store(bytes, size);
	CHECK_EQ(id_found(later), 0);
	stacks_store(bytes, whole);
}

TEST(damaged_stacks)
{
	static uint8_t whole[4096], bytes[4096];
	size_t size = stacks_load(whole, sizeof(whole)), cut, missing = 13;
	char path[64], *text;

	snprintf(path, sizeof(path), "%s/stacks", directory);
	/* Cut: those before the cut are there. */
	for (cut = 0; cut <= size; cut++) {
		size_t before = missing;

		stacks_store(whole, cut);
		text = damaged_show();
		missing = times(text, "(no stack: the trace is damaged)");
		CHECK(missing <= before);
		CHECK(cut || missing == 12);
		free(text);
	}
	CHECK_EQ(missing, 1);
	for (int i = 0; i < 60; i++) {
		memcpy(bytes, whole, size);
		for (uint32_t k = rnd(4) + 1; k; k--)
			bytes[rnd(size)] ^= 1u << rnd(8);
		stacks_store(bytes, size);
		free(damaged_show());
	}
	/* Not a file of stacks at all. */
	memset(bytes, 0xff, sizeof(bytes));
	stacks_store(bytes, sizeof(bytes));
	text = damaged_show();
	CHECK_EQ(times(text, "(no stack: the trace is damaged)"), 12);
	free(text);
	/* No file, and what must not be opened. */
	CHECK_EQ(unlink(path), 0);
	free(damaged_show());
	CHECK_EQ(symlink("/dev/zero", path), 0);
	text = damaged_show();
	CHECK_EQ(times(text, "(no stack: the trace is damaged)"), 12);
	free(text);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(mkfifo(path, 0600), 0);
	free(damaged_show());
	CHECK_EQ(unlink(path), 0);
	stacks_store(whole, size);
}

/* Gives it all events of the trace. */
static void events_give(struct ktrace_output *output, struct ktrace *trace)
{
	struct ktrace_cursor *cursor;
	int item;

	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	while ((item = ktrace_cursor_next(cursor)) > 0)
		if (item == KTRACE_EVENT)
			CHECK_EQ(ktrace_output_event(
					 output, ktrace_cursor_event(cursor),
					 NULL),
				 0);
	CHECK_EQ(item, 0);
	ktrace_cursor_destroy(cursor);
}

static int text_keep(void *data, const char *text, size_t size)
{
	char **kept = data;
	size_t length = *kept ? strlen(*kept) : 0;

	*kept = realloc(*kept, length + size + 1);
	CHECK(*kept);
	memcpy(*kept + length, text, size);
	(*kept)[length + size] = '\0';
	return 0;
}

/* The trace before is closed when the other is read. */
TEST(compared)
{
	char *text = NULL;
	const struct ktrace_output_options where = {
		.size = sizeof(where),
		.write = text_keep,
		.data = &text,
	};
	struct ktrace *trace = trace_open(), *again = trace_open();
	struct ktrace_output *output;

	CHECK_EQ(ktrace_output_create(trace, "folded", &where, &output), 0);
	/* Nothing has come yet. */
	CHECK_EQ(ktrace_output_compare(output, again), -ENODATA);
	events_give(output, trace);
	CHECK_EQ(ktrace_output_events(output), 14);
	CHECK_EQ(ktrace_output_compare(output, again), 0);
	CHECK_EQ(ktrace_output_events(output), 0);
	CHECK_EQ(ktrace_output_compare(output, again), -EINVAL);
	ktrace_close(trace);
	events_give(output, again);
	CHECK_EQ(ktrace_output_finish(output), 0);
	ktrace_output_destroy(output);
	CHECK(strstr(text, "a_<b>_c;entry;work;pages 3 3\n"));
	CHECK(strstr(text, "a_<b>_c;[no_stack] 1 1\n"));
	free(text);

	CHECK_EQ(ktrace_output_create(again, "stacks", &where, &output), 0);
	CHECK_EQ(ktrace_output_compare(output, again), -EINVAL);
	CHECK(strstr(ktrace_last_error(), "`stacks' compares nothing"));
	ktrace_output_destroy(output);
	ktrace_close(again);
}

CHECK_MAIN
