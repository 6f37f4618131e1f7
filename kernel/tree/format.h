/* SPDX-License-Identifier: GPL-2.0-only */
/* Events in words: see format.c. */
#ifndef KT_KERNEL_TREE_FORMAT_H
#define KT_KERNEL_TREE_FORMAT_H

#include <linux/types.h>

struct kt_enabled;
struct kt_entry;
struct kt_session;
struct seq_file;

/* What the file `format' says.  @enabled: its place in the session, or NULL. */
void kt_format_show(struct seq_file *m, const struct kt_entry *entry,
		    const struct kt_enabled *enabled);
/* An event's part of `info' and `types'. */
void kt_format_show_event(struct seq_file *m, const struct kt_entry *entry,
			  const struct kt_enabled *enabled);
/* The files `available': a line for each event; `info': all of them. */
void kt_format_show_available(struct seq_file *m, struct kt_session *session);
void kt_format_show_info(struct seq_file *m, struct kt_session *session);
/* Of `info', the events that have an id: what `types' has beside those that are gone. */
void kt_format_show_types(struct seq_file *m, struct kt_session *session);

#endif /* KT_KERNEL_TREE_FORMAT_H */
