// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libFuzzer target: unwind tables and stacks of strangers, and .eh_frame of strange files.
 *
 * A table that is accepted must lead nowhere outside of it, whatever the stack is, and a walk
 * reads a bounded number of words.  What is made of any .eh_frame must be a table that is
 * accepted.
 */
#include <stdint.h>
#include <stdlib.h>

#include "../tests/unwind/memory.h"
#include "../tests/unwind/walked.h"
#include "symbol/eh_frame.h"
#include "symbol/unwind_rows.h"

#define TEXT	  0x400000ull
#define TEXT_SIZE 0x10000ull

static void check(int good)
{
	if (!good)
		abort();
}

/* The bytes that are still to be used. */
struct input {
	const uint8_t *at;
	size_t size;
};

static uint64_t take(struct input *input, size_t size)
{
	uint64_t value = 0;

	if (size > input->size)
		size = input->size;
	memcpy(&value, input->at, size);
	input->at += size;
	input->size -= size;
	return value;
}

/* A place in the text or in the stack, or anything. */
static uint64_t word(struct input *input)
{
	uint64_t value = take(input, 2);

	switch (value & 3) {
	case 0:
		return TEXT + (value >> 2);
	case 1:
		return MEMORY_BASE + (value >> 2 & 0xff) * 8;
	case 2:
		return value >> 2;
	default:
		return take(input, 8);
	}
}

/* It is where the walk begins, or where a replaced return leads from there. */
static bool is_first(const struct kt_unwind_start *start, u64 frame)
{
	if (start->narrow)
		return frame == (u32)start->ip;
	for (u32 i = 0; i < start->nr_returns; i++)
		if (start->returns[i].sp == start->sp - 8 &&
		    frame == (start->returns[i].ip & KT_FRAME_PLACE_MASK))
			return true;
	return frame == (start->ip & KT_FRAME_PLACE_MASK);
}

static void walk(const struct kt_unwind_table *table, struct input *input)
{
	static struct kt_unwind_cache cache;
	static u64 salt;
	static struct walked stack;
	const struct kt_unwind_file file = {table, 0};
	const struct kt_unwind_map map = {TEXT, TEXT + TEXT_SIZE, 0, &file};
	const struct kt_unwind_space space = {&map, 1,
					      salt += 0x9e3779b97f4a7c15ull};
	struct kt_unwind_start start = {
		.ip = word(input),
		.sp = word(input),
		.bp = word(input),
		.bx = word(input),
	};
	struct kt_unwind_return returns[4];
	u8 how = take(input, 1);
	u32 depth = take(input, 1);

	start.behind = how & 1;
	start.narrow = how & 2;
	start.returns = returns;
	start.nr_returns = how >> 2 & 3;
	for (u32 i = 0; i < start.nr_returns; i++)
		returns[i] =
			(struct kt_unwind_return){word(input), word(input)};

	for (u32 i = 0; i < 256; i++)
		memory_words[i] = word(input);
	for (int again = 0; again < 2; again++) {
		memory_reads = 0;
		walked_take(&space, &cache, &start, depth, &stack);
		check(stack.nr >= 1 && stack.nr <= KT_STACK_MAX);
		check(stack.nr <= depth || !depth);
		check(stack.end < KT_STACK_END_NR);
		check(is_first(&start, stack.frames[0]));
		check(memory_reads <= 8 * KT_STACK_MAX);
	}
}

static int try_table(const void *bytes, size_t size, struct input *input)
{
	/* Aligned, and with an end that AddressSanitizer knows. */
	void *copy = malloc(size ? size : 1);
	struct kt_unwind_table table;
	int err;

	check(copy != NULL);
	memcpy(copy, bytes, size);
	err = kt_unwind_table_open(&table, copy, size);
	if (!err) {
		for (u64 at = 0; at < TEXT_SIZE; at += 61)
			kt_unwind_table_find(&table, TEXT + at);
		walk(&table, input);
	}
	free(copy);
	return err;
}

static void try_bytes(struct input *input)
{
	size_t size = take(input, 2);
	const uint8_t *bytes = input->at;

	if (size > input->size)
		size = input->size;
	input->at += size;
	input->size -= size;
	try_table(bytes, size, input);
}

/* A table of any rules.  It is refused if one of them makes no sense. */
static void try_rules(struct input *input)
{
	struct unwind_rows rows = {0};
	u64 at = TEXT;
	void *bytes;
	size_t size;

	for (u32 nr = take(input, 1); nr; nr--) {
		at += take(input, 1) + 1;
		check(!unwind_rows_add(&rows, at, take(input, 7)));
	}
	if (!unwind_rows_finish(&rows, "id", 2, &bytes, &size)) {
		try_table(bytes, size, input);
		free(bytes);
	}
	unwind_rows_free(&rows);
}

static bool text_read(void *source, uint64_t offset, void *to, size_t size)
{
	const struct input *input = source;

	check(size <= EH_FRAME_READ_MAX && offset <= TEXT_SIZE - size);
	if (!input->size)
		return false;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = input->at[(offset + i) % input->size];
	return true;
}

static void try_eh_frame(struct input *input)
{
	uint8_t *section = malloc(input->size ? input->size : 1);
	const struct eh_frame frame = {
		.bytes = section,
		.size = input->size,
		.address = TEXT + TEXT_SIZE,
		.texts = {{TEXT, TEXT_SIZE, 0}},
		.nr_texts = 1,
		.read = text_read,
		.source = input,
	};
	struct unwind_rows rows = {0};
	void *bytes;
	size_t size;

	check(section != NULL);
	memcpy(section, input->at, input->size);
	check(!eh_frame_rows(&frame, &rows));
	/* An instruction takes a byte, and a function may add three rows. */
	check(rows.nr <= 4 * input->size);
	if (!unwind_rows_finish(&rows, NULL, 0, &bytes, &size)) {
		check(!try_table(bytes, size, input));
		free(bytes);
	}
	unwind_rows_free(&rows);
	free(section);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};

	switch (take(&input, 1) % 3) {
	case 0:
		try_bytes(&input);
		break;
	case 1:
		try_rules(&input);
		break;
	default:
		try_eh_frame(&input);
	}
	return 0;
}
