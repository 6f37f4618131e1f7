// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "totals.h"

struct totals totals_of(const struct kt_packet *p)
{
	return (struct totals){
		.events = p->events_before + p->events,
		.lost =
			{
				[KT_LOST_FULL] = p->lost_full,
				[KT_LOST_NESTED] = p->lost_nested,
				[KT_LOST_LARGE] = p->lost_large,
				[KT_LOST_TASK] = p->lost_task,
				[KT_LOST_RECURSION] = p->lost_recursion,
			},
	};
}

void packet_rebase(struct kt_packet *p, const struct totals *base)
{
	p->events_before -= base->events;
	p->lost_full -= base->lost[KT_LOST_FULL];
	p->lost_nested -= base->lost[KT_LOST_NESTED];
	p->lost_large -= base->lost[KT_LOST_LARGE];
	p->lost_task -= base->lost[KT_LOST_TASK];
	p->lost_recursion -= base->lost[KT_LOST_RECURSION];
}
