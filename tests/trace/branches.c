// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The branches of events, and what the outputs show of them. */
#include <ktrace.h>
#include <ktrace_branch.h>
#include <string.h>

#include "check.h"
#include "maker.h"
#include "scratch.h"
#include "shown.h"

enum { HIT = 40 };

#define ID_FIELD(field, place)                                             \
	{                                                                  \
		.name = field, .ctype = "u32", .offset = place, .size = 4, \
		.kind = KTRACE_UINT                                        \
	}

static const struct ktrace_field fields[] = {
	ID_FIELD("value", 0),
	ID_FIELD(KT_BRANCHES_FIELD, 4),
	ID_FIELD(KT_USER_STACK_FIELD, 8),
};

static struct maker *maker;

static void begin(void)
{
	const struct ktrace_type type = {
		.id = HIT,
		.size = 12,
		.system = "mm",
		.name = "hit",
		.nr_fields = 3,
		.fields = fields,
	};

	scratch_make();
	maker = maker_create(directory, 1, 4, false, 9);
	CHECK(maker);
	CHECK_EQ(maker_type(maker, &type), 0);
	CHECK(maker_task(maker, 0, 7, 7, 1, "x"));
	CHECK(maker_run(maker, 0, 7, 7, "x"));
}

static void event(uint32_t value, uint32_t stack, uint32_t branches)
{
	const uint32_t words[] = {value, branches, stack};

	CHECK(maker_raw(maker, 0, HIT, words, sizeof(words), false));
}

#define PLACE(file, offset) ((uint64_t)(file) << KT_FRAME_FILE_SHIFT | (offset))

/* From PLACE(1, 16 * i) to PLACE(1, 16 * i + 8), with the kinds 1 to 6 in turn. */
static uint32_t branches(unsigned int nr)
{
	uint64_t words[KT_STACK_MAX] = {0};

	for (unsigned int i = 0; i < nr; i++) {
		words[i * 2] = PLACE(1, 16 * i);
		words[i * 2 + 1] = PLACE(1, 16 * i + 8);
		words[nr * 2 + i / 16] |= (i % 6 + 1ull) << (i % 16 * 4);
	}
	return maker_stack_of(maker, KT_STACK_BRANCHES, words,
			      kt_stack_branches_words(nr), 0);
}

static void name(uint64_t frame, uint64_t behind, const char *texts,
		 size_t size)
{
	uint64_t words[16] = {frame, behind};

	memcpy(words + 2, texts, size);
	CHECK(maker_stack_of(maker, KT_STACK_NAME, words, 2 + (size + 7) / 8,
			     0));
}

#define NAME(frame, behind, texts) name(frame, behind, texts, sizeof(texts))

static struct ktrace *trace_open(void)
{
	struct ktrace *trace;

	CHECK_EQ(maker_finish(maker, false), 0);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	return trace;
}

static char *shown(const char *kind)
{
	struct ktrace *trace = trace_open();
	char *text = shown_with(trace, kind,
				(struct ktrace_output_options){.stacks = true},
				NULL);

	ktrace_close(trace);
	return text;
}

/* Any number of them: kinds lie in one word, or two. */
TEST(numbers)
{
	static const unsigned int numbers[] = {1, 2, 15, 16, 17, 31, 32};
	const struct ktrace_event *hit;
	struct ktrace_cursor *cursor;
	struct ktrace_stack places;
	struct ktrace_stack_frame place;
	struct ktrace *trace;

	begin();
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		event(numbers[i], KT_STACK_UNASKED, branches(numbers[i]));
	trace = trace_open();
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_EVENT);
		hit = ktrace_cursor_event(cursor);
		CHECK_EQ(ktrace_type_stacks(hit->type), 1);
		CHECK(ktrace_type_branches(hit->type));
		CHECK_EQ(ktrace_type_own_fields(hit->type), 1);
		CHECK(!ktrace_event_user_stack(trace, hit, &places));
		CHECK(ktrace_event_branches(trace, hit, &places));
		CHECK_EQ(places.nr, numbers[i] * 2);
		for (uint32_t k = 0; k < numbers[i]; k++) {
			CHECK_EQ((int)ktrace_event_branch_kind(&places, k),
				 (int)(k % 6 + 1));
			ktrace_stack_frame(trace, &places, k * 2 + 1, &place);
			CHECK_EQ(place.address, 16 * k + 8);
		}
	}
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
}

