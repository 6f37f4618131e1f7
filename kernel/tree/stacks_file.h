/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a session's stacks: see stacks_file.c. */
#ifndef KT_KERNEL_TREE_STACKS_FILE_H
#define KT_KERNEL_TREE_STACKS_FILE_H

struct kt_kind;

extern const struct kt_kind kt_stack_file, kt_stacks_file;

#endif /* KT_KERNEL_TREE_STACKS_FILE_H */
