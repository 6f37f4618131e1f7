// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The branches before an event: see stack.h. */
#include <stdio.h>

#include "stack.h"

void branch_place_put(struct output *output, const struct ktrace *trace,
		      const struct ktrace_stack *places, uint32_t index,
		      unsigned int form)
{
	struct stack_part place = {.index = index, .parts = 1}, inner;

	ktrace_stack_frame(trace, places, index, &place.place);
	if (place.place.inlined && !(form & FRAME_WHOLE)) {
		inner = (struct stack_part){.index = index, .inlined = true};
		ktrace_stack_inlined(trace, places, index, 0, &inner.place);
		stack_part_put(output, trace, places, &inner,
			       form | FRAME_NAME);
		output_puts(output, " in ");
		place.place.source = inner.place.source;
	}
	stack_part_put(output, trace, places, &place, form);
}

static void kind_put(struct output *output, const struct ktrace_stack *places,
		     uint32_t branch, int width)
{
	char text[32];

	snprintf(text, sizeof(text), "%-*s ", width,
		 ktrace_branch_kind_name(
			 ktrace_event_branch_kind(places, branch)));
	output_puts(output, text);
}

static void ends_put(struct output *output, const struct ktrace *trace,
		     const struct ktrace_stack *places, uint32_t branch,
		     unsigned int form)
{
	branch_place_put(output, trace, places, branch * 2, form);
	output_puts(output, " → ");
	branch_place_put(output, trace, places, branch * 2 + 1, form);
}

void branch_put(struct output *output, const struct ktrace *trace,
		const struct ktrace_stack *places, uint32_t branch,
		unsigned int form)
{
	kind_put(output, places, branch, 0);
	ends_put(output, trace, places, branch, form);
}

void branch_name_put(struct output *output, const struct ktrace_event *event)
{
	output_puts(output, "branch:");
	output_puts(output, event->type->name);
	output_puts(output, ":");
}

void branch_event_put(struct output *output, const struct ktrace *trace,
		      const struct ktrace_event *event, unsigned int form)
{
	struct ktrace_stack places;
	char text[32];

	if (!ktrace_event_branches(trace, event, &places))
		return;
	if (ktrace_event_branch_kind(&places, 0) != KTRACE_BRANCH_LAST) {
		ends_put(output, trace, &places, 0, form);
		return;
	}
	branch_place_put(output, trace, &places, 0, form);
	snprintf(text, sizeof(text), " signal=%lld",
		 (long long)ktrace_field_int(event, &event->type->fields[1]));
	output_puts(output, text);
}

const char *branches_end_text(const struct ktrace_stack *places)
{
	switch (places->end) {
	case KTRACE_STACK_MISSING:
		return "no branches: there was no room for them";
	case KTRACE_STACK_DAMAGED:
		return "no branches: the trace is damaged";
	default:
		return NULL;
	}
}

#define INDENT	   "\t"
#define KIND_WIDTH 13 /* of "indirect_call" */

void branch_lines(struct output *output, const struct ktrace *trace,
		  const struct ktrace_stack *places, unsigned int form)
{
	const char *end = branches_end_text(places);

	for (uint32_t i = 0; i < places->nr / 2; i++) {
		output_puts(output, INDENT);
		kind_put(output, places, i, KIND_WIDTH);
		ends_put(output, trace, places, i, form);
		output_add(output, "\n", 1);
	}
	if (!end)
		return;
	output_puts(output, INDENT "[");
	output_puts(output, end);
	output_puts(output, "]\n");
}
