/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of sources of events (event/source.h), and the state that they keep for each
 * session.  All is protected by kt_mutex.
 */
#ifndef KT_KERNEL_SESSION_SOURCES_H
#define KT_KERNEL_SESSION_SOURCES_H

#include "event/source.h"

struct seq_file;

extern struct list_head kt_sources; /* by number */

/*
 * To be called before the source's first event is registered.  The files of a module's
 * source appear when the module's init has succeeded.
 */
void kt_source_register(struct kt_source *source);
/* To be called after the source's last event is unregistered. */
void kt_source_unregister(struct kt_source *source);

/* The source's state for the session.  NULL: none yet. */
void *kt_source_state(const struct kt_session *session,
		      const struct kt_source *source);
/* The same, but makes it if there is none.  NULL: no memory. */
void *kt_source_state_make(struct kt_session *session,
			   struct kt_source *source);
/* Frees all states of a session that ends.  None of its probes runs any more. */
void kt_sources_leave(struct kt_session *session);

void kt_sources_offer(struct kt_session *session);

/* Why the source cannot work on this machine; NULL: it can. */
const char *kt_source_unsupported(const struct kt_source *source);
/* Call the source's operations, and note that the source was touched. */
int kt_source_attach(struct kt_source *source, struct kt_enabled *enabled);
void kt_source_detach(struct kt_source *source, struct kt_enabled *enabled);
/* Commits each source that was touched.  If it fails, the caller detaches everything. */
int kt_sources_commit(struct kt_session *session);
/* Synchronizes each source that was touched, after @also (unless NULL). */
void kt_sources_synchronize(void (*also)(void));

/* Shows lines "source NAME missed N REASON N ..." for the sources that count misses. */
void kt_sources_show_missed(struct seq_file *m,
			    const struct kt_session *session);

#endif /* KT_KERNEL_SESSION_SOURCES_H */
