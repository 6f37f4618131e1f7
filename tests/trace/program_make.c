// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * program-make DIRECTORY FRAME... - makes a trace of one event with the stack of a program, for
 * scripts: its frames are these words (include/uapi/ktrace.h), in hexadecimal.  Nothing has
 * named them, as if the recorder had been killed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ktrace.h"

#include "maker.h"

#define EVENT MAKER_END

static const struct ktrace_field fields[] = {
	{.name = "bytes", .ctype = "u64", .kind = KTRACE_UINT, .size = 8},
	{.name = KT_USER_STACK_FIELD,
	 .ctype = "u32",
	 .kind = KTRACE_UINT,
	 .offset = 8,
	 .size = 4},
};

static const struct ktrace_type type = {
	.id = EVENT,
	.size = 12,
	.system = "mm",
	.name = "alloc",
	.nr_fields = 2,
	.fields = fields,
};

int main(int argc, char **argv)
{
	uint64_t frames[KT_STACK_MAX];
	struct maker *maker;
	struct {
		uint64_t bytes;
		uint32_t stack;
	} __attribute__((packed)) event = {8, 0};

	if (argc < 3 || argc - 2 > KT_STACK_MAX)
		return 2;
	maker = maker_create(argv[1], 1, 4, false, 5);
	if (!maker)
		return 1;
	for (int i = 2; i < argc; i++)
		frames[i - 2] = strtoull(argv[i], NULL, 16);
	maker_type(maker, &type);
	event.stack = maker_stack_of(maker, KT_STACK_USER, frames, argc - 2,
				     KT_STACK_COMPLETE);
	maker_current(maker, 0, 7, 7, "worker");
	maker_time(maker, 5000000000000ull);
	maker_raw(maker, 0, EVENT, &event, sizeof(event), false);
	return !!maker_finish(maker, false);
}
