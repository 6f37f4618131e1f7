// SPDX-License-Identifier: GPL-2.0-only
/*
 * ktracefs: the file system of the control tree.  It is not part of debugfs, because a
 * locked-down kernel (Secure Boot) refuses debugfs files that can be written or mapped.
 * session/node.h explains how the tree works; tree.c has the list of files.
 *
 * A dentry is dropped with its last user, and revalidated before each use.  So a name
 * always leads to the object that has this name now.
 *
 * Inodes belong to the user and group of the mount.  The mode of the root directory closes
 * the tree to all but root, unless mount options say otherwise.
 */
#include <linux/debugfs.h>
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/kobject.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/uaccess.h>

#include "session/access.h"
#include "compat/fs.h"
#include "event/print.h"
#include "fs.h"
#include "event/registry.h"
#include "event/source.h"
#include "session/session.h"
#include "session/node.h"

#define KT_FS_MAGIC 0x6b747263 /* "ktrc" */

struct fs_owner {
	kuid_t uid;
	kgid_t gid;
	umode_t mode; /* of the root directory */
};

/* Options of a mount; what is not given stays as it is. */
struct fs_options {
	struct fs_owner owner;
	unsigned int given; /* a bit for each OPTION_ */
};

static const struct kt_kind *root_kind;
static const struct file_operations dir_fops;
static const struct file_operations text_fops;

/* ---- nodes ---------------------------------------------------------------- */

bool kt_node_alive(const struct kt_node *node)
{
	if (READ_ONCE(node->session->dead))
		return false;
	if (node->entry)
		return READ_ONCE(node->entry->event) &&
		       READ_ONCE(node->entry->point);
	if (node->system)
		return READ_ONCE(node->system->nr_visible);
	return true;
}

/*
 * Shows files of a module only once its init has succeeded.  If init fails, the module is
 * freed even if somebody holds a reference on it.
 */
static bool source_get(const struct kt_source *source)
{
	return (source->owner == THIS_MODULE ||
		READ_ONCE(source->owner->state) == MODULE_STATE_LIVE) &&
	       try_module_get(source->owner);
}

/* False: the file's source is being loaded or unloaded. */
static bool node_get(const struct kt_node *node)
{
	if (node->source && !source_get(node->source))
		return false;
	kt_session_get(node->session);
	if (node->system)
		kref_get(&node->system->ref);
	if (node->entry)
		kref_get(&node->entry->ref);
	return true;
}

static void node_put(const struct kt_node *node)
{
	if (node->entry)
		kt_entry_put(node->entry);
	if (node->system)
		kt_system_put(node->system);
	kt_session_put(node->session);
	if (node->source)
		module_put(node->source->owner);
}

struct inode *kt_node_inode(struct super_block *sb, const struct kt_node *node)
{
	const struct fs_owner *owner = sb->s_fs_info;
	const struct kt_kind *kind = node->kind;
	struct kt_node *own;
	struct inode *inode;

	own = kmemdup(node, sizeof(*node), GFP_KERNEL);
	if (!own)
		goto err_put;
	inode = new_inode(sb);
	if (!inode)
		goto err_free;
	inode->i_ino = get_next_ino();
	inode->i_mode = kind->mode;
	inode->i_uid = owner->uid;
	inode->i_gid = owner->gid;
	inode->i_private = own;
	simple_inode_init_ts(inode);
	if (S_ISDIR(kind->mode)) {
		inode->i_op = kind->iops ?: &kt_dir_iops;
		inode->i_fop = &dir_fops;
		set_nlink(inode, 2);
	} else {
		inode->i_fop = kind->fops ?: &text_fops;
	}
	return inode;

err_free:
	kfree(own);
err_put:
	node_put(node);
	return ERR_PTR(-ENOMEM);
}

static void fs_evict_inode(struct inode *inode)
{
	truncate_inode_pages_final(&inode->i_data);
	clear_inode(inode);
	if (inode->i_private) {
		node_put(inode->i_private);
		kfree(inode->i_private);
	}
}

/* ---- directories ---------------------------------------------------------- */

static const struct kt_kind *kind_child(const struct kt_kind *kind,
					const struct qstr *name)
{
	const struct kt_kind *const *child;

	for (child = kind->children; child && *child; child++) {
		if (strlen((*child)->name) == name->len &&
		    !memcmp((*child)->name, name->name, name->len))
			return *child;
	}
	return NULL;
}

