/* SPDX-License-Identifier: GPL-2.0-only */
/* The files buffers/cpuN: see buffer_file.c. */
#ifndef KT_KERNEL_TREE_BUFFER_FILE_H
#define KT_KERNEL_TREE_BUFFER_FILE_H

struct file_operations;

extern const struct file_operations kt_buffer_fops;

#endif /* KT_KERNEL_TREE_BUFFER_FILE_H */
