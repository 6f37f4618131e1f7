// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stack.h"

#define INDENT "\t"

/* A name may be anything: the trace is untrusted. */
#define NAME_MAX_SHOWN 512

static void text_put(struct output *output, const char *name, char first)
{
	output_room(output, NAME_MAX_SHOWN);
	for (size_t i = 0; name[i] && i < NAME_MAX_SHOWN; i++) {
		bool plain = name[i] >= first && name[i] < 127 &&
			     name[i] != '"' && name[i] != '\\' &&
			     name[i] != ';';

		*output->p++ = plain ? name[i] : '?';
	}
}

static void name_put(struct output *output, const char *name)
{
	text_put(output, name, '!');
}

/* One of a program: a blank is part of what C++ and Rust call it. */
static void function_put(struct output *output, const char *name)
{
	text_put(output, name, ' ');
}

static const char *function_of(const struct ktrace_stack_frame *place,
			       unsigned int form)
{
	return form & FRAME_MANGLED ? place->symbol : place->function;
}

/*
 * What an address tells of is before it: it is behind a call, and may be that of the next
 * function.  But who was interrupted is where the address is: the entry code of interrupts and
 * exceptions, which is below it, has names of its own.
 */
static uint64_t place_of(const struct ktrace *trace,
			 const struct ktrace_stack *stack, uint32_t index)
{
	uint64_t address = stack->addresses[index], offset;
	const char *below =
		index ? ktrace_symbol(trace, stack->addresses[index - 1] - 1,
				      &offset)
		      : NULL;
	bool exact = index ? below && (!strncmp(below, "asm_", 4) ||
				       !strcmp(below, "end_repeat_nmi"))
			   : stack->exact;

	return address - !exact;
}

/* @place: in the function, before @address or the same. */
static void frame_put(struct output *output, const struct ktrace *trace,
		      uint64_t address, uint64_t place, unsigned int form)
{
	uint64_t offset;
	const char *name = ktrace_symbol(trace, place, &offset);
	const char *module = ktrace_symbol_module(trace, place);
	char text[32];

	if (!name) {
		snprintf(text, sizeof(text), "%#" PRIx64, address);
		output_puts(output, text);
		return;
	}
	name_put(output, name);
	if (form & FRAME_NAME)
		return;
	snprintf(text, sizeof(text), "+%#" PRIx64, offset + (address - place));
	output_puts(output, text);
	if (!module)
		return;
	output_add(output, " [", 2);
	name_put(output, module);
	output_add(output, "]", 1);
}

/* A path may have spaces. */
static void file_put(struct output *output, const char *file)
{
	const char *base = strrchr(file, '/');

	name_put(output, base && base[1] ? base + 1 : file);
}

bool stack_part_next(const struct ktrace *trace,
		     const struct ktrace_stack *stack, unsigned int form,
		     struct stack_part *part)
{
	bool inside = part->nr + 1 < part->parts;

	if (inside) {
		part->nr++;
	} else {
		part->index += part->parts > 0;
		part->nr = 0;
		part->parts = 1;
	}
	if (part->index == stack->nr)
		return false;
	if (!stack->user)
		return true;
	/* Most frames have one part, and are looked up once. */
	if (!inside || part->nr + 1 == part->parts)
		ktrace_stack_frame(trace, stack, part->index, &part->place);
	if (!inside && !(form & FRAME_WHOLE))
		part->parts = part->place.inlined + 1;
	part->inlined = part->nr + 1 < part->parts;
	if (part->inlined)
		ktrace_stack_inlined(trace, stack, part->index, part->nr,
				     &part->place);
	return true;
}

/* As "+0x1c"; alone, if nothing is known. */
static void offset_put(struct output *output,
		       const struct ktrace_stack_frame *place)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%#" PRIx64,
		 place->function || place->file ? "+" : "", place->offset);
	output_puts(output, text);
}

static void place_put(struct output *output, const struct stack_part *part,
		      unsigned int form)
{
	const struct ktrace_stack_frame *place = &part->place;

	if (place->function)
		function_put(output, function_of(place, form));
	else if (place->file)
		file_put(output, place->file);
	if (form & FRAME_NAME && place->function)
		return;
	if (!part->inlined)
		offset_put(output, place);
	if (form & FRAME_NAME)
		return;
	if (part->inlined)
		output_puts(output, " [inlined]");
	if (place->function && place->file) {
		output_add(output, " (", 2);
		file_put(output, place->file);
		output_add(output, ")", 1);
	}
	if (place->source) {
		output_add(output, " at ", 4);
		file_put(output, place->source);
	}
	if (place->guess)
		output_puts(output, " [guess]");
}

