// SPDX-License-Identifier: GPL-2.0-only
/* Takes stacks in probes, and describes the field that has their id: see stack.h. */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/symbol.h"
#include "compat/unwind.h"
#include "depot.h"
#include "stack.h"
#include "tracepoints.h"
#include "write.h"

/* ---- what probes call ----------------------------------------------------- */

/* The id of the stack of who called the probe; 0: none, which is counted. */
static u32 stack_take(const struct kt_stacking *stacking,
		      struct kt_buffer *buffer)
{
	struct kt_stack *stack;
	enum kt_stack_end end;
	u32 id;

	stack = kt_scratch_take(buffer,
				struct_size(stack, addresses, KT_STACK_MAX));
	if (unlikely(!stack)) {
		kt_depot_count(stacking->depot, KT_DEPOT_NESTED);
		return 0;
	}
	stack->frames = kt_unwind(stack->addresses, &stacking->hidden, &end);
	stack->end = end;
	stack->kind = KT_STACK_KERNEL;
	id = kt_depot_id(stacking->depot, stack);
	kt_scratch_give(buffer, stack);
	return id;
}

/*
 * The data behind the fixed part moves by what comes between.  The payload is not used any
 * more, so its locations are changed in place.
 */
noinline void kt_stack_write(const struct kt_stacking *stacking,
			     struct kt_ring *ring, u32 id, void *payload,
			     u32 size, unsigned int flags)
{
	u32 own = stacking->own_size, whole = size + stacking->grow, i;
	u32 stack = stack_take(stacking, ring->owner);
	struct kt_record record;
	void *slot;

	slot = kt_ring_reserve(ring, &record, id, whole, flags);
	if (!slot)
		return;
	for (i = 0; i < stacking->nr_locations; i++)
		*(u32 *)(payload + stacking->locations[i]) += stacking->grow;
	kt_tail_zero(slot, whole);
	memcpy(slot, payload, own);
	memset(slot + own, 0, stacking->offset - own);
	*(u32 *)(slot + stacking->offset) = stack;
	if (size > own)
		memcpy(slot + own + stacking->grow, payload + own, size - own);
	kt_ring_commit(ring, &record);
}

/* ---- making --------------------------------------------------------------- */

static void hide(struct kt_hidden *hidden, unsigned int i, unsigned long begin,
		 unsigned long size)
{
	hidden->code[i].begin = begin;
	hidden->code[i].size = size;
}

/* Between the probe and the tracepoint is only the function that calls all its probes. */
void kt_stacking_attach(struct kt_stacking *stacking,
			const struct kt_event *event)
{
	struct kt_hidden *hidden = &stacking->hidden;
	const struct module *owner = event->owner;
	unsigned long iterator;

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

static int fields_make(struct kt_stacking *stacking,
		       const struct kt_class *base)
{
	struct kt_field *fields;
	u16 i;

	fields = kcalloc(base->nr_fields + 1, sizeof(*fields), GFP_KERNEL);
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
	fields[i] = (struct kt_field){
		.type = "u32",
		.name = KT_STACK_FIELD,
		.offset = stacking->offset,
		.size = sizeof(u32),
	};
	return 0;
}

struct kt_stacking *kt_stacking_make(struct kt_depot *depot,
				     const struct kt_class *class)
{
	struct kt_stacking *stacking = kzalloc(sizeof(*stacking), GFP_KERNEL);

	if (!stacking)
		return NULL;
	stacking->depot = depot;
	stacking->own_size = class->size;
	stacking->offset = ALIGN(class->size, sizeof(u32));
	stacking->grow = stacking->offset + sizeof(u32) - class->size;
	stacking->class = *class;
	stacking->class.size = class->size + stacking->grow;
	stacking->class.nr_fields = class->nr_fields + 1;
	if (fields_make(stacking, class)) {
		kt_stacking_free(stacking);
		return NULL;
	}
	return stacking;
}

void kt_stacking_free(struct kt_stacking *stacking)
{
	if (!stacking)
		return;
	kfree(stacking->class.fields);
	kfree(stacking->locations);
	kfree(stacking);
}
