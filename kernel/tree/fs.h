/* SPDX-License-Identifier: GPL-2.0-only */
/* The file system of the control tree: see fs.c. */
#ifndef KT_KERNEL_TREE_FS_H
#define KT_KERNEL_TREE_FS_H

#include <linux/fs.h>

struct kt_kind;
struct kt_node;

/*
 * The root directory is closed to all but root.  Users whom the mount options (gid=, mode=)
 * let in may do what root can, except read any kernel memory: see access.c.
 */
#define KIND_DIR   (S_IFDIR | 0770)
#define KIND_READ  (S_IFREG | 0440)
#define KIND_BOTH  (S_IFREG | 0660)
#define KIND_WRITE (S_IFREG | 0220)

/* Does the node's object still exist?  May be called without a lock. */
bool kt_node_alive(const struct kt_node *node);

/* The inode takes over the references that @node has, also if this fails. */
struct inode *kt_node_inode(struct super_block *sb, const struct kt_node *node);

/* @root is the kind of the root directory, which is that of the root session. */
int kt_fs_init(const struct kt_kind *root);
void kt_fs_exit(void);

extern const struct inode_operations kt_dir_iops;
struct dentry *kt_dir_lookup(struct inode *dir, struct dentry *dentry,
			     unsigned int flags);

#endif /* KT_KERNEL_TREE_FS_H */