void stack_part_put(struct output *output, const struct ktrace *trace,
		    const struct ktrace_stack *stack,
		    const struct stack_part *part, unsigned int form)
{
	if (stack->user)
		place_put(output, part, form);
	else
		frame_put(output, trace, stack->addresses[part->index],
			  place_of(trace, stack, part->index), form);
}

/* perf says "(inlined)" in the place of the file. */
static void place_perf(struct output *output, const struct stack_part *part,
		       unsigned int form)
{
	const struct ktrace_stack_frame *place = &part->place;
	char text[32];

	snprintf(text, sizeof(text), "%16" PRIx64 " ", place->address);
	output_puts(output, text);
	function_put(output, function_of(place, form) ?: "[unknown]");
	if (place->function && !part->inlined)
		offset_put(output, place);
	output_puts(output, " (");
	name_put(output,
		 part->inlined ? "inlined" : place->file ?: "[unknown]");
	output_puts(output, ")");
}

static void address_perf(struct output *output, const struct ktrace *trace,
			 uint64_t address, uint64_t place)
{
	uint64_t offset;
	const char *name = ktrace_symbol(trace, place, &offset);
	const char *module = ktrace_symbol_module(trace, place);
	char text[32];

	snprintf(text, sizeof(text), "%16" PRIx64 " ", address);
	output_puts(output, text);
	if (name)
		name_put(output, name);
	else
		output_puts(output, "[unknown]");
	if (name) {
		snprintf(text, sizeof(text), "+%#" PRIx64,
			 offset + (address - place));
		output_puts(output, text);
	}
	output_puts(output, " ([");
	name_put(output, module ?: "kernel.kallsyms");
	output_puts(output, "])");
}

void stack_part_perf(struct output *output, const struct ktrace *trace,
		     const struct ktrace_stack *stack,
		     const struct stack_part *part, unsigned int form)
{
	if (stack->user)
		place_perf(output, part, form);
	else
		address_perf(output, trace, stack->addresses[part->index],
			     place_of(trace, stack, part->index));
}

const char *stack_end_name(enum ktrace_stack_end end)
{
	static const char *const names[] = {
		[KTRACE_STACK_TRUNCATED] = "[truncated]",
		[KTRACE_STACK_NO_TABLE] = "[no_table]",
		[KTRACE_STACK_HOOKED] = "[hooked]",
		[KTRACE_STACK_BROKEN] = "[broken]",
		[KTRACE_STACK_ABSENT] = "[page_not_present]",
		[KTRACE_STACK_NO_RULE] = "[no_rule]",
		[KTRACE_STACK_CORRUPT] = "[corrupt]",
		[KTRACE_STACK_NO_MAPS] = "[no_mappings]",
		[KTRACE_STACK_CONTEXT] = "[not_readable_here]",
		[KTRACE_STACK_EXEC] = "[exec]",
		[KTRACE_STACK_MISSING] = "[no_stack]",
		[KTRACE_STACK_DAMAGED] = "[damaged]",
	};

	return end < sizeof(names) / sizeof(*names) ? names[end] : NULL;
}

bool stack_field(const struct ktrace_type *type,
		 const struct ktrace_field *field)
{
	return field >= type->fields + ktrace_type_own_fields(type);
}

void stack_in_line(struct output *output, const struct ktrace *trace,
		   const struct ktrace_stack *stack, unsigned int form)
{
	const char *end = stack_end_name(stack->end);
	struct stack_part part = {0};

	while (stack_part_next(trace, stack, form, &part)) {
		output_puts(output, " <- ");
		stack_part_put(output, trace, stack, &part, form | FRAME_NAME);
	}
	if (!end)
		return;
	output_puts(output, " <- ");
	output_puts(output, end);
}

void stack_lines(struct output *output, const struct ktrace *trace,
		 const struct ktrace_stack *stack, unsigned int form)
{
	const char *end = ktrace_stack_end_text(stack->end);
	struct stack_part part = {0};

	while (stack_part_next(trace, stack, form, &part)) {
		output_puts(output, INDENT);
		stack_part_put(output, trace, stack, &part, form);
		output_add(output, "\n", 1);
	}
	if (!end)
		return;
	output_puts(output, stack->user ? INDENT "[" : INDENT "(");
	output_puts(output, end);
	output_puts(output, stack->user ? "]\n" : ")\n");
}
