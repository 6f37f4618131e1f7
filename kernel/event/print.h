/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own print formats: see print.c. */
#ifndef KT_KERNEL_EVENT_PRINT_H
#define KT_KERNEL_EVENT_PRINT_H

#include <linux/types.h>

struct kt_event;
struct seq_file;
struct tracepoint;

void kt_print_init(void);
/*
 * Around kt_mutex, for who shows print formats: then they are the tracer's.  For who
 * holds kt_mutex already they are the source's own.
 */
void kt_print_lock(void);
void kt_print_unlock(void);
bool kt_print_show(struct seq_file *m, const struct tracepoint *tp,
		   const struct kt_event *event);

#endif /* KT_KERNEL_EVENT_PRINT_H */