/* Finds a child, and takes the references for its inode. */
static bool node_child(const struct kt_node *dir, const struct qstr *name,
		       struct kt_node *child)
{
	const struct kt_kind *kind = dir->kind;
	bool found;

	*child = *dir;
	child->kind = kind_child(kind, name);
	mutex_lock(&kt_mutex);
	found = kt_node_alive(dir) &&
		(child->kind ||
		 (kind->find && kind->find(dir, name->name, name->len, child)));
	found = found && node_get(child);
	mutex_unlock(&kt_mutex);
	return found;
}

struct dentry *kt_dir_lookup(struct inode *dir, struct dentry *dentry,
			     unsigned int flags)
{
	struct inode *inode = NULL;
	struct kt_node child;

	if (dentry->d_name.len > NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	if (node_child(kt_node_of(dir), &dentry->d_name, &child))
		inode = kt_node_inode(dir->i_sb, &child);
	/* NULL: a negative dentry, so that mkdir can use the name. */
	return d_splice_alias(inode, dentry);
}

static int dir_iterate(struct file *file, struct dir_context *ctx)
{
	const struct kt_node *dir = kt_node_of(file_inode(file));
	const struct kt_kind *kind = dir->kind;
	unsigned long nr = 0;

	if (!dir_emit_dots(file, ctx))
		return 0;
	while (kind->children && kind->children[nr])
		nr++;
	while (ctx->pos - 2 < nr) {
		const struct kt_kind *child = kind->children[ctx->pos - 2];

		if (!dir_emit(ctx, child->name, strlen(child->name),
			      get_next_ino(), fs_umode_to_dtype(child->mode)))
			return 0;
		ctx->pos++;
	}
	while (kind->next) {
		unsigned long pos = ctx->pos - 2 - nr;
		char name[KT_CHILD_NAME_SIZE];
		bool more;

		/* Not held in dir_emit(), which writes to user memory. */
		mutex_lock(&kt_mutex);
		more = kt_node_alive(dir) && kind->next(dir, &pos, name);
		mutex_unlock(&kt_mutex);
		if (!more)
			break;
		ctx->pos = 2 + nr + pos;
		if (!dir_emit(ctx, name, strlen(name), get_next_ino(),
			      DT_UNKNOWN))
			return 0;
		ctx->pos++;
	}
	return 0;
}

static const struct file_operations dir_fops = {
	.owner = THIS_MODULE,
	.read = generic_read_dir,
	.iterate_shared = dir_iterate,
	.llseek = generic_file_llseek,
};

const struct inode_operations kt_dir_iops = {
	.lookup = kt_dir_lookup,
};

/* ---- text files ----------------------------------------------------------- */

static int text_show(struct seq_file *m, void *unused)
{
	const struct kt_node *node = m->private;
	int err = -ENODEV;

	if (node->kind->prints)
		kt_print_lock();
	mutex_lock(&kt_mutex);
	if (kt_node_alive(node))
		err = node->kind->show(m, node);
	mutex_unlock(&kt_mutex);
	if (node->kind->prints)
		kt_print_unlock();
	return err;
}

static int text_open(struct inode *inode, struct file *file)
{
	const struct kt_node *node = kt_node_of(inode);
	const struct kt_kind *kind = node->kind;
	int err = kt_access_open();

	if (err)
		return err;
	if ((file->f_mode & FMODE_READ) && !kind->show)
		return -EACCES;
	if ((file->f_mode & FMODE_WRITE) && !kind->write)
		return -EACCES;
	if (!kind->show)
		return nonseekable_open(inode, file);
	return single_open_size(file, text_show, (void *)node,
				kind->show_size ?: PAGE_SIZE);
}

static int text_release(struct inode *inode, struct file *file)
{
	const struct kt_node *node = kt_node_of(inode);

	if (node->kind->release && (file->f_mode & FMODE_WRITE)) {
		mutex_lock(&kt_mutex);
		node->kind->release(node, file);
		mutex_unlock(&kt_mutex);
	}
	return node->kind->show ? single_release(inode, file) : 0;
}

/* What is written, with a zero behind it. */
static char *text_take(const char __user *from, size_t size)
{
	char *text = kvmalloc(size + 1, GFP_KERNEL_ACCOUNT);

	if (!text)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(text, from, size)) {
		kvfree(text);
		return ERR_PTR(-EFAULT);
	}
	text[size] = '\0';
	return text;
}

