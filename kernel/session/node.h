/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and directories of the control tree, as those see them that have some: sources,
 * and tree/tree.c.  tree/fs.c makes inodes of them.
 *
 * Nothing of the tree exists before somebody looks at it.  A directory finds its
 * children by asking the tables of sessions and events; an inode holds references
 * on what it stands for, and lives as long as it is used.  So a thousand events
 * cost no memory per session, and appear and vanish with no lock of the VFS taken.
 */
#ifndef KT_KERNEL_SESSION_NODE_H
#define KT_KERNEL_SESSION_NODE_H

#include <linux/fs.h>

struct kt_entry;
struct kt_node;
struct kt_session;
struct kt_source;
struct kt_system;
struct seq_file;

/*
 * A kind of file or directory.  Files have show or write or both, called with
 * kt_mutex held, or fops; directories have children, find and next, or some.
 */
struct kt_kind {
	const char *name; /* of children that are always there */
	umode_t mode;

	int (*show)(struct seq_file *m, const struct kt_node *node);
	size_t show_size; /* about what will be shown, if it is much */
	bool prints;	  /* print formats are shown: see event/print.h */
	/*
	 * @text: NUL-terminated, without the last newline.  Refusing, it says why
	 * with kt_refuse().
	 */
	int (*write)(const struct kt_node *node, char *text);
	size_t write_max; /* 0: KT_WRITE_MAX */
	const struct file_operations *fops;

	const struct kt_kind *const *children;
	/*
	 * Children that come and go, under kt_mutex.  find fills @child with what
	 * @name stands for; next gives the name of the first child at or after
	 * *@pos, and its position there.
	 */
	bool (*find)(const struct kt_node *dir, const char *name, size_t length,
		     struct kt_node *child);
	bool (*next)(const struct kt_node *dir, unsigned long *pos, char *name);
	const struct inode_operations *iops;
};

#define KT_WRITE_MAX	   4095u
#define KT_CHILD_NAME_SIZE 64

/* What an inode stands for; it holds a reference on each of these. */
struct kt_node {
	const struct kt_kind *kind;
	struct kt_session *session;
	struct kt_system *system;
	struct kt_entry *entry;
	struct kt_source *source; /* whose file it is; its module stays */
	unsigned int cpu;
};

static inline const struct kt_node *kt_node_of(const struct inode *inode)
{
	return inode->i_private;
}

#endif /* KT_KERNEL_SESSION_NODE_H */
