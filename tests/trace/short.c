// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Events that have a short form. */
#include <inttypes.h>

#include "check.h"
#include "maker.h"
#include "scratch.h"

static const char short_line[] =
	"{\"type\":\"event\",\"id\":40,\"system\":\"test\",\"name\":\"call\","
	"\"size\":8,\"dynamic\":true,\"short\":4,\"fields\":["
	"{\"name\":\"function\",\"ctype\":\"u32\",\"offset\":0,\"size\":4,"
	"\"kind\":\"uint\"},"
	"{\"name\":\"words\",\"ctype\":\"__data_loc u32[]\",\"offset\":4,\"size\":4,"
	"\"kind\":\"dynarray\",\"elem\":4,\"signed\":false}]}\n";

/* Records of an event's short form are read as if the zeros had been written. */
TEST(short_records)
{
	const uint32_t whole[] = {1, 8 | 4 << 16, 77};
	const struct ktrace_event *event;
	const struct ktrace_type *type;
	struct ktrace_cursor *cursor;
	struct ktrace *trace;
	struct maker *maker;
	char path[512];
	uint32_t i;
	FILE *f;

	scratch_make();
	maker = maker_create(directory, 1, 4, false, 9);
	CHECK(maker);

	for (i = 0; i < 6; i++) {
		maker_time(maker, 5000000000000ull + i * 1000);
		if (i % 2)
			CHECK(maker_raw(maker, 0, 41, &i, 4, false));
		else
			CHECK(maker_raw(maker, 0, 40, whole, sizeof(whole),
					true));
	}
	CHECK_EQ(maker_finish(maker, false), 0);
	path_of(path, "metadata");
	f = fopen(path, "a");
	CHECK(f && fputs(short_line, f) >= 0 && !fclose(f));

	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	event = ktrace_cursor_event(cursor);
	type = ktrace_types_find(ktrace_get_types(trace), 40);
	CHECK(type && type->short_size == 4);
	CHECK(ktrace_types_find(ktrace_get_types(trace), 41) == type);
	for (i = 0; i < 6; i++) {
		const uint8_t *words;
		size_t size;

		CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_EVENT);
		CHECK(event->type == type);
		words = ktrace_field_bytes(event, &type->fields[1], &size);
		CHECK_EQ(ktrace_field_int(event, &type->fields[0]),
			 i % 2 ? i : 1);
		CHECK_EQ(size, i % 2 ? 0 : 4);
		CHECK_EQ(event->size, i % 2 ? 8 : 12);
		CHECK(!size || !memcmp(words, &whole[2], 4));
	}
	CHECK_EQ(ktrace_cursor_next(cursor), KTRACE_END);
	CHECK(!ktrace_warning(trace, 0));
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
}

CHECK_MAIN
