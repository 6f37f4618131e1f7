/* SPDX-License-Identifier: GPL-2.0-only */
/* Events in words: see format.c. */
#ifndef KT_KERNEL_EVENT_FORMAT_H
#define KT_KERNEL_EVENT_FORMAT_H

#include <linux/types.h>

struct kt_enabled;
struct kt_entry;
struct seq_file;

/* What the file `format' says.  @enabled: its place in the session, or NULL. */
void kt_format_show(struct seq_file *m, const struct kt_entry *entry,
		    const struct kt_enabled *enabled);
/* An event's part of `info' and `types'. */
void kt_format_show_event(struct seq_file *m, const struct kt_entry *entry,
			  const struct kt_enabled *enabled);
/* The first line of that. */
void kt_format_show_head(struct seq_file *m, const struct kt_entry *entry,
			 const struct kt_enabled *enabled);

#endif /* KT_KERNEL_EVENT_FORMAT_H */
