/* SPDX-License-Identifier: GPL-2.0-only */
/* Describes events as text: see format.c. */
#ifndef KT_KERNEL_EVENT_FORMAT_H
#define KT_KERNEL_EVENT_FORMAT_H

#include <linux/types.h>

struct kt_enabled;
struct kt_entry;
struct seq_file;

/* Shows the file `format'.  @enabled: the event in a session, or NULL. */
void kt_format_show(struct seq_file *m, const struct kt_entry *entry,
		    const struct kt_enabled *enabled);
/* Shows one event of `info' or `types'. */
void kt_format_show_event(struct seq_file *m, const struct kt_entry *entry,
			  const struct kt_enabled *enabled);
/* Shows only the first line of that. */
void kt_format_show_head(struct seq_file *m, const struct kt_entry *entry,
			 const struct kt_enabled *enabled);

#endif /* KT_KERNEL_EVENT_FORMAT_H */