/* Each write is one command; *pos does not matter. */
static ssize_t text_write(struct file *file, const char __user *from,
			  size_t size, loff_t *pos)
{
	const struct kt_node *node = kt_node_of(file_inode(file));
	const struct kt_kind *kind = node->kind;
	size_t max = kind->write_max ?: KT_WRITE_MAX;
	char *text = NULL;
	int err;

	if (size && size <= max) {
		text = text_take(from, size);
		if (IS_ERR(text))
			return PTR_ERR(text);
	}
	if (text && kind->prepare) {
		err = kind->prepare(file, text);
		if (err) {
			kvfree(text);
			return err;
		}
	}

	mutex_lock(&kt_mutex);
	if (!kt_node_alive(node)) {
		err = -ENODEV;
	} else if (!size) {
		err = kt_refuse(node->session, -EINVAL, "nothing was written");
	} else if (!text) {
		err = kt_refuse(node->session, -E2BIG,
				"%zu bytes are too many at once: %zu at most",
				size, max);
	} else if (strlen(text) != size) {
		err = kt_refuse(node->session, -EINVAL,
				"there is a zero byte in it");
	} else {
		if (text[size - 1] == '\n')
			text[size - 1] = '\0';
		kt_access_begin(file);
		err = kind->write(node, text);
		kt_access_end();
	}
	if (err)
		kt_session_blame(node->session, file);
	mutex_unlock(&kt_mutex);
	if (text && kind->prepare)
		kind->finish();
	kvfree(text);
	return err ?: size;
}

static const struct file_operations text_fops = {
	.owner = THIS_MODULE,
	.open = text_open,
	.release = text_release,
	.read = seq_read,
	.write = text_write,
	.llseek = seq_lseek,
};

/* ---- the mount ------------------------------------------------------------ */

/* Called before a cached name is used again. */
static KT_D_REVALIDATE(fs_revalidate, dentry, flags)
{
	const struct inode *inode;

	if (flags & LOOKUP_RCU)
		return -ECHILD;
	inode = d_inode(dentry);
	return inode && kt_node_alive(kt_node_of(inode));
}

static int fs_delete_dentry(const struct dentry *dentry)
{
	return 1;
}

static const struct dentry_operations fs_dentry_ops = {
	.d_revalidate = fs_revalidate,
	.d_delete = fs_delete_dentry,
};

static int fs_show_options(struct seq_file *m, struct dentry *root)
{
	const struct fs_owner *owner = root->d_sb->s_fs_info;

	if (!uid_eq(owner->uid, GLOBAL_ROOT_UID))
		seq_printf(m, ",uid=%u",
			   from_kuid_munged(&init_user_ns, owner->uid));
	if (!gid_eq(owner->gid, GLOBAL_ROOT_GID))
		seq_printf(m, ",gid=%u",
			   from_kgid_munged(&init_user_ns, owner->gid));
	seq_printf(m, ",mode=%o", owner->mode);
	return 0;
}

static const struct super_operations fs_super_ops = {
	.statfs = simple_statfs,
	.evict_inode = fs_evict_inode,
	.show_options = fs_show_options,
};

enum { OPTION_UID, OPTION_GID, OPTION_MODE };

static const struct fs_parameter_spec fs_parameters[] = {
	fsparam_u32("uid", OPTION_UID),
	fsparam_u32("gid", OPTION_GID),
	fsparam_u32oct("mode", OPTION_MODE),
	{}};

static int fs_parse_param(struct fs_context *fc, struct fs_parameter *param)
{
	struct fs_options *options = fc->fs_private;
	struct fs_owner *owner = &options->owner;
	struct fs_parse_result result;
	int option = fs_parse(fc, fs_parameters, param, &result);

	if (option >= 0)
		options->given |= BIT(option);
	switch (option) {
	case OPTION_UID:
		owner->uid = make_kuid(current_user_ns(), result.uint_32);
		if (!uid_valid(owner->uid))
			return invalf(fc, "ktracefs: no such uid");
		return 0;
	case OPTION_GID:
		owner->gid = make_kgid(current_user_ns(), result.uint_32);
		if (!gid_valid(owner->gid))
			return invalf(fc, "ktracefs: no such gid");
		return 0;
	case OPTION_MODE:
		if (result.uint_32 & ~0777)
			return invalf(fc, "ktracefs: mode is more than 0777");
		owner->mode = result.uint_32;
		return 0;
	default:
		return option;
	}
}

