/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of the control tree: see tree.c. */
#ifndef KT_KERNEL_TREE_H
#define KT_KERNEL_TREE_H

struct kt_kind;

extern const struct kt_kind kt_tree_root;

#endif /* KT_KERNEL_TREE_H */
