/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sources of events that there are (event/source.h), and what they keep for each
 * session.  All is protected by kt_mutex.
 */
#ifndef KT_KERNEL_SESSION_SOURCES_H
#define KT_KERNEL_SESSION_SOURCES_H

#include "event/source.h"

struct seq_file;

extern struct list_head kt_sources; /* by number */

/*
 * Before its first event is registered.  The files of a module's source are there when the
 * module's init has succeeded.
 */
void kt_source_register(struct kt_source *source);
/* After its last event is gone. */
void kt_source_unregister(struct kt_source *source);

/* What it keeps for the session.  NULL: nothing yet. */
void *kt_source_state(const struct kt_session *session,
		      const struct kt_source *source);
/* The same, made if need be.  NULL: no memory. */
void *kt_source_state_make(struct kt_session *session,
			   struct kt_source *source);
/* The session ends, and nothing of it runs any more. */
void kt_sources_leave(struct kt_session *session);

void kt_sources_offer(struct kt_session *session);

/* NULL: it can serve. */
const char *kt_source_lacks(const struct kt_source *source);
/* As the source's own.  They remember that it was touched. */
int kt_source_attach(struct kt_source *source, struct kt_enabled *enabled);
void kt_source_detach(struct kt_source *source, struct kt_enabled *enabled);
/* Those that were touched, each once.  If it fails, all is to be detached. */
int kt_sources_commit(struct kt_session *session);
/* The same.  @also: somebody else who waits for his probes; NULL: nobody. */
void kt_sources_synchronize(void (*also)(void));

/* Lines "source NAME missed N" of those that count misses. */
void kt_sources_show_missed(struct seq_file *m,
			    const struct kt_session *session);

#endif /* KT_KERNEL_SESSION_SOURCES_H */
