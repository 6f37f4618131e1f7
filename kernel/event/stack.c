// SPDX-License-Identifier: GPL-2.0-only
/* Takes stacks in probes, and describes the field that has their id: see stack.h. */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/irq_regs.h>

#include "base/symbol.h"
#include "compat/unwind.h"
#include "branches.h"
#include "deferred.h"
#include "depot.h"
#include "gate.h"
#include "program/follow.h"
#include "program/stack.h"
#include "stack.h"
#include "tracepoints.h"
#include "write.h"

/* ---- what probes call ----------------------------------------------------- */

/* If a program was stopped, the kernel's stack has no frames. */
static noinline void stopped_walk(const struct kt_stacking *stacking,
				  struct kt_stack *stack)
{
	const struct pt_regs *regs =
		stacking->stopped == KT_STOPPED_PROGRAM ? NULL : get_irq_regs();
	enum kt_stack_end end = KT_STACK_COMPLETE;

	stack->kind = KT_STACK_INTERRUPTED;
	stack->frames = 0;
	if (regs && !user_mode((struct pt_regs *)regs)) {
		const struct kt_caller caller = {regs->ip, regs->sp, regs->bp,
						 regs};

		stack->frames = kt_unwind(stack->addresses, &caller,
					  &stacking->hidden, &end);
	}
	stack->end = end;
}

static __always_inline void kernel_walk(const struct kt_stacking *stacking,
					const struct kt_caller *caller,
					struct kt_stack *stack)
{
	enum kt_stack_end end __kt_uninitialized;

	if (unlikely(stacking->stopped)) {
		stopped_walk(stacking, stack);
		return;
	}
	stack->kind = stacking->kernel_kind;
	stack->frames =
		kt_unwind(stack->addresses, caller, &stacking->hidden, &end);
	stack->end = end;
}

/* What must be read for the rest of the stack; 0: that does not help. */
static __always_inline u64 program_walk(const struct kt_stacking *stacking,
					struct kt_stack *stack)
{
	struct kt_unwind_ended ended __kt_uninitialized;

	stack->kind = KT_STACK_USER;
	stack->frames =
		kt_program_stack(stack->addresses, stacking->behind, &ended);
	stack->end = ended.end;
	return unlikely(ended.end == KT_STACK_ABSENT) ? ended.absent : 0;
}

/*
 * The id of the stack of who called the probe, or of the program that has entered the
 * kernel, or of its branches; 0: none, which is counted.
 */
static __always_inline u32 stack_take(const struct kt_stacking *stacking,
				      struct kt_buffer *buffer,
				      const struct kt_caller *caller,
				      enum kt_stack_kind kind)
{
	struct kt_stack *stack;
	u64 absent = 0;
	u32 id;

	stack = kt_scratch_take(buffer,
				struct_size(stack, addresses, KT_STACK_MAX));
	if (unlikely(!stack)) {
		kt_depot_count(stacking->depot, KT_DEPOT_NESTED);
		return 0;
	}
	if (kind == KT_STACK_KERNEL)
		kernel_walk(stacking, caller, stack);
	else if (kind == KT_STACK_USER)
		absent = program_walk(stacking, stack);
	id = kind == KT_STACK_BRANCHES ? kt_branches_id(stacking->depot, stack,
							stacking->branches)
				       : kt_depot_id(stacking->depot, stack);
	if (unlikely(absent && id))
		id = kt_deferred_id(stacking->depot, id, stack,
				    stacking->behind);
	kt_scratch_give(buffer, stack);
	return id;
}

static __always_inline bool stack_is_wanted(const struct kt_stacking *stacking,
					    const struct kt_buffer *buffer,
					    const void *payload, u32 size)
{
	return likely(!stacking->predicate) ||
	       kt_filter_run(&stacking->predicate->filter, payload, size,
			     buffer->cpu);
}

/* What is nowhere stays nowhere. */
static __always_inline void location_move(u32 *location,
					  const struct kt_stacking *stacking)
{
	if (*location)
		*location += stacking->grow;
}

