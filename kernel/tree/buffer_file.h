/* SPDX-License-Identifier: GPL-2.0-only */
/* The folder `buffers' and its files: see buffer_file.c. */
#ifndef KT_KERNEL_TREE_BUFFER_FILE_H
#define KT_KERNEL_TREE_BUFFER_FILE_H

struct kt_kind;

/* The directory of the CPUs' files. */
extern const struct kt_kind kt_buffers_dir;

#endif /* KT_KERNEL_TREE_BUFFER_FILE_H */
