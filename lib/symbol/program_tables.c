// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * See program_tables.h.
 *
 * A file is opened by the mapping in which the kernel saw it: this works in other mount
 * namespaces, and if the file was deleted.  If the process is gone already, or has mapped
 * something else there, its path may lead to it.  That may be another file, whose table would be
 * given to that file, where it is right; and names are taken from it as if it were the one.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <ktrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program_tables.h"

#define PART (64 * 1024)

static int image_make(struct unwind_bytes *table)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	long page = sysconf(_SC_PAGESIZE);
	int err = -ENODATA;

	/* How long it is, nobody says: its sections are behind what is needed. */
	for (int pages = 1; vdso && pages <= 2 && err; pages++)
		err = unwind_make_image(vdso, pages * page, table);
	return err;
}

size_t program_image_id(unsigned char id[KT_UNWIND_ID_MAX])
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);

	return vdso ? unwind_build_id_image(vdso, sysconf(_SC_PAGESIZE), id)
		    : 0;
}

/* @fd: -1: of the vDSO */
static int table_find(const struct program_tables *tables, int fd,
		      struct unwind_bytes *table)
{
	int err;

	if (fd < 0)
		return image_make(table);
	err = tables->cache.dir >= 0
		      ? unwind_cache_get(&tables->cache, fd, table)
		      : unwind_make(fd, table);
	return err ?: unwind_by_offset(fd, table);
}

static int table_give(const struct program_tables *tables, int fd)
{
	struct unwind_bytes table;
	struct kt_table add;
	int err = table_find(tables, fd, &table);

	if (err)
		return err;
	add.bytes = (uintptr_t)table.bytes;
	add.size = table.size;
	add.file = fd < 0 ? KT_TABLE_VDSO : fd;
	if (ioctl(tables->control, KT_ADD_TABLE, &add))
		err = -errno;
	unwind_bytes_free(&table);
	return err;
}

/* Where a link leads to, as we see it; false: it is gone, or leads to no path. */
static bool mapped_path(char path[PATH_MAX], pid_t pid, const char *range)
{
	char link[96];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/map_files/%s", (int)pid, range);
	n = readlink(link, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	return *path == '/';
}

/* The kernel tells no more of a path. */
#define PATH_TOLD 1023

/*
 * Is this file, which was opened by its mapping, the one that the kernel saw there as @path?  The
 * process may have mapped something else meanwhile, as programs do that load and unload their parts.  Its
 * root may be another one than ours, and the file may have been deleted or replaced: but its name
 * is the same.  If the kernel has cut it or has escaped some of it, it is believed.
 */
static bool is_told(int fd, const char *path)
{
	const char *name = strrchr(path, '/');
	char link[40], now[PATH_MAX];
	size_t length;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, now, sizeof(now) - 1);
	now[n > 0 ? n : 0] = '\0';
	if (!name || *now != '/' || strchr(name, '\\') ||
	    strlen(path) >= PATH_TOLD)
		return true;
	length = strlen(name);
	return !strncmp(strrchr(now, '/'), name, length) &&
	       (!strrchr(now, '/')[length] ||
		!strcmp(strrchr(now, '/') + length, " (deleted)"));
}

