/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of sources, in the directory of a session: see source_files.c. */
#ifndef KT_KERNEL_TREE_SOURCE_FILES_H
#define KT_KERNEL_TREE_SOURCE_FILES_H

#include <linux/types.h>

struct kt_node;

/* As struct kt_kind has them. */
bool kt_source_files_find(const struct kt_node *dir, const char *name,
			  size_t length, struct kt_node *child);
bool kt_source_files_next(const struct kt_node *dir, unsigned long *pos,
			  char *name);

#endif /* KT_KERNEL_TREE_SOURCE_FILES_H */
