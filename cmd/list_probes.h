/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which events are probes, for what `ktrace list -v' says of these. */
#ifndef KT_CMD_LIST_PROBES_H
#define KT_CMD_LIST_PROBES_H

#include <stdbool.h>
#include <stddef.h>

#include <ktrace/probes.h>

#include "base/arena.h"

/* All zero: none. */
struct list_probes {
	struct arena arena;
	struct ktrace_probe *list; /* by system and name */
	size_t nr;
};

/* Returns an exit status. */
int list_probes_read(struct list_probes *probes,
		     struct ktrace_session *session);
/* NULL: it is no probe. */
const struct ktrace_probe *list_probes_find(const struct list_probes *probes,
					    const char *system,
					    const char *name);
void list_probes_free(struct list_probes *probes);

#endif /* KT_CMD_LIST_PROBES_H */
