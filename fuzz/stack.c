// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libFuzzer target: the file `stacks' of a trace, with any bytes.
 *
 * Whatever they are, a stack that is found lies in them.
 */
#include <stdlib.h>
#include <string.h>

#include "read/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static volatile uint64_t all;

static void branches_read(const struct ktrace *trace, uint32_t id)
{
	const uint8_t *end = trace->stacks.bytes + trace->stacks.size;
	struct ktrace_stack places;

	if (!trace_stack(trace, id, true, &places))
		return;
	check(!(places.nr % 2) && places.nr <= KT_STACK_MAX);
	check((const uint8_t *)(places.addresses + places.nr) +
		      (places.nr / 2 + 1) / 2 <=
	      end);
	for (uint32_t i = 0; i < places.nr / 2; i++)
		all += ktrace_event_branch_kind(&places, i);
}

static void stack_read(const struct ktrace *trace, uint32_t id)
{
	struct ktrace_stack stack;
	bool found = ktrace_stack_find(trace, id, &stack);
	const uint8_t *bytes = trace->stacks.bytes;

	/* Of a stack that was deferred it is what has become of it. */
	check(stack.id == id ||
	      bytes[id * 8ull + offsetof(struct kt_stack, kind)] ==
		      KT_STACK_DEFERRED);
	check(found || !stack.nr);
	check(!found ||
	      (stack.nr <= KT_STACK_MAX && stack.end < KTRACE_STACK_MISSING));
	check(!stack.nr || ((const uint8_t *)stack.addresses > bytes &&
			    (const uint8_t *)(stack.addresses + stack.nr) <=
				    bytes + trace->stacks.size));
	for (uint32_t i = 0; i < stack.nr; i++)
		all += stack.addresses[i];
	branches_read(trace, id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ktrace *trace = trace_create(NULL);
	size_t part = size / 3;

	check(trace);
	/* As a stream has it: in parts. */
	check(!stacks_add(&trace->stacks, data, part));
	stack_read(trace, 1);
	check(!stacks_add(&trace->stacks, data + part, size - part));
	for (uint32_t id = 0; id <= size / 8 + 1; id++)
		stack_read(trace, id);
	stack_read(trace, UINT32_MAX);
	ktrace_close(trace);
	return 0;
}
