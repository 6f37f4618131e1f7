// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Stacks of events.  A trace has each stack once, in its file `stacks', and an event has the
 * number of the word where its stack begins (include/uapi/ktrace.h).
 *
 * The bytes are untrusted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace.h"

#define STACKS_MAX (1ull << 30)

_Static_assert((int)KTRACE_STACK_COMPLETE == KT_STACK_COMPLETE &&
		       (int)KTRACE_STACK_UNKNOWN == KT_STACK_UNKNOWN,
	       "ends of stacks have one order");

int stacks_add(struct stack_table *stacks, const void *bytes, size_t size)
{
	uint8_t *more;

	if (size > STACKS_MAX - stacks->size)
		return -EFBIG;
	more = realloc(stacks->bytes, stacks->size + size + 1);
	if (!more)
		return -ENOMEM;
	stacks->bytes = more;
	memcpy(more + stacks->size, bytes, size);
	stacks->size += size;
	return 0;
}

/* Reads what the file has more than before. */
static void stacks_read(struct stack_table *stacks, int directory)
{
	int fd = openat(directory, "stacks",
			O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	static const size_t part = 1 << 20;
	struct stat st;
	void *buffer;
	ssize_t n;

	if (fd < 0)
		return;
	buffer = malloc(part);
	if (buffer && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		do
			n = pread(fd, buffer, part, stacks->size);
		while (n > 0 && !stacks_add(stacks, buffer, n));
	}
	free(buffer);
	close(fd);
}

static bool is_stacks(const struct stack_table *stacks)
{
	struct kt_stacks head;

	if (stacks->size < sizeof(head))
		return false;
	memcpy(&head, stacks->bytes, sizeof(head));
	return head.magic == KT_STACKS_MAGIC && head.version == KT_ABI_VERSION;
}

/* False: the table has no whole stack of this id. */
static bool stack_find(const struct stack_table *stacks, uint32_t id,
		       struct ktrace_stack *stack)
{
	uint64_t at = (uint64_t)id * sizeof(uint64_t);
	struct kt_stack head;

	if (!is_stacks(stacks) || at + sizeof(head) > stacks->size)
		return false;
	memcpy(&head, stacks->bytes + at, sizeof(head));
	if (head.kind != KT_STACK_KERNEL || head.end >= KT_STACK_END_NR ||
	    head.frames > KT_STACK_MAX ||
	    head.frames * sizeof(uint64_t) > stacks->size - at - sizeof(head))
		return false;
	stack->nr = head.frames;
	stack->end = (enum ktrace_stack_end)head.end;
	stack->addresses =
		(const uint64_t *)(stacks->bytes + at + sizeof(head));
	return true;
}

bool ktrace_type_has_stack(const struct ktrace_type *type)
{
	return type_has_stack(type);
}

/* The table is a cache: what it has not yet is read when it is needed. */
static bool stack_get(struct ktrace *trace, uint32_t id,
		      struct ktrace_stack *stack)
{
	struct stack_table *stacks = &trace->stacks;

	if (stack_find(stacks, id, stack))
		return true;
	if (trace->directory < 0 || stacks->whole)
		return false;
	stacks_read(stacks, trace->directory);
	stacks->whole = !trace->info.live;
	return stack_find(stacks, id, stack);
}

bool ktrace_stack_find(const struct ktrace *const_trace, uint32_t id,
		       struct ktrace_stack *stack)
{
	struct ktrace *trace = (struct ktrace *)const_trace;

	*stack = (struct ktrace_stack){
		.id = id,
		.end = id ? KTRACE_STACK_DAMAGED : KTRACE_STACK_MISSING,
	};
	if (!id)
		return false;
	if (stack_get(trace, id, stack))
		return true;
	if (!trace->stacks.warned)
		trace_warn(trace, "stacks of events are missing: the file "
				  "`stacks' is damaged or incomplete");
	trace->stacks.warned = true;
	return false;
}

bool ktrace_event_stack(const struct ktrace *trace,
			const struct ktrace_event *event,
			struct ktrace_stack *stack)
{
	const struct ktrace_type *type = event->type;
	uint32_t id;

	if (!type_has_stack(type))
		return false;
	id = ktrace_field_int(event, &type->fields[type->nr_fields - 1]);
	ktrace_stack_find(trace, id, stack);
	return true;
}

const char *ktrace_stack_end_text(enum ktrace_stack_end end)
{
	static const char *const texts[] = {
		[KTRACE_STACK_TRUNCATED] = "there are more frames",
		[KTRACE_STACK_NO_TABLE] = "no table has this function",
		[KTRACE_STACK_HOOKED] =
			"a tracer has replaced the return address",
		[KTRACE_STACK_BROKEN] = "the next frame is on no stack",
		[KTRACE_STACK_MISSING] = "no stack: there was no room for it",
		[KTRACE_STACK_DAMAGED] = "no stack: the trace is damaged",
	};

	return end < sizeof(texts) / sizeof(*texts) ? texts[end] : NULL;
}

void stacks_free(struct stack_table *stacks)
{
	free(stacks->bytes);
}
