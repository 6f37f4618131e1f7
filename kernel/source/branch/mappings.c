// SPDX-License-Identifier: GPL-2.0-only
/* What threads have mapped: see mappings.h. */
#include <linux/kernel.h>

#include "mappings.h"
#include "program/space.h"

/* Where change @number is kept, or the one that it replaces. */
static u32 slot_of(u32 number)
{
	return number < BRANCH_MAPPINGS_FIRST
		       ? number
		       : BRANCH_MAPPINGS_FIRST +
				 (number - BRANCH_MAPPINGS_FIRST) %
					 BRANCH_MAPPINGS_LAST;
}

static u32 oldest(const struct branch_mappings *mappings)
{
	return mappings->nr > BRANCH_MAPPINGS_FIRST + BRANCH_MAPPINGS_LAST
		       ? mappings->nr - BRANCH_MAPPINGS_LAST
		       : BRANCH_MAPPINGS_FIRST;
}

/* In maps; what is in front of them counts, too. */
static long cost_of(const struct kt_maps *maps)
{
	return maps ? maps->room + 2 : 0;
}

/* Whoever has traced a process may have made it map as much as it can. */
static bool is_kept(const struct branch_mappings *mappings,
		    const struct kt_maps *maps)
{
	if (atomic_long_sub_return(cost_of(maps), mappings->room) >= 0 &&
	    kt_maps_hold(maps))
		return true;
	atomic_long_add(cost_of(maps), mappings->room);
	return false;
}

static bool is_changed(const struct branch_mappings *mappings,
		       const struct kt_maps *now)
{
	return !mappings->nr ||
	       mappings->kept[slot_of(mappings->nr - 1)].maps != now;
}

void branch_mappings_notice(struct branch_mappings *mappings, u64 since,
			    const struct kt_maps *now,
			    const struct kt_maps **dropped)
{
	struct branch_mapping *slot = &mappings->kept[slot_of(mappings->nr)];

	if (!is_changed(mappings, now) || (slot->maps && *dropped))
		return;
	/* What is replaced gives its room back. */
	atomic_long_add(cost_of(slot->maps), mappings->room);
	/* What is not kept is not known. */
	if (now && !is_kept(mappings, now))
		now = NULL;
	if (!now && !is_changed(mappings, NULL)) {
		atomic_long_sub(cost_of(slot->maps), mappings->room);
		return;
	}
	if (slot->maps)
		*dropped = slot->maps;
	*slot = (struct branch_mapping){since, now};
	mappings->nr++;
}

bool branch_mappings_get(const struct branch_mappings *mappings, u32 *number,
			 struct branch_mapping *mapping)
{
	if (*number >= BRANCH_MAPPINGS_FIRST)
		*number = max(*number, oldest(mappings));
	if (*number >= mappings->nr)
		return false;
	*mapping = mappings->kept[slot_of(*number)];
	/* These have a reference already. */
	return !mapping->maps || kt_maps_hold(mapping->maps);
}

void branch_mappings_free(struct branch_mappings *mappings)
{
	const struct kt_maps *maps;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(mappings->kept); i++) {
		maps = mappings->kept[i].maps;
		if (!maps)
			continue;
		atomic_long_add(cost_of(maps), mappings->room);
		kt_maps_put(maps);
	}
}