static int file_open(const char *path, pid_t pid, const char *range)
{
	char link[96];
	int fd = -1, told;

	if (pid) {
		snprintf(link, sizeof(link), "/proc/%d/map_files/%s", (int)pid,
			 range);
		fd = program_file_open(link);
	}
	if (fd >= 0 && is_told(fd, path))
		return fd;
	told = program_file_open(path);
	/* It was renamed, and nothing else has its name. */
	if (told < 0 && fd >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return told;
}

bool program_file_same(const struct program_file *file, int fd)
{
	unsigned char id[KT_UNWIND_ID_MAX];

	return unwind_build_id(fd, id) == file->id_size &&
	       !memcmp(id, file->id, file->id_size);
}

/* Does the path lead to this file, or to one that is the same?  Unknown: it does. */
static bool path_leads_to(const struct program_file *file, const char *path,
			  int fd)
{
	int other = program_file_open(path);
	struct stat a, b;
	bool same;

	if (other < 0)
		return too_many_open(-errno);
	same = !fstat(fd, &a) && !fstat(other, &b) &&
	       ((a.st_dev == b.st_dev && a.st_ino == b.st_ino) ||
		(file->id_size && program_file_same(file, other)));
	close(other);
	return same;
}

/*
 * A process that has our mounts may have another root: as we read it, the link in its directory
 * says where the file is for us.
 */
static char *path_for_us(const struct program_file *file, const char *range)
{
	char path[PATH_MAX];

	return mapped_path(path, file->pid, range) ? strdup(path) : NULL;
}

static bool has_other_mounts(pid_t pid)
{
	struct stat its, ours;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	return !stat(path, &its) && !stat("/proc/self/ns/mnt", &ours) &&
	       its.st_ino != ours.st_ino;
}

static bool may_keep(const struct program_tables *tables)
{
	struct rlimit limit;

	return tables->nr_kept < PROGRAM_FILES_KEPT &&
	       !getrlimit(RLIMIT_NOFILE, &limit) &&
	       tables->nr_kept < limit.rlim_cur / 8;
}

/*
 * Makes sure that the file is found again.  What has our mounts is not kept open, because that
 * would keep them from being unmounted; nor is what has no name any more, which may be large, unless
 * its names are wanted soon.
 */
static void file_keep(struct program_tables *tables, struct program_file *file,
		      const char *range, int fd)
{
	struct stat st;
	char *path;

	if (file->error || path_leads_to(file, file->path, fd) ||
	    fstat(fd, &st) || (!st.st_nlink && !tables->names_only))
		return;
	path = path_for_us(file, range);
	if (path && path_leads_to(file, path, fd)) {
		free(file->path);
		file->path = path;
		return;
	}
	free(path);
	if (st.st_nlink && !has_other_mounts(file->pid))
		return;
	file->kept = may_keep(tables) ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
	tables->nr_kept += file->kept > 0;
}

static int files_grow(struct program_tables *tables, uint32_t number)
{
	struct program_file **more;

	if (number < tables->nr)
		return 0;
	more = realloc(tables->files, (number + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + tables->nr, 0, (number + 1 - tables->nr) * sizeof(*more));
	tables->files = more;
	tables->nr = number + 1;
	return 0;
}

static int file_add(struct program_tables *tables, uint32_t number, pid_t pid,
		    const char *range, const char *path)
{
	struct program_file *file;
	int fd = -1;

	if (files_grow(tables, number))
		return -ENOMEM;
	if (tables->files[number])
		return 0;
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	tables->files[number] = file;
	file->number = number;
	file->pid = pid;
	file->path = strdup(path);
	if (!file->path)
		return -ENOMEM;
	if (!strcmp(path, PROGRAM_CODE)) {
		file->code = true;
		file->error = -ENODATA;
		/* It tells names of the code, which may be read when it has ended. */
		if (!jit_process_find(&file->maker, pid))
			file->maker.pid = 0;
		return 0;
	}
	if (!strcmp(path, "[vdso]")) {
		file->id_size = program_image_id(file->id);
	} else {
		fd = file_open(path, pid, range);
		if (fd < 0) {
			file->error = -ENOENT;
			return 0;
		}
		file->id_size = unwind_build_id(fd, file->id);
	}
	file->error = tables->names_only ? 0 : table_give(tables, fd);
	if (fd >= 0) {
		file_keep(tables, file, range, fd);
		close(fd);
	}
	return 0;
}

/* NUMBER PID BEGIN-END PATH */
static int line_read(struct program_tables *tables, const char *line)
{
	unsigned int number;
	char range[64];
	int pid, at = 0;

	if (sscanf(line, "%u %d %63s %n", &number, &pid, range, &at) < 3 ||
	    !at || !number || number > KT_FRAME_FILE_MAX)
		return -EPROTO;
	return file_add(tables, number, pid, range, line + at);
}

int program_tables_update(struct program_tables *tables)
{
	char *part = malloc(PART + 1), *line, *rest;
	int err = part ? 0 : -ENOMEM;
	ssize_t n = 1;

	while (!err && (n = read(tables->control, part, PART)) > 0) {
		part[n] = '\0';
		rest = part;
		while (!err && (line = strsep(&rest, "\n")) && *line)
			err = line_read(tables, line);
	}
	if (!err && n < 0)
		err = -errno;
	free(part);
	return err;
}

int program_tables_open(struct program_tables *tables, int tree,
			const char *cache)
{
	*tables = (struct program_tables){.cache = {.dir = -1}};
	tables->control = openat(tree, "programs", O_RDWR | O_CLOEXEC);
	if (tables->control < 0)
		return -errno;
	/* Without a cache, tables take longer. */
	if (cache && unwind_cache_open(&tables->cache, cache))
		tables->cache.dir = -1;
	return 0;
}

void program_tables_begin(struct program_tables *tables)
{
	*tables = (struct program_tables){
		.control = -1, .cache = {.dir = -1}, .names_only = true};
}

int program_tables_add(struct program_tables *tables, const char *path)
{
	size_t number = tables->nr ?: 1;

	if (number > KT_FRAME_FILE_MAX)
		return 0;
	return file_add(tables, number, 0, "", path) ?: (int)number;
}

void program_tables_foresee(struct program_tables *tables, const char *path)
{
	int fd = program_file_open(path);

	if (fd < 0)
		return;
	table_give(tables, fd);
	close(fd);
}

void program_tables_close(struct program_tables *tables)
{
	struct program_file *file;

	for (size_t i = 0; i < tables->nr; i++) {
		file = tables->files[i];
		if (!file)
			continue;
		if (file->kept > 0)
			close(file->kept);
		free(file->path);
		free(file);
	}
	free(tables->files);
	if (tables->cache.dir >= 0)
		unwind_cache_close(&tables->cache);
	if (tables->control >= 0)
		close(tables->control);
}
