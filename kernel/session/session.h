/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: buffers, a mode, and a set of enabled events with their filters.  The root of
 * the control tree is one; mkdir in sessions/ makes others.  Sessions are independent.
 *
 * kt_mutex (base/lock.h) protects all of a session but its buffers (see buffer.h), and
 * keeps sessions from ending.  A session is freed when it has ended (dead) and the last
 * inode of its part of the tree is gone.  An open file keeps its inode.
 */
#ifndef KT_KERNEL_SESSION_H
#define KT_KERNEL_SESSION_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/threads.h>
#include <linux/xarray.h>

#include "base/lock.h"
#include "event/buffer.h"
#include "event/event.h"

#define KT_SESSION_NAME_MAX 63
#define KT_REASON_MAX	    256

struct dentry;
struct file;
struct kt_depot;
struct kt_system;

/*
 * A bit for each possible process.  Probes read it in any context, even NMI; forks change
 * it.
 */
struct kt_pids {
	DECLARE_BITMAP(bits, PID_MAX_LIMIT);
};

/* The bitmap for gates; @pids may be NULL. */
static inline const unsigned long *kt_pids_bits(const struct kt_pids *pids)
{
	return pids ? pids->bits : NULL;
}

struct kt_session {
	struct kref ref;
	struct list_head node;		    /* kt_sessions */
	unsigned long cookie;		    /* its position in sessions/ */
	char name[KT_SESSION_NAME_MAX + 1]; /* empty: the root */
	bool dead;
	bool enabled;
	struct kt_buffers buffers;
	bool switch_attached;	/* task.c's own probe */
	u32 stack_size;		/* bytes of the depot */
	struct kt_depot *depot; /* of stacks; NULL: none yet */

	u32 next_id;
	struct xarray events;  /* struct kt_enabled, by its entry's cookie */
	struct kt_pids *pids;  /* NULL: all processes */
	struct list_head gone; /* see gone.c */
	struct xarray states;  /* of sources, by number: see sources.h */

	char reason[KT_REASON_MAX]; /* of the last refusal */
	char *blame;		    /* the file to which was written then */
};

extern struct list_head kt_sessions; /* the root first */

struct kt_session *kt_session_find(const char *name, size_t length);
void kt_session_release(struct kref *ref);

static inline struct kt_session *kt_session_root(void)
{
	return list_first_entry(&kt_sessions, struct kt_session, node);
}

static inline struct kt_session *kt_session_get(struct kt_session *session)
{
	kref_get(&session->ref);
	return session;
}

static inline void kt_session_put(struct kt_session *session)
{
	kref_put(&session->ref, kt_session_release);
}

/* The session's data of the event; NULL: none. */
struct kt_enabled *kt_session_event(struct kt_session *session,
				    const struct kt_entry *entry);
/* The same, but makes it if there is none.  NULL: no memory. */
struct kt_enabled *kt_session_event_make(struct kt_session *session,
					 struct kt_entry *entry);

/*
 * All events of the session that have data, in the order of their entries.  What is done with one
 * of them must not free another one; one that it adds may not be met.
 *
 * They are fetched in batches, because a step of xa_for_each() takes 150 instructions, and a
 * recorder's session has more than a thousand events and is walked twenty times.
 */
struct kt_walk {
	struct kt_session *session;
	unsigned long next; /* cookie */
	unsigned int at, nr;
	struct kt_enabled *batch[16];
};

struct kt_enabled *kt_walk_fetch(struct kt_walk *walk);

static inline struct kt_enabled *kt_walk_next(struct kt_walk *walk)
{
	return walk->at < walk->nr ? walk->batch[walk->at++]
				   : kt_walk_fetch(walk);
}

#define kt_for_each_event(of, enabled)                 \
	for (struct kt_walk walk_ = {.session = (of)}; \
	     (enabled = kt_walk_next(&walk_));)

/* The event must not be wanted or attached, and no longer in the session's table. */
void kt_enabled_free(struct kt_enabled *enabled);

/*
 * kt_refuse() keeps the reason and returns @err.  A caller that knows the file which was
 * written then adds its name by kt_session_blame().
 */
__printf(3, 4) int kt_refuse(struct kt_session *session, int err,
			     const char *format, ...);
void kt_session_blame(struct kt_session *session, struct file *file);

#endif /* KT_KERNEL_SESSION_H */
