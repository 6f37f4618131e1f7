/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that sources add to the directory of a session: see source_files.c. */
#ifndef KT_KERNEL_TREE_SOURCE_FILES_H
#define KT_KERNEL_TREE_SOURCE_FILES_H

#include <linux/types.h>

struct kt_node;

/* For find and next of struct kt_kind. */
bool kt_source_files_find(const struct kt_node *dir, const char *name,
			  size_t length, struct kt_node *child);
bool kt_source_files_next(const struct kt_node *dir, unsigned long *pos,
			  char *name);

#endif /* KT_KERNEL_TREE_SOURCE_FILES_H */
