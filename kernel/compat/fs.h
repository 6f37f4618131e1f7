/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels: file systems. */
#ifndef KT_KERNEL_COMPAT_FS_H
#define KT_KERNEL_COMPAT_FS_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/mm.h>

#ifndef KT_HAS_VM_FLAGS_MOD
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

#ifndef KT_HAS_INODE_INIT_TS
static inline void simple_inode_init_ts(struct inode *inode)
{
#ifdef KT_HAS_SET_CTIME
	inode->i_mtime = inode_set_ctime_current(inode);
#else
	inode->i_mtime = inode->i_ctime = current_time(inode);
#endif
	inode->i_atime = inode->i_mtime;
}
#endif

#ifndef KT_HAS_DEFAULT_D_OP
static inline void set_default_d_op(struct super_block *sb,
				    const struct dentry_operations *ops)
{
	sb->s_d_op = ops;
}
#endif

/* Begins the definition of @name as d_revalidate(dentry, flags). */
#ifdef KT_HAS_REVALIDATE_NAME
#define KT_D_REVALIDATE(name, dentry, flags)                     \
	int name(struct inode *__dir, const struct qstr *__name, \
		 struct dentry *dentry, unsigned int flags)
#else
#define KT_D_REVALIDATE(name, dentry, flags) \
	int name(struct dentry *dentry, unsigned int flags)
#endif

/* Defines @name, for inode_operations.mkdir, by int @make(dir, dentry). */
#if defined(KT_HAS_MKDIR_DENTRY)
#define KT_MKDIR(name, make)                                                   \
	static struct dentry *name(struct mnt_idmap *idmap, struct inode *dir, \
				   struct dentry *dentry, umode_t mode)        \
	{                                                                      \
		return ERR_PTR(make(dir, dentry));                             \
	}
#elif defined(KT_HAS_MKDIR_IDMAP)
#define KT_MKDIR(name, make)                                        \
	static int name(struct mnt_idmap *idmap, struct inode *dir, \
			struct dentry *dentry, umode_t mode)        \
	{                                                           \
		return make(dir, dentry);                           \
	}
#else
#define KT_MKDIR(name, make)                                          \
	static int name(struct user_namespace *ns, struct inode *dir, \
			struct dentry *dentry, umode_t mode)          \
	{                                                             \
		return make(dir, dentry);                             \
	}
#endif

/* When the file was last written. */
#ifdef KT_HAS_INODE_INIT_TS
#define kt_inode_mtime(inode) inode_get_mtime(inode)
#else
#define kt_inode_mtime(inode) ((inode)->i_mtime)
#endif

#endif /* KT_KERNEL_COMPAT_FS_H */
