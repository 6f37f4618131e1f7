/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Places in the kernel that a pattern means: "vfs_*", "MODULE:PATTERN", "vfs_*%return". */
#ifndef KT_LIB_PROBE_KERNEL_PATTERN_H
#define KT_LIB_PROBE_KERNEL_PATTERN_H

#include "place.h"

/* Has the place of a text wildcards? */
bool kernel_pattern_is(const struct place *place);
/*
 * Calls @use with the place of each function that the pattern means, by its name alone.  Those where
 * there can be no probe have `refused', with the reason.  -ENOENT: it means none; -E2BIG: too many.
 */
int kernel_pattern_places(struct ktrace_session *session,
			  const struct place *place,
			  int (*use)(const struct place *place, void *data),
			  void *data);

#endif /* KT_LIB_PROBE_KERNEL_PATTERN_H */
