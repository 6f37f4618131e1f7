/* SPDX-License-Identifier: GPL-2.0-only */
/* Print formats of the kernel's own tracer: see print.c. */
#ifndef KT_KERNEL_EVENT_PRINT_H
#define KT_KERNEL_EVENT_PRINT_H

#include <linux/types.h>

struct kt_event;
struct seq_file;
struct tracepoint;

void kt_print_init(void);
/*
 * Taken around kt_mutex by those who show print formats, which are then the tracer's.  If
 * somebody shows them with only kt_mutex held, they are the source's own.
 */
void kt_print_lock(void);
void kt_print_unlock(void);
bool kt_print_show(struct seq_file *m, const struct tracepoint *tp,
		   const struct kt_event *event);

#endif /* KT_KERNEL_EVENT_PRINT_H */
