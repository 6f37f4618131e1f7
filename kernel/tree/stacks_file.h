/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of a session's stacks: see stacks_file.c. */
#ifndef KT_KERNEL_TREE_STACKS_FILE_H
#define KT_KERNEL_TREE_STACKS_FILE_H

#include <linux/fs.h>

extern const struct file_operations kt_stacks_fops;

#endif /* KT_KERNEL_TREE_STACKS_FILE_H */
