// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files and their tables: see file.h.
 *
 * A file is known by device, inode and generation, not by a reference, which would keep its
 * file system from being unmounted.  A file that is changed in place afterwards gets wrong
 * stacks, as it gets wrong everything.
 *
 * files_mutex may be taken with a mmap_lock held.  So nothing may touch memory of programs
 * below it.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string_helpers.h>
#include <linux/wait.h>

#include "file.h"

#define PATH_SHOWN_MAX 1024

/* A table as it lies in memory; the bytes, which are the program's own copy, follow. */
struct table {
	struct kt_unwind_table table;
	void *bytes;
	size_t size;
};

static DEFINE_MUTEX(files_mutex);
static DEFINE_HASHTABLE(by_inode, 10);
static DEFINE_XARRAY(by_number);
static u32 nr_files;
static u32 nr_codes; /* among them */
static u64 tables_size;
static bool wanted; /* an event has stacks of programs */
static u64 era;	    /* how often files were forgotten */
u64 kt_tables_salt;

DECLARE_WAIT_QUEUE_HEAD(kt_files_news);

/* What caches have of the tables before is not found any more. */
static void tables_changed(void)
{
	WRITE_ONCE(kt_tables_salt, kt_tables_salt + 0x9e3779b97f4a7c15ull);
}

/* ---- files ---------------------------------------------------------------- */

/* Mappings are of the real file; who opens one in an overlay gets the overlay's. */
static const struct inode *inode_of(const struct file *file)
{
	return d_real_inode(file->f_path.dentry) ?: file_inode(file);
}

static struct kt_program_file *file_find(const struct kt_file_key *key)
{
	struct kt_program_file *f;

	hash_for_each_possible(by_inode, f, node, key->inode) {
		if (f->key.inode == key->inode && f->key.dev == key->dev &&
		    f->key.generation == key->generation)
			return f;
	}
	return NULL;
}

static char *path_make(struct file *file)
{
	char *path = kstrdup_quotable_file(file, GFP_KERNEL);
	/* It may have 16 KiB, and anybody may map many files. */
	char *shown = kstrndup(path ?: "?", PATH_SHOWN_MAX, GFP_KERNEL_ACCOUNT);

	kfree(path);
	return shown;
}

/* Takes over @path; NULL: no memory was left for it. */
static struct kt_program_file *file_make(const struct kt_file_key *key,
					 char *path, const struct kt_seen *seen)
{
	struct kt_program_file *f = NULL;

	if (path && wanted && nr_files < KT_FRAME_FILE_MAX)
		f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		goto err;
	f->path = path;
	f->key = *key;
	f->number = nr_files + 1;
	f->unwind.label = (u64)f->number << KT_FRAME_FILE_SHIFT;
	if (seen) {
		f->pid = seen->pid;
		f->begin = seen->begin;
		f->end = seen->end;
	}
	if (xa_err(xa_store(&by_number, f->number, f, GFP_KERNEL)))
		goto err;
	hash_add(by_inode, &f->node, key->inode);
	WRITE_ONCE(nr_files, f->number);
	wake_up_interruptible(&kt_files_news);
	return f;

err:
	kfree(f);
	kfree(path);
	return NULL;
}

static struct kt_program_file *file_get(struct file *file,
					const struct kt_seen *seen)
{
	const struct inode *inode = file ? inode_of(file) : NULL;
	struct kt_file_key key = {};

	lockdep_assert_held(&files_mutex);
	if (inode) {
		key.dev = inode->i_sb->s_dev;
		key.inode = inode->i_ino;
		key.generation = inode->i_generation;
	}
	return file_find(&key)
		       ?: file_make(&key,
				    file ? path_make(file)
					 : kstrdup("[vdso]", GFP_KERNEL),
				    seen);
}

struct kt_program_file *kt_program_file(struct file *file,
					const struct kt_seen *seen)
{
	struct kt_program_file *f;

	mutex_lock(&files_mutex);
	f = file_get(file, seen);
	mutex_unlock(&files_mutex);
	return f;
}

/* Half of the numbers, so that processes with such code never leave files without one. */
#define CODES_MAX (KT_FRAME_FILE_MAX / 2)

static struct kt_program_file *code_make(const struct kt_file_key *key,
					 const struct kt_seen *seen)
{
	struct kt_program_file *f;

	if (nr_codes == CODES_MAX)
		return NULL;
	f = file_make(key, kstrdup("[jit]", GFP_KERNEL), seen);
	if (f) {
		f->code = true;
		nr_codes++;
	}
	return f;
}

/*
 * Memory may be where that of an ended process was, and the number of a process may be used
 * again: both together hardly ever.
 */
struct kt_program_file *kt_program_code(const struct mm_struct *mm,
					const struct kt_seen *seen)
{
	const struct kt_file_key key = {
		.inode = (unsigned long)mm,
		.generation = seen->pid,
	};
	struct kt_program_file *f;

	mutex_lock(&files_mutex);
	f = file_find(&key) ?: code_make(&key, seen);
	mutex_unlock(&files_mutex);
	return f;
}

/* ---- tables --------------------------------------------------------------- */

static void table_free(struct table *table)
{
	if (!table)
		return;
	kvfree(table->bytes);
	kfree(table);
}

/* The table that the file has no more; it is freed after a grace period. */
static struct table *table_take(struct kt_program_file *f)
{
	struct table *table;

