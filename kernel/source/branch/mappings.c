// SPDX-License-Identifier: GPL-2.0-only
/* What threads have mapped: see mappings.h. */
#include <linux/kernel.h>

#include "mappings.h"
#include "program/space.h"

static u32 oldest(const struct branch_mappings *mappings)
{
	return mappings->nr > BRANCH_MAPPINGS_KEPT
		       ? mappings->nr - BRANCH_MAPPINGS_KEPT
		       : 0;
}

void branch_mappings_notice(struct branch_mappings *mappings, u64 since,
			    const struct kt_maps *now,
			    const struct kt_maps **dropped)
{
	struct branch_mapping *slot =
		&mappings->kept[mappings->nr % BRANCH_MAPPINGS_KEPT];
	u32 last = (mappings->nr - 1) % BRANCH_MAPPINGS_KEPT;

	if (!mappings->wanted || !now ||
	    (mappings->nr && mappings->kept[last].maps == now))
		return;
	if (slot->maps && *dropped)
		return;
	if (!kt_maps_hold(now))
		return;
	if (slot->maps)
		*dropped = slot->maps;
	*slot = (struct branch_mapping){since, now};
	mappings->nr++;
}

bool branch_mappings_get(const struct branch_mappings *mappings, u32 *number,
			 struct branch_mapping *mapping)
{
	*number = max(*number, oldest(mappings));
	if (*number >= mappings->nr)
		return false;
	*mapping = mappings->kept[*number % BRANCH_MAPPINGS_KEPT];
	/* This has a reference already. */
	return kt_maps_hold(mapping->maps);
}

void branch_mappings_free(struct branch_mappings *mappings)
{
	u32 i;

	for (i = 0; i < BRANCH_MAPPINGS_KEPT; i++)
		if (mappings->kept[i].maps)
			kt_maps_put(mappings->kept[i].maps);
}
