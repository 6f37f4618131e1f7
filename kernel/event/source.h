/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A source of events: what attaches them.  The kernel's tracepoints are one, system calls
 * are another.  A source registers itself (session/sources.h); sessions and the control
 * tree know no source by name.
 *
 * Attaching is a transaction.  Each event of a batch is attached; then each source that
 * had one is committed, once.  If any of this fails, all events of the batch are detached.
 * After detaching, each source that was touched is synchronized, once, however many
 * events it had: only then nobody runs in a probe any more.
 *
 * All operations are called under kt_mutex, and all but attach and detach may be left out.
 */
#ifndef KT_KERNEL_EVENT_SOURCE_H
#define KT_KERNEL_EVENT_SOURCE_H

#include <linux/list.h>
#include <linux/types.h>

struct kt_enabled;
struct kt_kind;
struct kt_session;
struct module;

struct kt_source {
	const char *name;
	struct module *owner;

	/*
	 * Files that it adds to the control tree, in the root directory and in each
	 * session's.  Lists end with NULL.
	 */
	const struct kt_kind *const *root_files;
	const struct kt_kind *const *session_files;

	/*
	 * What it keeps for each session: so many bytes, zeroed, from when it first asks
	 * for them (kt_source_state_make) or has an event attached.  state_end gives back
	 * what they refer to.  Nobody runs in a probe then.
	 */
	size_t state_size;
	void (*state_end)(void *state);

	/*
	 * The session is new, emptied or about to be switched on: now is the time to
	 * enable events in it that nobody has asked for.
	 */
	void (*offer)(struct kt_session *session);

	/*
	 * What of the machine or the kernel is missing, so that it cannot serve here;
	 * NULL: nothing.
	 */
	const char *(*lacks)(void);

	/*
	 * The probe of the event may run from here on, or from commit on.  Both refuse
	 * with a reason (kt_refuse).  What attach began before it failed, it undoes; a
	 * probe may still run until the source is synchronized.
	 */
	int (*attach)(struct kt_enabled *enabled);
	int (*commit)(struct kt_session *session);
	void (*detach)(struct kt_enabled *enabled);
	/* Waits until no probe runs any more whose event was detached. */
	void (*synchronize)(void);

	/* Hits that the source could not hand to a probe.  The file `overflow' has them. */
	u64 (*missed)(const void *state);

	bool tracepoints; /* each of its events names one, and is there while that is */
	bool partial; /* no event of it says all that its tracepoint tells */
	bool apart;   /* who enables all events at once does not mean its */
	bool traced; /* the kernel's own tracer has these events: its print formats count */

	/* Of session/sources.c. */
	struct list_head node;
	unsigned int number; /* 0: not registered */
	bool touched;
};

#endif /* KT_KERNEL_EVENT_SOURCE_H */
