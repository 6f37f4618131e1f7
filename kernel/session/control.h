/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Enables events in sessions, and creates and ends sessions: see control.c.  Called under
 * kt_mutex.
 */
#ifndef KT_KERNEL_SESSION_CONTROL_H
#define KT_KERNEL_SESSION_CONTROL_H

#include <linux/list.h>

struct kt_entry;
struct kt_registry_ops;
struct kt_session;
struct kt_system;

struct kt_session *kt_session_create(const char *name);
void kt_session_end(struct kt_session *session);

int kt_session_enable(struct kt_session *session, bool enable);
int kt_session_reset(struct kt_session *session);

int kt_session_event_enable(struct kt_session *session, struct kt_entry *entry,
			    bool enable);
/*
 * For the entries linked by going.  Enables all; if one fails, nothing has changed.
 * However many are disabled, it waits for their probes only once.
 */
int kt_session_entries_enable(struct kt_session *session,
			      struct list_head *entries, bool enable);
/* All events of @system, or of all systems if it is NULL. */
int kt_session_events_enable(struct kt_session *session,
			     struct kt_system *system, bool enable);
/* '0' none, '1' all, 'X' some. */
char kt_session_events_state(struct kt_session *session,
			     struct kt_system *system);

/* Detaches events in all sessions when their entries go. */
extern const struct kt_registry_ops kt_session_registry_ops;

#endif /* KT_KERNEL_SESSION_CONTROL_H */
