// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks conditions before an event is recorded.
 *
 * A record cannot be taken back from a ring.  So if an event has a gate, its payload is
 * built in the scratch area of this CPU and session, and copied to the ring if it passes.
 *
 * Probes read the gate with preemption off, and use it until they have written.  It is
 * replaced under kt_mutex; the old gate and its predicate are freed an RCU grace period
 * later.
 */
#include <linux/export.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filter.h"
#include "gate.h"
#include "stack.h"

/* ---- what probes call ----------------------------------------------------- */

void *kt_gate_count_loss(struct kt_ring *ring, u32 size)
{
	enum kt_lost cause =
		size > KT_PAYLOAD_MAX ? KT_LOST_LARGE : KT_LOST_NESTED;

	env_add_local(&ring->control->lost[cause], 1);
	return NULL;
}
EXPORT_SYMBOL_GPL(kt_gate_count_loss);

bool kt_gate_judges(const struct kt_gate *gate, const void *payload, u32 size,
		    unsigned int cpu)
{
	return !gate->predicate ||
	       kt_filter_run(&gate->predicate->filter, payload, size, cpu);
}
EXPORT_SYMBOL_GPL(kt_gate_judges);

/* Copies whole units: the writer has zeroed the bytes behind the payload. */
static noinline void gate_copy(const struct kt_gate *gate,
			       struct kt_buffer *buffer, void *payload,
			       u32 size, unsigned int flags)
{
	struct kt_record record;
	void *slot;

	slot = kt_ring_reserve(buffer->ring, &record, gate->enabled->id, size,
			       flags);
	if (slot) {
		memcpy(slot, payload, ALIGN(size, KT_UNIT));
		kt_ring_commit(buffer->ring, &record);
	}
	kt_scratch_give(buffer, payload);
}

/* Only jumps, so that a stack begins at who has called. */
static __always_inline void gate_pass(const struct kt_gate *gate,
				      struct kt_buffer *buffer, void *payload,
				      u32 size, unsigned int flags)
{
	if (gate->stacking)
		kt_stack_write(gate->stacking, buffer->ring, gate->enabled->id,
			       payload, size, flags);
	else
		gate_copy(gate, buffer, payload, size, flags);
}

/* Runs the tests of the filter from @at on. */
static noinline void gate_end_rest(const struct kt_gate *gate,
				   struct kt_buffer *buffer, void *payload,
				   u32 size, unsigned int flags, u32 at)
{
	if (kt_filter_run_rest(&gate->predicate->filter, payload, size,
			       buffer->cpu, at))
		gate_pass(gate, buffer, payload, size, flags);
	else
		kt_scratch_give(buffer, payload);
}

/*
 * If tests of numbers refuse the event, all is done here.  This calls no function, so it
 * needs no stack frame.
 */
void kt_gate_end(const struct kt_gate *gate, struct kt_buffer *buffer,
		 void *payload, u32 size, unsigned int flags)
{
	const struct predicate *predicate = gate->predicate;
	u32 at;

	if (!predicate) {
		gate_pass(gate, buffer, payload, size, flags);
		return;
	}
	at = kt_filter_run_numbers(&predicate->filter, payload);
	if (likely(at == KT_FILTER_NO))
		kt_scratch_give(buffer, payload);
	else
		gate_end_rest(gate, buffer, payload, size, flags, at);
}
EXPORT_SYMBOL_GPL(kt_gate_end);

/* ---- gates ---------------------------------------------------------------- */

void kt_enabled_direct(struct kt_enabled *enabled)
{
	WRITE_ONCE(enabled->direct,
		   !enabled->gate &&
			   enabled->id + kt_class_ids(enabled->event->class) <=
				   KT_ID_EXTENDED);
}

static void gate_set(struct kt_enabled *enabled, struct kt_gate *gate)
{
	smp_store_release(&enabled->gate, gate);
	kt_enabled_direct(enabled);
}

int kt_gate_replace(struct kt_enabled *enabled, const unsigned long *pids,
		    struct predicate *predicate)
{
	struct kt_gate *old = enabled->gate, *gate = NULL;
	struct kt_stacking *stacking = old ? old->stacking : NULL;

	if (pids || predicate || stacking) {
		gate = kmalloc(sizeof(*gate), GFP_KERNEL);
		if (!gate)
			return -ENOMEM;
		gate->enabled = enabled;
		gate->pids = pids;
		gate->predicate = predicate;
		gate->stacking = stacking;
	}
	gate_set(enabled, gate);
	if (!old)
		return 0;
	if (old->predicate && old->predicate != predicate)
		kfree_rcu(old->predicate, rcu);
	kfree_rcu(old, rcu);
	return 0;
}

int kt_gate_create(struct kt_enabled *enabled)
{
	struct kt_gate *gate = kzalloc(sizeof(*gate), GFP_KERNEL);

	if (!gate)
		return -ENOMEM;
	gate->enabled = enabled;
	gate_set(enabled, gate);
	return 0;
}

void kt_gate_stack(struct kt_enabled *enabled, struct kt_stacking *stacking)
{
	kt_stacking_free(enabled->gate->stacking);
	enabled->gate->stacking = stacking;
	/* A gate that does nothing is not needed; without memory, it stays. */
	if (!stacking && !kt_gate_refuses_any(enabled->gate))
		kt_gate_replace(enabled, NULL, NULL);
}

void kt_gate_drop(struct kt_enabled *enabled)
{
	if (enabled->gate) {
		kt_stacking_free(enabled->gate->stacking);
		kfree(enabled->gate->predicate);
	}
	kfree(enabled->gate);
	kfree(enabled->filter_text);
}

/* ---- filters -------------------------------------------------------------- */

static u8 field_kind(const struct kt_field *field)
{
	if (!strcmp(field->type, "__data_loc char[]"))
		return KT_FILTER_DYNAMIC;
	if (str_has_prefix(field->type, "__data_loc"))
		return KT_FILTER_OPAQUE;
	if (strchr(field->type, '['))
		return str_has_prefix(field->type, "char[") ? KT_FILTER_STRING
							    : KT_FILTER_OPAQUE;
	if (!is_power_of_2(field->size) || field->size > 8)
		return KT_FILTER_OPAQUE;
	return field->is_signed ? KT_FILTER_SIGNED : KT_FILTER_UNSIGNED;
}

static bool filter_lookup(void *data, const char *name, size_t length,
			  struct kt_filter_field *found)
{
	const struct kt_class *class = data;
	u16 i;

	for (i = 0; i < class->nr_fields; i++) {
		const struct kt_field *field = &class->fields[i];

		if (strlen(field->name) != length ||
		    memcmp(field->name, name, length))
			continue;
		*found = (struct kt_filter_field){
			.offset = field->offset,
			.size = field->size,
			.kind = field_kind(field),
		};
		return true;
	}
	return false;
}

int kt_predicate_make(struct predicate **made, const struct kt_class *class,
		      const char *text, struct kt_filter_error *error)
{
	struct predicate *predicate = kmalloc(sizeof(*predicate), GFP_KERNEL);
	int err;

	if (!predicate)
		return -ENOMEM;
	err = kt_filter_compile(&predicate->filter, text, filter_lookup,
				(void *)class, class->size, error);
	if (err) {
		kfree(predicate);
		return err;
	}
	*made = predicate;
	return 0;
}
EXPORT_SYMBOL_GPL(kt_predicate_make);
/* Sources may have predicates of their own. */
EXPORT_SYMBOL_GPL(kt_filter_run_rest);