static void named_make(void)
{
	begin();
	NAME(PLACE(1, 0), 4, "parse\0/bin/a\0/src/a.c:3\0");
	NAME(PLACE(1, 8), 0, "length\0/bin/a\0/src/a.h:9\0shift\0/src/a.c:2\0");
	event(1, KT_STACK_UNASKED, branches(1));
	event(2, KT_STACK_UNASKED, KT_STACK_UNASKED);
	event(3, KT_STACK_UNASKED, 0);
}

TEST(text)
{
	char *text;

	named_make();
	text = shown("text");
	/* The position of what is inlined, and not that of its call. */
	CHECK(strstr(text, " mm:hit: value=1\n"
			   "\tjump          parse+0x4 (a) at a.c:3 → "
			   "shift in length+0 (a) at a.h:9\n"));
	CHECK(strstr(text, " mm:hit: value=3\n"
			   "\t[no branches: there was no room for them]\n"));
	CHECK(!strstr(text, "value=2\n\t"));
	CHECK(!strstr(text, KT_BRANCHES_FIELD));
	free(text);
}

/* In one line there is no room for them. */
TEST(in_line)
{
	struct ktrace *trace;
	char *text;

	named_make();
	trace = trace_open();
	text = shown_with(trace, "text",
			  (struct ktrace_output_options){
				  .stacks = true, .stacks_in_line = true},
			  NULL);
	CHECK(strstr(text, "value=1\n") && !strchr(text, '\t'));
	free(text);
	ktrace_close(trace);
}

TEST(json)
{
	char *text;

	named_make();
	text = shown("json");
	CHECK(strstr(text, "\"branches\":[{\"kind\":\"jump\",\"from\":\""
			   "parse+0x4 (a) at a.c:3\",\"to\":\""));
	CHECK(strstr(text, "\"branches\":[],\"branches_end\":\""
			   "no branches: there was no room for them\"}\n"));
	free(text);
}

/* A stack is shown as no branches, and branches are shown as no stack. */
TEST(damaged)
{
	const uint64_t frame = PLACE(1, 0);
	uint32_t stack, two;
	char *text;

	begin();
	stack = maker_stack_of(maker, KT_STACK_USER, &frame, 1, 0);
	two = branches(2);
	event(1, two, stack);
	event(2, KT_STACK_UNASKED, 999999);
	/* Too few words for a branch: there is none. */
	event(3, KT_STACK_UNASKED,
	      maker_stack_of(maker, KT_STACK_BRANCHES, &frame, 1, 0));
	text = shown("text");
	CHECK(strstr(text, " value=1\n\t(no stack: the trace is damaged)\n"
			   "\t[no branches: the trace is damaged]\n"));
	CHECK(strstr(text,
		     " value=2\n\t[no branches: the trace is damaged]\n"));
	CHECK(strstr(text, " value=3\n") && !strstr(text, " value=3\n\t"));
	free(text);
}

/* A place that is behind a call and the end of a branch, too, has a name for each. */
TEST(twice)
{
	const uint64_t frames[] = {PLACE(1, 0x100), PLACE(1, 8)};
	char *text;

	begin();
	NAME(PLACE(1, 8), 9, "caller\0/bin/a\0/src/a.c:1\0");
	NAME(KT_FRAME_GUESS | PLACE(1, 8), 0, "next\0/bin/a\0/src/a.c:2\0");
	NAME(PLACE(1, 0), 4, "parse\0/bin/a\0/src/a.c:3\0");
	event(1, maker_stack_of(maker, KT_STACK_USER, frames, 2, 0),
	      branches(1));
	text = shown("text");
	CHECK(strstr(text, "\tcaller+0x9 (a) at a.c:1\n"));
	CHECK(strstr(text, " → next+0 (a) at a.c:2\n"));
	free(text);
}

/* Events with branches only have no stacks that could be merged. */
TEST(folded)
{
	char *text;

	begin();
	event(1, KT_STACK_UNASKED, branches(4));
	text = shown("folded");
	CHECK_STR(text, "");
	free(text);
}

CHECK_MAIN