/* Called under the lock of the super block. */
static void fs_apply(struct super_block *sb, struct inode *root,
		     const struct fs_options *options)
{
	struct fs_owner *owner = sb->s_fs_info;

	if (options->given & BIT(OPTION_UID))
		owner->uid = options->owner.uid;
	if (options->given & BIT(OPTION_GID))
		owner->gid = options->owner.gid;
	if (options->given & BIT(OPTION_MODE))
		owner->mode = options->owner.mode;
	root->i_mode = S_IFDIR | owner->mode;
	root->i_uid = owner->uid;
	root->i_gid = owner->gid;
}

static int fs_fill_super(struct super_block *sb, struct fs_context *fc)
{
	struct kt_node node = {.kind = root_kind};
	struct fs_owner *owner;
	struct inode *root;

	owner = kzalloc(sizeof(*owner), GFP_KERNEL);
	if (!owner)
		return -ENOMEM;
	owner->mode = 0700;
	sb->s_fs_info = owner;
	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_magic = KT_FS_MAGIC;
	sb->s_iflags |= SB_I_NOEXEC | SB_I_NODEV;
	sb->s_time_gran = 1;
	sb->s_op = &fs_super_ops;
	set_default_d_op(sb, &fs_dentry_ops);

	node.session = kt_session_get(kt_session_root());
	root = kt_node_inode(sb, &node);
	if (IS_ERR(root))
		return PTR_ERR(root);
	fs_apply(sb, root, fc->fs_private);
	sb->s_root = d_make_root(root);
	return sb->s_root ? 0 : -ENOMEM;
}

/* There is only one tree: options of a second mount change it for the first one too. */
static int fs_get_tree(struct fs_context *fc)
{
	int err = get_tree_single(fc, fs_fill_super);

	if (!err)
		fs_apply(fc->root->d_sb, d_inode(fc->root), fc->fs_private);
	return err;
}

static int fs_reconfigure(struct fs_context *fc)
{
	fs_apply(fc->root->d_sb, d_inode(fc->root), fc->fs_private);
	return 0;
}

static void fs_free_context(struct fs_context *fc)
{
	kfree(fc->fs_private);
}

static const struct fs_context_operations fs_context_ops = {
	.free = fs_free_context,
	.parse_param = fs_parse_param,
	.get_tree = fs_get_tree,
	.reconfigure = fs_reconfigure,
};

static int fs_init_context(struct fs_context *fc)
{
	fc->fs_private = kzalloc(sizeof(struct fs_options), GFP_KERNEL);
	if (!fc->fs_private)
		return -ENOMEM;
	fc->ops = &fs_context_ops;
	return 0;
}

static void fs_kill_super(struct super_block *sb)
{
	struct fs_owner *owner = sb->s_fs_info;

	kill_anon_super(sb);
	kfree(owner);
}

static struct file_system_type fs_type = {
	.owner = THIS_MODULE,
	.name = "ktracefs",
	.init_fs_context = fs_init_context,
	.parameters = fs_parameters,
	.kill_sb = fs_kill_super,
};
MODULE_ALIAS_FS("ktracefs");

static struct dentry *fs_debugfs_link;

int __init kt_fs_init(const struct kt_kind *root)
{
	int err;

	root_kind = root;
	err = sysfs_create_mount_point(kernel_kobj, "ktrace");
	if (err)
		return err;
	err = register_filesystem(&fs_type);
	if (err)
		goto err_mount_point;
	/* A link at the traditional place of tracers.  Without debugfs there is none. */
	fs_debugfs_link = debugfs_create_symlink("ktrace", NULL, "../ktrace");
	return 0;

err_mount_point:
	sysfs_remove_mount_point(kernel_kobj, "ktrace");
	return err;
}

void kt_fs_exit(void)
{
	debugfs_remove(fs_debugfs_link);
	unregister_filesystem(&fs_type);
	sysfs_remove_mount_point(kernel_kobj, "ktrace");
}
