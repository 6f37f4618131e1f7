/* SPDX-License-Identifier: GPL-2.0-only */
/* What a hit of a probe records. */
#ifndef KT_KERNEL_SOURCE_HIT_H
#define KT_KERNEL_SOURCE_HIT_H

#include "compat/compat.h"
#include "event/write.h"
#include "probe.h"
#include "source/numbers.h"

/*
 * Fields follow each other without gaps.  So all bytes of a value can be stored, if there is room:
 * the next field's come later.
 */
static __always_inline void values_store(
	const struct probe_definition *definition, u8 *payload,
	const struct pt_regs *regs)
{
	unsigned int i, nr = definition->definition.class.nr_fields;
	const struct fetch *fetch = definition->fetches;
	u32 unread = 0;
	u64 value;

	for (i = 0; i < nr; i++, fetch++) {
		if (likely(fetch->plain)) {
			*(u64 *)(payload + fetch->offset) =
				((const u64 *)regs)[fetch->word];
			continue;
		}
		value = fetch_value(fetch, regs, i, &unread);
		kt_number_store(payload + fetch->offset, value,
				definition->definition.fields[i].size);
	}
}

/* Without conditions, and where the record fits into the packet.  False: nothing happened. */
static __always_inline bool hit_try(struct kt_enabled *enabled,
				    const struct probe_definition *definition,
				    const struct pt_regs *regs)
{
	u32 size = definition->definition.class.size;
	struct kt_write write __kt_uninitialized;
	void *payload;

	if (!kt_write_may_try(enabled) ||
	    !kt_write_try_begin(&write, enabled, size, 0, &payload))
		return false;
	kt_tail_zero(payload, size);
	values_store(definition, payload, regs);
	kt_write_try_end(&write);
	return true;
}

/* All but a record of registers without conditions. */
void probe_hit_slow(struct probe *probe, const struct pt_regs *regs,
		    unsigned long pc);

/* With preemption off.  @pc: the instruction, or where the function has returned to. */
static __always_inline void probe_hit(struct probe *probe,
				      const struct pt_regs *regs,
				      unsigned long pc)
{
	kt_probe_enter();
	this_cpu_inc(*probe->hits);
	if (!probe->quick || unlikely(probe->enabled->capturing) ||
	    !hit_try(probe->enabled, probe->definition, regs))
		probe_hit_slow(probe, regs, pc);
	kt_probe_exit();
}

#endif /* KT_KERNEL_SOURCE_HIT_H */
