/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the sources of a session could not record. */
#ifndef KT_LIB_RECORD_MISSES_H
#define KT_LIB_RECORD_MISSES_H

#include <ktrace/session.h>

#include "hits.h"

/* All zero: none. */
struct misses {
	struct ktrace_miss *list;
	size_t nr;
	char *text;	  /* has the names */
	struct hits hits; /* of each probe */
};

/* What was missed since the session was made.  Frees what @misses had. */
int misses_read(struct ktrace_session *session, struct misses *misses);
/*
 * From the texts of the control tree's files overflow and probe_hits, which it takes.  @hits may be
 * NULL.  -ENOMEM.
 */
int misses_parse(char *text, char *hits, struct misses *misses);
/* Takes off what had been missed before. */
void misses_subtract(struct misses *misses, const struct misses *before);
/* Reads once: *@since has what came since @before, *@all all. */
int misses_since(struct ktrace_session *session, const struct misses *before,
		 struct misses *since, struct misses *all);
void misses_free(struct misses *misses);

#endif /* KT_LIB_RECORD_MISSES_H */
