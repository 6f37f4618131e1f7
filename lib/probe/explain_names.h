/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What has a name at the place of a probe, and what it would record there. */
#ifndef KT_LIB_PROBE_EXPLAIN_NAMES_H
#define KT_LIB_PROBE_EXPLAIN_NAMES_H

#include <ktrace/probes.h>

#include "base/arena.h"
#include "place.h"
#include "session/prototype.h"

/* Texts are of the arena.  All zero: none. */
struct explained_names {
	struct ktrace_probe_variable *list;
	size_t nr;
	int err;
	struct arena *arena;
};

/* -ENOMEM, with a message.  @list is to be freed also then. */
int explained_names_find(struct explained_names *names, struct prototypes *p,
			 const struct place *place, bool globals);

struct explained_values {
	struct ktrace_probe_value *list;
	size_t nr;
	uint64_t bytes; /* of a record */
	uint64_t texts;
	const char *refused; /* NULL: they can be had */
	struct arena *arena;
};

/* As above.  @source: the place with its debugging information, if that is asked only for this. */
int explained_values_find(struct explained_values *values, struct prototypes *p,
			  const struct place *place, const struct place *source,
			  const char *expressions);

#endif /* KT_LIB_PROBE_EXPLAIN_NAMES_H */