void kt_stack_locations_move(const struct kt_stacking *stacking, u32 *locations,
			     u16 nr)
{
	while (nr--)
		location_move(locations++, stacking);
}
EXPORT_SYMBOL_GPL(kt_stack_locations_move);

/*
 * The data behind the fixed part moves by what comes between.  The payload is not used any
 * more, so its locations are changed in place.
 */
noinline bool kt_stack_write(const struct kt_stacking *stacking,
			     struct kt_ring *ring, u32 id, void *payload,
			     u32 size, unsigned int flags)
{
	const struct kt_caller writer = kt_caller();
	const struct kt_caller *caller = unlikely(stacking->hooks_code)
						 ? kt_stack_caller(payload)
						 : &writer;
	u32 own = stacking->own_size, whole = size + stacking->grow, i;
	struct kt_record record __kt_uninitialized;
	u32 ids[3] __kt_uninitialized, nr = 0;
	void *slot;

	if (stack_is_wanted(stacking, ring->owner, payload, size)) {
		if (unlikely(stacking->kinds & KT_STACK_BRANCHES))
			ids[nr++] = stack_take(stacking, ring->owner, caller,
					       KT_STACK_BRANCHES);
		if (stacking->kinds & KT_STACK_KERNEL)
			ids[nr++] = stack_take(stacking, ring->owner, caller,
					       KT_STACK_KERNEL);
		if (stacking->kinds & KT_STACK_USER)
			ids[nr++] = stack_take(stacking, ring->owner, caller,
					       KT_STACK_USER);
	} else {
		ids[0] = ids[1] = ids[2] = KT_STACK_UNASKED;
		nr = hweight8(stacking->kinds);
	}

	slot = kt_ring_reserve(ring, &record, id, whole, flags);
	if (!slot)
		goto out;
	for (i = 0; i < stacking->nr_locations; i++)
		location_move(payload + stacking->locations[i], stacking);
	kt_tail_zero(slot, whole);
	memcpy(slot, payload, own);
	if (unlikely(stacking->offset != own))
		memset(slot + own, 0, stacking->offset - own);
	for (i = 0; i < nr; i++)
		((u32 *)(slot + stacking->offset))[i] = ids[i];
	if (size > own)
		memcpy(slot + own + stacking->grow, payload + own, size - own);
	kt_ring_commit(ring, &record);
out:
	kt_scratch_give(ring->owner, payload);
	return slot;
}
EXPORT_SYMBOL_GPL(kt_stack_write);

/* ---- making --------------------------------------------------------------- */

/* Their frames are places in files that programs have mapped. */
#define OF_PROGRAMS (KT_STACK_USER | KT_STACK_BRANCHES)

static void hide(struct kt_hidden *hidden, unsigned int i, unsigned long begin,
		 unsigned long size)
{
	hidden->code[i].begin = begin;
	hidden->code[i].size = size;
}

bool kt_stacks_are_possible(const struct kt_event *event)
{
	const struct kt_class *class = event->class;

	return !class->stackless && (!class->returned || kt_unwinds_returned());
}

/* Between the probe and the tracepoint is only the function that calls all its probes. */
void kt_stacking_attach(struct kt_stacking *stacking,
			const struct kt_event *event)
{
	struct kt_hidden *hidden = &stacking->hidden;
	const struct module *owner = event->owner;
	unsigned long iterator;

	if (event->source->interrupts)
		stacking->stopped = KT_STOPPED_ANY;
	else if (event->program)
		stacking->stopped = KT_STOPPED_PROGRAM;
	stacking->kernel_kind =
		event->stops ? KT_STACK_INTERRUPTED : KT_STACK_KERNEL;
	stacking->hooks_code = event->source->hooks_code;
	stacking->behind = !event->program &&
			   (kt_event_at_tracepoint(event, "sys_enter") ||
			    str_has_prefix(event->name, "sys_enter_"));
	/* A sample of our own code is shown as what it is. */
	if (stacking->stopped || stacking->hooks_code)
		return;
	hide(hidden, 0, kt_module_text(THIS_MODULE),
	     kt_module_text_size(THIS_MODULE));
	if (owner && owner != THIS_MODULE)
		hide(hidden, 1, kt_module_text(owner),
		     kt_module_text_size(owner));
	if (event->source->points != &kt_tracepoints)
		return;
	iterator = (unsigned long)kt_entry_tracepoint(event->entry)->iterator;
	hide(hidden, 2, iterator, kt_symbol_size(iterator));
}

