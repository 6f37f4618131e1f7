/* SPDX-License-Identifier: GPL-2.0-only */
/* Print formats of the kernel's own tracer: see print.c. */
#ifndef KT_KERNEL_EVENT_PRINT_H
#define KT_KERNEL_EVENT_PRINT_H

#include <linux/types.h>

struct kt_entry;
struct seq_file;

void kt_print_init(void);
/*
 * Taken around kt_mutex by those who show print formats, which are then the tracer's.  If
 * somebody shows them with only kt_mutex held, they are the source's own.
 */
void kt_print_lock(void);
void kt_print_unlock(void);
/* Of a visible entry.  False: nothing was shown. */
bool kt_print_show(struct seq_file *m, const struct kt_entry *entry);

#endif /* KT_KERNEL_EVENT_PRINT_H */
