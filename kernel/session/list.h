/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of events: see list.c.  All is called under kt_mutex. */
#ifndef KT_KERNEL_SESSION_LIST_H
#define KT_KERNEL_SESSION_LIST_H

struct kt_session;
struct seq_file;

/* The files `available' (a line for each event) and `info' (all about them). */
void kt_list_available(struct seq_file *m, struct kt_session *session);
void kt_list_info(struct seq_file *m, struct kt_session *session);
/* For `types': the part of `info' about events that have an id. */
void kt_list_types(struct seq_file *m, struct kt_session *session);

#endif /* KT_KERNEL_SESSION_LIST_H */
