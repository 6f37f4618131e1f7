/* SPDX-License-Identifier: GPL-2.0-only */
/* Markers of kernel modules: see marker.c. */
#ifndef KT_KERNEL_SOURCE_MARKER_H
#define KT_KERNEL_SOURCE_MARKER_H

struct seq_file;

int kt_markers_init(void);
void kt_markers_exit(void);

/*
 * The control tree's file `markers', under kt_mutex: a line for each place,
 * "MODULE:NAME FILE:LINE FUNCTION:ORDER FORMAT".
 */
void kt_markers_show(struct seq_file *m);

#endif /* KT_KERNEL_SOURCE_MARKER_H */
