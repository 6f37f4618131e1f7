/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A source of events: what attaches them.  The kernel's tracepoints are one, system calls
 * are another.  A source registers itself (session/sources.h); sessions and the control
 * tree know no source by name.
 *
 * Attaching is a transaction.  First each event of a batch is attached; then each source
 * that had one is committed, once.  If any of this fails, all events of the batch are
 * detached.  After detaching, each source that was touched is synchronized, once for all
 * its events.  Only then no probe runs any more.
 *
 * All operations are called under kt_mutex.  Only attach and detach are required.
 */
#ifndef KT_KERNEL_EVENT_SOURCE_H
#define KT_KERNEL_EVENT_SOURCE_H

#include <linux/list.h>
#include <linux/types.h>

struct kt_enabled;
struct kt_kind;
struct kt_point_kind;
struct kt_session;
struct module;

struct kt_source {
	const char *name;
	struct module *owner;

	/*
	 * Files that the source adds to the control tree, in the root directory and in each
	 * session's.  Lists end with NULL.
	 */
	const struct kt_kind *const *root_files;
	const struct kt_kind *const *session_files;

	/*
	 * The state that the source keeps for each session: this many bytes, zeroed.  They
	 * exist once the source asks for them (kt_source_state_make) or an event of it is
	 * attached.  state_end frees what the state refers to; no probe runs then.  If it
	 * returns false, the state itself is not freed: something still leads to it.
	 */
	size_t state_size;
	bool (*state_end)(void *state);

	/*
	 * Called when the session is new, emptied or about to be switched on.  The source
	 * may enable events in it that nobody has asked for.
	 */
	void (*offer)(struct kt_session *session);

	/*
	 * What the source needs and this machine or kernel does not have; NULL: nothing is
	 * missing.
	 */
	const char *(*unsupported)(void);

	/*
	 * After attach, or after commit, the event's probe may run.  Without a commit, its
	 * hits are recorded when all events of a batch are attached; with one, at once.
	 * Both report errors with a reason (kt_refuse).  If attach fails, it undoes what it
	 * began; a probe may still run until the source is synchronized.
	 */
	int (*attach)(struct kt_enabled *enabled);
	int (*commit)(struct kt_session *session);
	void (*detach)(struct kt_enabled *enabled);
	/* Waits until no probe of a detached event runs any more. */
	void (*synchronize)(void);

	/*
	 * Hits that the source could not pass to a probe, by reason; shown in the file
	 * `overflow'.  @misses has the names of the reasons, and ends with NULL; without
	 * it there is one reason.
	 */
	u64 (*missed)(const void *state, unsigned int reason);
	const char *const *misses;
	/*
	 * The same for hits that it has recorded, but without what their arguments point to.
	 * They are not among the misses, and have a line of their own: "source captures".
	 */
	u64 (*uncaptured)(const void *state, unsigned int reason);
	const char *const *uncaptured_reasons;

	/*
	 * What its events are attached to: each names one of these points, and exists
	 * while the point does.  NULL: the events exist while they are registered.
	 */
	const struct kt_point_kind *points;

	bool partial; /* its events record only some of what their point offers */
	bool explicit; /* "all events" does not include its events */
	bool interrupts; /* stacks of its events begin with what the interrupt interrupted */
	bool hooks_code; /* they begin with what the probe tells: kt_stack_caller() */
	bool traced; /* ftrace has these events too: use its print formats */

	/* For session/sources.c. */
	struct list_head node;
	unsigned int number; /* 0: not registered */
	bool touched;
};

#endif /* KT_KERNEL_EVENT_SOURCE_H */
