/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file `filter' of an event, and the files `filtered' and `pids' of a session.  event/gate.h says what
 * they do.  All functions are called under kt_mutex.
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
/* All filters of the session; they are written only to be removed. */
void kt_filters_show(struct seq_file *m, struct kt_session *session);
int kt_filters_write(struct kt_session *session, const char *text);
void kt_pids_show(struct seq_file *m, const struct kt_session *session);
int kt_pids_write(struct kt_session *session, char *text);
void kt_pids_clear(struct kt_session *session);

#endif /* KT_KERNEL_SESSION_CONDITION_H */
