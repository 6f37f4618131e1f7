/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What each probe of a session was hit, and what it has missed. */
#ifndef KT_LIB_RECORD_HITS_H
#define KT_LIB_RECORD_HITS_H

#include <ktrace/session.h>

/* All zero: no probe. */
struct hits {
	struct ktrace_probe_hits *list;
	size_t nr;
	char *text; /* has the names */
};

/* The text of the control tree's file probe_hits; NULL: there is none.  To be freed. */
int hits_text(struct ktrace_session *session, char **text);
/* From such a text, which it takes.  Frees what @hits had.  -ENOMEM. */
int hits_parse(char *text, struct hits *hits);
/* Takes off what there had been before, and leaves out those that were not reached since. */
void hits_subtract(struct hits *hits, const struct hits *before);
void hits_free(struct hits *hits);

#endif /* KT_LIB_RECORD_HITS_H */