static bool is_location(const struct kt_field *field)
{
	return str_has_prefix(field->type, "__data_loc");
}

/* @number: of the payload's words of 4 bytes. */
static void id_field(struct kt_field *field, const char *name, u16 number)
{
	*field = (struct kt_field){
		.type = "u32",
		.name = name,
		.offset = number * sizeof(u32),
		.size = sizeof(u32),
	};
}

static int fields_make(struct kt_stacking *stacking,
		       const struct kt_class *base)
{
	struct kt_field *fields;
	u16 i, at = stacking->offset / sizeof(u32);

	fields =
		kcalloc(stacking->class.nr_fields, sizeof(*fields), GFP_KERNEL);
	stacking->class.fields = fields;
	stacking->locations = kcalloc(base->nr_fields + 1,
				      sizeof(*stacking->locations), GFP_KERNEL);
	if (!fields || !stacking->locations)
		return -ENOMEM;
	for (i = 0; i < base->nr_fields; i++) {
		fields[i] = base->fields[i];
		if (is_location(&fields[i]))
			stacking->locations[stacking->nr_locations++] =
				fields[i].offset;
	}
	/* Earlier readers look for the others at the end. */
	if (stacking->kinds & KT_STACK_BRANCHES)
		id_field(&fields[i++], KT_BRANCHES_FIELD, at++);
	if (stacking->kinds & KT_STACK_KERNEL)
		id_field(&fields[i++], KT_STACK_FIELD, at++);
	if (stacking->kinds & KT_STACK_USER)
		id_field(&fields[i], KT_USER_STACK_FIELD, at);
	return 0;
}

struct kt_stacking *kt_stacking_make(struct kt_depot *depot,
				     const struct kt_class *class,
				     unsigned int kinds, unsigned int branches)
{
	struct kt_stacking *stacking = kzalloc(sizeof(*stacking), GFP_KERNEL);
	unsigned int nr;
	int err = 0;

	if (!stacking)
		return ERR_PTR(-ENOMEM);
	if (branches)
		kinds |= KT_STACK_BRANCHES;
	nr = hweight32(kinds);
	if (kinds & OF_PROGRAMS)
		err = kt_programs_follow();
	if (err) {
		kfree(stacking);
		return ERR_PTR(err);
	}
	stacking->kinds = kinds;
	stacking->branches = branches;
	stacking->depot = depot;
	stacking->own_size = class->size;
	stacking->offset = ALIGN(class->size, sizeof(u32));
	stacking->grow = stacking->offset + nr * sizeof(u32) - class->size;
	stacking->class = *class;
	stacking->class.size = class->size + stacking->grow;
	stacking->class.nr_fields = class->nr_fields + nr;
	if (fields_make(stacking, class)) {
		kt_stacking_free(stacking);
		return ERR_PTR(-ENOMEM);
	}
	return stacking;
}

void kt_stacking_free(struct kt_stacking *stacking)
{
	if (!stacking)
		return;
	if (stacking->kinds & OF_PROGRAMS) {
		/* Stacks of this session's other events may stay as they are. */
		kt_deferred_forget(stacking->depot);
		kt_programs_unfollow();
	}
	kfree(stacking->predicate);
	kfree(stacking->condition);
	kfree(stacking->class.fields);
	kfree(stacking->locations);
	kfree(stacking);
}
