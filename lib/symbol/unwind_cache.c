// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unwind_cache.h"

/* A build id in hexadecimal digits. */
#define NAME_SIZE (2 * KT_UNWIND_ID_MAX + 1)

/* May nobody but the caller write to it? */
static bool is_own(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & 022);
}

int unwind_cache_open(struct unwind_cache *cache, const char *path)
{
	struct stat st;
	int dir;

	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	if (fstat(dir, &st) || !is_own(&st)) {
		close(dir);
		return -EPERM;
	}
	cache->dir = dir;
	return 0;
}

void unwind_cache_close(struct unwind_cache *cache)
{
	close(cache->dir);
	cache->dir = -1;
}

/* Is the file's build id to be believed? */
static bool file_trusted(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       (!st.st_uid || st.st_uid == geteuid()) && !(st.st_mode & 022);
}

static void name_make(char *name, const unsigned char *id, size_t size)
{
	for (size_t i = 0; i < size; i++)
		name += sprintf(name, "%02x", id[i]);
}

/* A table that was made for this build id.  0 or -errno. */
static int cached_read(const struct unwind_cache *cache, const char *name,
		       const unsigned char *id, size_t id_size,
		       struct unwind_bytes *table)
{
	int fd = openat(cache->dir, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const struct kt_unwind_header *header;
	struct stat st;
	int err;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_own(&st)
		      ? -EPERM
		      : unwind_read(fd, table);
	close(fd);
	if (err)
		return err;
	header = table->bytes;
	if (header->id_size == id_size && !memcmp(header->id, id, id_size))
		return 0;
	unwind_bytes_free(table);
	return -EBADMSG;
}

/*
 * The file gets its name when it is complete.  It need not be on disk by then: if a crash tears
 * it, its sum tells.
 */
static void cached_write(const struct unwind_cache *cache, const char *name,
			 const struct unwind_bytes *table)
{
	char made[NAME_SIZE + 16];
	int fd, err;

	snprintf(made, sizeof(made), ".%s.%d", name, gettid());
	fd = openat(cache->dir, made,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST) {
		/* Of a process that was killed: no other one has our id now. */
		unlinkat(cache->dir, made, 0);
		fd = openat(cache->dir, made,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
				    O_CLOEXEC,
			    0600);
	}
	if (fd < 0)
		return;
	err = unwind_write(fd, table);
	if (close(fd) || err || renameat(cache->dir, made, cache->dir, name))
		unlinkat(cache->dir, made, 0);
}

int unwind_cache_get(const struct unwind_cache *cache, int fd,
		     struct unwind_bytes *table)
{
	unsigned char id[KT_UNWIND_ID_MAX];
	char name[NAME_SIZE];
	size_t size = file_trusted(fd) ? unwind_build_id(fd, id) : 0;
	int err;

	if (!size)
		return unwind_make(fd, table);
	name_make(name, id, size);
	if (!cached_read(cache, name, id, size, table))
		return 0;
	err = unwind_make(fd, table);
	if (!err)
		cached_write(cache, name, table);
	return err;
}
