// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <inttypes.h>
#include <stdio.h>

#include "stack.h"

#define INDENT "\t"

/* A name may be anything: the trace is untrusted. */
#define NAME_MAX_SHOWN 512

static void name_put(struct output *output, const char *name)
{
	output_room(output, NAME_MAX_SHOWN);
	for (size_t i = 0; name[i] && i < NAME_MAX_SHOWN; i++) {
		bool plain = name[i] > ' ' && name[i] < 127 && name[i] != '"' &&
			     name[i] != '\\' && name[i] != ';';

		*output->p++ = plain ? name[i] : '?';
	}
}

void frame_put(struct output *output, const struct ktrace *trace,
	       uint64_t address, enum frame_form form)
{
	uint64_t offset;
	/* The address is behind the call: it may be that of the next function. */
	const char *name = ktrace_symbol(trace, address - 1, &offset);
	const char *module = ktrace_symbol_module(trace, address - 1);
	char text[32];

	if (!name) {
		snprintf(text, sizeof(text), "%#" PRIx64, address);
		output_puts(output, text);
		return;
	}
	name_put(output, name);
	if (form == FRAME_NAME)
		return;
	snprintf(text, sizeof(text), "+%#" PRIx64, offset + 1);
	output_puts(output, text);
	if (!module)
		return;
	output_add(output, " [", 2);
	name_put(output, module);
	output_add(output, "]", 1);
}

void frame_perf(struct output *output, const struct ktrace *trace,
		uint64_t address)
{
	uint64_t offset;
	const char *name = ktrace_symbol(trace, address - 1, &offset);
	const char *module = ktrace_symbol_module(trace, address - 1);
	char text[32];

	if (name)
		name_put(output, name);
	else
		output_puts(output, "[unknown]");
	if (name) {
		snprintf(text, sizeof(text), "+%#" PRIx64, offset + 1);
		output_puts(output, text);
	}
	output_puts(output, " ([");
	name_put(output, module ?: "kernel.kallsyms");
	output_puts(output, "])");
}

const char *stack_end_name(enum ktrace_stack_end end)
{
	static const char *const names[] = {
		[KTRACE_STACK_TRUNCATED] = "[truncated]",
		[KTRACE_STACK_NO_TABLE] = "[no_table]",
		[KTRACE_STACK_HOOKED] = "[hooked]",
		[KTRACE_STACK_BROKEN] = "[broken]",
		[KTRACE_STACK_MISSING] = "[no_stack]",
		[KTRACE_STACK_DAMAGED] = "[damaged]",
	};

	return end < sizeof(names) / sizeof(*names) ? names[end] : NULL;
}

bool stack_field(const struct ktrace_type *type,
		 const struct ktrace_field *field)
{
	return ktrace_type_has_stack(type) &&
	       field == &type->fields[type->nr_fields - 1];
}

void stack_in_line(struct output *output, const struct ktrace *trace,
		   const struct ktrace_stack *stack)
{
	const char *end = stack_end_name(stack->end);

	for (uint32_t i = 0; i < stack->nr; i++) {
		output_puts(output, " <- ");
		frame_put(output, trace, stack->addresses[i], FRAME_NAME);
	}
	if (!end)
		return;
	output_puts(output, " <- ");
	output_puts(output, end);
}

void stack_lines(struct output *output, const struct ktrace *trace,
		 const struct ktrace_stack *stack)
{
	const char *end = ktrace_stack_end_text(stack->end);

	for (uint32_t i = 0; i < stack->nr; i++) {
		output_puts(output, INDENT);
		frame_put(output, trace, stack->addresses[i], FRAME_FULL);
		output_add(output, "\n", 1);
	}
	if (!end)
		return;
	output_puts(output, INDENT "(");
	output_puts(output, end);
	output_puts(output, ")\n");
}
