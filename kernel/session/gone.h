/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that are gone but have records in a session's buffers: see gone.c. */
#ifndef KT_KERNEL_SESSION_GONE_H
#define KT_KERNEL_SESSION_GONE_H

struct kt_enabled;
struct kt_entry;
struct kt_session;
struct seq_file;

void kt_gone_keep(struct kt_session *session, const struct kt_entry *entry,
		  const struct kt_enabled *enabled);
void kt_gone_show(struct seq_file *m, struct kt_session *session);
void kt_gone_forget(struct kt_session *session);

#endif /* KT_KERNEL_SESSION_GONE_H */
