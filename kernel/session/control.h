/* SPDX-License-Identifier: GPL-2.0-only */
/* What is enabled in sessions, their begin and end: see control.c.  Under kt_mutex. */
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
 * Those linked by going: all are enabled or, if one cannot be, no other than before.
 * However many are disabled, their probes are waited for once.
 */
int kt_session_entries_enable(struct kt_session *session,
			      struct list_head *entries, bool enable);
/* All events of @system, or of all systems. */
int kt_session_events_enable(struct kt_session *session,
			     struct kt_system *system, bool enable);
/* '0', '1', or 'X' for some of them. */
char kt_session_events_state(struct kt_session *session,
			     struct kt_system *system);

/* What sessions do when entries go. */
extern const struct kt_registry_ops kt_session_registry_ops;

#endif /* KT_KERNEL_SESSION_CONTROL_H */
