// SPDX-License-Identifier: GPL-2.0-only
/* Files that lines mean: program_file.h. */
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/string_helpers.h>

#include "program_file.h"
#include "session/access.h"

struct found {
	struct list_head node;
	struct program_file file;
	size_t length;
	char name[]; /* as the line has it */
};

/* One write at a time; not under kt_mutex. */
static DEFINE_MUTEX(finding);
static LIST_HEAD(files);
static unsigned int nr_files;

/* Of one write. */
#define FILES_MAX 1000

const struct program_file *program_file_of(const char *path, size_t length)
{
	const struct found *found;

	list_for_each_entry(found, &files, node)
		if (found->length == length &&
		    !memcmp(found->name, path, length))
			return &found->file;
	return NULL;
}

static int file_find(struct program_file *file, const char *escaped)
{
	char *path = kstrdup(escaped, GFP_KERNEL);
	int err;

	if (!path)
		return -ENOMEM;
	string_unescape_inplace(path, UNESCAPE_OCTAL);
	err = kern_path(path, LOOKUP_FOLLOW, &file->path);
	kfree(path);
	if (err)
		return err;
	err = vfs_getattr(&file->path, &file->stat, STATX_BASIC_STATS,
			  AT_STATX_SYNC_AS_STAT);
	if (err)
		path_put(&file->path);
	return err;
}

static int file_add(const char *path, size_t length)
{
	struct found *found;

	if (program_file_of(path, length))
		return 0;
	if (++nr_files > FILES_MAX)
		return -E2BIG;
	if (fatal_signal_pending(current))
		return -EINTR;
	cond_resched();
	found = kzalloc(sizeof(*found) + length + 1, GFP_KERNEL);
	if (!found)
		return -ENOMEM;
	memcpy(found->name, path, length);
	found->length = length;
	found->file.err = file_find(&found->file, found->name);
	list_add_tail(&found->node, &files);
	return 0;
}

int program_files_find(const struct file *file, const char *text)
{
	const char *line, *end, *place;
	int err = 0;

	if (mutex_lock_killable(&finding))
		return -EINTR;
	nr_files = 0;
	if (!kt_access_programs_of(file))
		return 0;
	for (line = text; !err && *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		/* "SYSTEM/EVENT PLACE" */
		place = line + strcspn(line, " \t\n");
		place += strspn(place, " \t");
		if (*place == '/')
			err = file_add(place, strcspn(place, ":; \t\n"));
	}
	if (err)
		program_files_put();
	return err;
}

void program_files_put(void)
{
	struct found *found, *next;

	list_for_each_entry_safe(found, next, &files, node) {
		if (!found->file.err)
			path_put(&found->file.path);
		list_del(&found->node);
		kfree(found);
	}
	mutex_unlock(&finding);
}
