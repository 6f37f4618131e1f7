// SPDX-License-Identifier: GPL-2.0-only
/* Hits that take more than storing registers: hit.h. */
#include <linux/preempt.h>
#include <linux/string.h>

#include "compat/function.h"
#include "event/capturing.h"
#include "event/stack.h"
#include "hit.h"

/* Programs get the values of the first fields. */
static noinline void hit_capture(struct kt_enabled *enabled,
				 const struct probe_definition *definition,
				 const struct pt_regs *regs,
				 const struct kt_caller *caller)
{
	const struct kt_field *fields = definition->definition.fields;
	unsigned int i, nr = definition->definition.class.nr_fields;
	struct kt_capture_frame *frame;
	u32 unread = 0;
	u64 value;

	if (!kt_capture_begin(enabled, &frame))
		return;
	this_cpu_write(kt_capture_reader, preempt_count() | 1);
	memset(frame->arguments, 0, sizeof(frame->arguments));
	for (i = 0; i < nr; i++) {
		value = fetch_value(&definition->fetches[i], regs, i, &unread);
		if (i < KT_CAPTURE_ARGUMENTS)
			frame->arguments[i] = value;
		kt_number_store(frame->payload + fields[i].offset, value,
				fields[i].size);
	}
	this_cpu_write(kt_capture_reader, frame->reader);
	*kt_stack_caller(frame->payload) = *caller;
	kt_capture_end(enabled, frame, frame->arguments);
}

static __always_inline void hit_write(struct kt_enabled *enabled,
				      const struct probe_definition *definition,
				      const struct pt_regs *regs)
{
	u32 size = definition->definition.class.size;
	struct kt_write write __kt_uninitialized;
	void *payload = kt_write_begin(&write, enabled, size, 0);

	if (!payload)
		return;
	kt_tail_zero(payload, size);
	values_store(definition, payload, regs);
	kt_write_end(&write, 0);
}

/* With conditions or a stack. */
static noinline void hit_judge(struct kt_enabled *enabled,
			       const struct probe_definition *definition,
			       const struct pt_regs *regs,
			       const struct kt_caller *caller)
{
	const struct kt_gate *gate = READ_ONCE(enabled->gate);
	struct kt_ring *ring = kt_ring_here(enabled);
	u32 size = definition->definition.class.size;
	struct {
		struct kt_caller caller; /* kt_stack_caller() */
		u8 payload[];
	} * room;

	/* It has just gone. */
	if (!gate)
		hit_write(enabled, definition, regs);
	if (!gate || !kt_gate_admits(gate))
		return;
	room = kt_gate_begin(ring, sizeof(*room) + size);
	if (!room)
		return;
	room->caller = *caller;
	/* The gate copies whole units. */
	kt_tail_zero(room->payload, size);
	values_store(definition, room->payload, regs);
	kt_gate_end(gate, ring->owner, room->payload, size, 0);
	kt_scratch_give(ring->owner, room);
}

/*
 * Reading memory may fault, and what serves the fault may be probed, too: then this would go on
 * until the stack overflows.  So one reads at a time in each context (event/capturing.h).
 */
static bool reading_begin(struct kt_enabled *enabled, u32 *before)
{
	/* Else a hit that nobody wants would be counted as lost. */
	if (kt_write_refused(enabled))
		return false;
	*before = this_cpu_read(kt_capture_reader);
	if (*before && !kt_capture_interrupts(*before)) {
		env_add_local(&kt_ring_here(enabled)
				       ->control->lost[KT_LOST_RECURSION],
			      1);
		return false;
	}
	this_cpu_write(kt_capture_reader, preempt_count() | 1);
	return true;
}

/*
 * A breakpoint counts as a non-maskable interrupt, wherever it is; and there, stacks and strings of
 * programs are not read.  But none runs with interrupts on: so if they were on where it was hit,
 * this is the only one, and may be left out of the count.  They are off until it returns.
 */
static __always_inline int breakpoint_levels(const struct pt_regs *regs)
{
	return in_nmi() && (regs->flags & X86_EFLAGS_IF) && irqs_disabled()
		       ? NMI_OFFSET + HARDIRQ_OFFSET
		       : 0;
}

void probe_hit_slow(struct probe *probe, const struct pt_regs *regs,
		    unsigned long pc)
{
	/* Of what was stopped, all registers are those of that moment. */
	const struct kt_caller caller = {pc, regs->sp, regs->bp,
					 probe->returns ? NULL : regs};
	const struct probe_definition *definition = probe->definition;
	struct kt_enabled *enabled = probe->enabled;
	int count = preempt_count(), levels = breakpoint_levels(regs);
	u32 before;

	if (unlikely(levels))
		preempt_count_set(count - levels);
	barrier();
	/* What an idle CPU does; gates live as long as RCU sees us. */
	if (unlikely(!kt_rcu_is_watching())) {
		atomic64_inc(&probe->idle);
	} else if (enabled->capturing) {
		hit_capture(enabled, definition, regs, &caller);
	} else if (!definition->reads || reading_begin(enabled, &before)) {
		if (READ_ONCE(enabled->gate))
			hit_judge(enabled, definition, regs, &caller);
		else
			hit_write(enabled, definition, regs);
		if (definition->reads)
			this_cpu_write(kt_capture_reader, before);
	}
	barrier();
	/* Not by adding: if there is one bit for all levels, an interrupt may have set it again. */
	if (unlikely(levels))
		preempt_count_set(count);
}