	if (!f->unwind.table)
		return NULL;
	table = container_of(f->unwind.table, struct table, table);
	WRITE_ONCE(f->unwind.table, NULL);
	tables_changed();
	tables_size -= table->size;
	return table;
}

static int table_make(struct table **made, void *bytes, size_t size)
{
	struct table *table = kzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

	if (table)
		err = kt_unwind_table_open(&table->table, bytes, size);
	if (err) {
		kvfree(bytes);
		kfree(table);
		return err;
	}
	table->bytes = bytes;
	table->size = size;
	*made = table;
	return 0;
}

/* True: @table is the file's now. */
static bool table_give(struct kt_program_file *f, struct table *table)
{
	if (f->holders++)
		return false;
	tables_size += table->size;
	/* Complete before a probe sees it. */
	smp_store_release(&f->unwind.table, &table->table);
	tables_changed();
	return true;
}

/* ---- holders -------------------------------------------------------------- */

void kt_holder_init(struct kt_holder *holder)
{
	xa_init(&holder->files);
	mutex_lock(&files_mutex);
	holder->era = era;
	holder->shown = 0;
	mutex_unlock(&files_mutex);
}

/* What it holds of files that were forgotten is nothing. */
static void holder_renew(struct kt_holder *holder)
{
	if (holder->era == era)
		return;
	xa_destroy(&holder->files);
	holder->era = era;
	holder->shown = 0;
}

static int holder_add(struct kt_holder *holder, struct file *file,
		      struct table *table)
{
	struct kt_program_file *f;
	int err;

	holder_renew(holder);
	if (!wanted)
		return -ENXIO;
	f = file_get(file, NULL);
	if (!f)
		return nr_files == KT_FRAME_FILE_MAX ? -ENOSPC : -ENOMEM;
	if (!f->holders && table->size > KT_TABLES_MAX - tables_size)
		return -ENOSPC;
	if (xa_load(&holder->files, f->number))
		return 1;
	err = xa_err(
		xa_store(&holder->files, f->number, f, GFP_KERNEL_ACCOUNT));
	return err ?: !table_give(f, table);
}

int kt_holder_add(struct kt_holder *holder, struct file *file, void *bytes,
		  size_t size)
{
	struct table *table;
	int err = table_make(&table, bytes, size);

	if (err)
		return err;
	mutex_lock(&files_mutex);
	err = holder_add(holder, file, table);
	mutex_unlock(&files_mutex);
	if (err)
		table_free(table);
	return err < 0 ? err : 0;
}

void kt_holder_exit(struct kt_holder *holder)
{
	struct kt_program_file *f;
	struct table **gone, *table;
	unsigned long number;
	u32 nr = 0, i;

	/* Without memory for the list, each table waits for a grace period of its own. */
	gone = kvcalloc(KT_FRAME_FILE_MAX, sizeof(*gone), GFP_KERNEL);
	mutex_lock(&files_mutex);
	holder_renew(holder);
	xa_for_each(&holder->files, number, f) {
		if (--f->holders)
			continue;
		table = table_take(f);
		if (gone) {
			gone[nr++] = table;
			continue;
		}
		synchronize_rcu();
		table_free(table);
	}
	xa_destroy(&holder->files);
	mutex_unlock(&files_mutex);
	if (nr)
		synchronize_rcu();
	for (i = 0; i < nr; i++)
		table_free(gone[i]);
	kvfree(gone);
}

bool kt_holder_has_news(const struct kt_holder *holder)
{
	/* Of another era, nothing was told yet. */
	u32 shown = READ_ONCE(holder->era) == READ_ONCE(era)
			    ? READ_ONCE(holder->shown)
			    : 0;

	return shown < READ_ONCE(nr_files);
}

/* NUMBER PID BEGIN-END PATH; 0 of a file that was seen nowhere.  0: there is no room. */
static size_t line_write(const struct kt_program_file *f, char *to, size_t size)
{
	size_t length = snprintf(to, size, "%u %d %llx-%llx %s\n", f->number,
				 f->pid, f->begin, f->end, f->path);

	return length < size ? length : 0;
}

size_t kt_holder_tell(struct kt_holder *holder, char *to, size_t size)
{
	const struct kt_program_file *f;
	size_t used = 0, length;

	mutex_lock(&files_mutex);
	holder_renew(holder);
	while (holder->shown < nr_files) {
		f = xa_load(&by_number, holder->shown + 1);
		length = line_write(f, to + used, size - used);
		if (!length)
			break;
		used += length;
		holder->shown++;
	}
	mutex_unlock(&files_mutex);
	return used;
}

/* ---- all of them ---------------------------------------------------------- */

void kt_files_begin(void)
{
	mutex_lock(&files_mutex);
	wanted = true;
	mutex_unlock(&files_mutex);
}

void kt_files_forget(void)
{
	struct kt_program_file *f;
	unsigned long number;

	mutex_lock(&files_mutex);
	wanted = false;
	xa_for_each(&by_number, number, f) {
		table_free(table_take(f));
		hash_del(&f->node);
		kfree(f->path);
		kfree(f);
	}
	xa_destroy(&by_number);
	WRITE_ONCE(nr_files, 0);
	nr_codes = 0;
	era++;
	mutex_unlock(&files_mutex);
}
