/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files `filter', of an event, and `pids', of a session: which hits are recorded.  What
 * becomes of it is in event/gate.h.  All is called under kt_mutex.
 */
#ifndef KT_KERNEL_SESSION_CONDITION_H
#define KT_KERNEL_SESSION_CONDITION_H

struct kt_enabled;
struct kt_entry;
struct kt_session;
struct seq_file;

void kt_filter_show(struct seq_file *m, const struct kt_enabled *enabled);
int kt_filter_write(struct kt_session *session, struct kt_entry *entry,
		    const char *text);
void kt_pids_show(struct seq_file *m, const struct kt_session *session);
int kt_pids_write(struct kt_session *session, char *text);
void kt_pids_clear(struct kt_session *session);

#endif /* KT_KERNEL_SESSION_CONDITION_H */
