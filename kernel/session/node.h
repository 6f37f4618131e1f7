/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and directories of the control tree, as seen by those who provide them: sources,
 * and tree/tree.c.  tree/fs.c makes the inodes.
 *
 * Nothing of the tree exists before somebody looks at it.  A directory finds its children
 * in the tables of sessions and events.  An inode holds references on the objects that it
 * stands for, and lives only while it is used.  So a thousand events cost no memory in a
 * session, and they come and go without taking a lock of the VFS.
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
 * A kind of file or directory.  A file has show or write or both, which are called with
 * kt_mutex held; or it has fops.  A directory has some of children, find and next.
 */
struct kt_kind {
	const char *name; /* of a child that always exists */
	umode_t mode;

	int (*show)(struct seq_file *m, const struct kt_node *node);
	size_t show_size; /* estimated size of the text, if large */
	bool prints;	  /* it shows print formats: see event/print.h */
	/*
	 * @text is NUL-terminated, without the last newline.  Errors give a reason with
	 * kt_refuse().
	 */
	int (*write)(const struct kt_node *node, char *text);
	/*
	 * What write needs and cannot get under kt_mutex: called before that is taken, and unless it
	 * fails, finish after it is given back.  May be NULL.
	 */
	int (*prepare)(const struct file *file, const char *text);
	void (*finish)(void);
	size_t write_max; /* 0: KT_WRITE_MAX */
	/*
	 * Called with kt_mutex held when the last reference on an open file that could be
	 * written is gone, also if the node is dead.
	 */
	void (*release)(const struct kt_node *node, const struct file *file);
	const struct file_operations *fops;

	const struct kt_kind *const *children;
	/*
	 * Children that come and go; called under kt_mutex.  find fills in @child for
	 * @name.  next gives the name of the first child at or after *@pos, and sets *@pos
	 * to its position.
	 */
	bool (*find)(const struct kt_node *dir, const char *name, size_t length,
		     struct kt_node *child);
	bool (*next)(const struct kt_node *dir, unsigned long *pos, char *name);
	const struct inode_operations *iops;
};

#define KT_WRITE_MAX	   4095u
#define KT_CHILD_NAME_SIZE 64

/* What an inode stands for; it holds a reference on each of these objects. */
struct kt_node {
	const struct kt_kind *kind;
	struct kt_session *session;
	struct kt_system *system;
	struct kt_entry *entry;
	struct kt_source *source; /* that has this file; pins its module */
	unsigned int cpu;
};

static inline const struct kt_node *kt_node_of(const struct inode *inode)
{
	return inode->i_private;
}

#endif /* KT_KERNEL_SESSION_NODE_H */
