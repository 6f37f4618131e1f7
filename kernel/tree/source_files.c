// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that sources add to the root directory and to each session's.  They come and go
 * with the sources' modules.  The inode of such a file pins the module (fs.c).
 *
 * Called under kt_mutex, as everything that finds children.
 */
#include <linux/string.h>

#include "session/node.h"
#include "session/session.h"
#include "session/sources.h"
#include "source_files.h"

#define SOURCE_FILES_MAX 64

static const struct kt_kind *file_at(const struct kt_kind *const *files,
				     unsigned long at)
{
	while (files && *files && at--)
		files++;
	return files ? *files : NULL;
}

/*
 * The file number @at of a source.  The second half of the numbers is for files that only
 * the root has.
 */
static const struct kt_kind *source_file(const struct kt_source *source,
					 bool root, unsigned long at)
{
	if (at < SOURCE_FILES_MAX / 2)
		return file_at(source->session_files, at);
	return root ? file_at(source->root_files, at - SOURCE_FILES_MAX / 2)
		    : NULL;
}

/* Is it the root directory, which is that of the root session? */
static bool is_root(const struct kt_node *dir)
{
	return dir->session == kt_session_root();
}

bool kt_source_files_find(const struct kt_node *dir, const char *name,
			  size_t length, struct kt_node *child)
{
	struct kt_source *source;
	unsigned int at;

	list_for_each_entry(source, &kt_sources, node) {
		for (at = 0; at < SOURCE_FILES_MAX; at++) {
			const struct kt_kind *file =
				source_file(source, is_root(dir), at);

			if (!file || strlen(file->name) != length ||
			    memcmp(file->name, name, length))
				continue;
			child->kind = file;
			child->source = source;
			return true;
		}
	}
	return false;
}

/* Positions stay valid: sources are listed by number, and keep their numbers. */
bool kt_source_files_next(const struct kt_node *dir, unsigned long *pos,
			  char *name)
{
	struct kt_source *source;

	list_for_each_entry(source, &kt_sources, node) {
		unsigned long at, first = source->number * SOURCE_FILES_MAX;

		for (at = 0; at < SOURCE_FILES_MAX; at++) {
			const struct kt_kind *file =
				source_file(source, is_root(dir), at);

			if (!file || first + at < *pos)
				continue;
			strscpy(name, file->name, KT_CHILD_NAME_SIZE);
			*pos = first + at;
			return true;
		}
	}
	return false;
}
