// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A file has a head and the data.  It is valid if the head is that of this boot and of this
 * build, and if its size and its sum are those of the data.
 *
 * The folder and the file must belong to root, and nobody else may be able to write to
 * them.  They are opened by their own names, never through a link.  /run is root's, so
 * nobody else can put something in the folder's place.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cache.h"

/* No file that is worth it is larger. */
#define SIZE_LIMIT (64u << 20)

const struct cache cache_kernel = {.folder = "/run/ktrace", .owner = 0};

struct head {
	char magic[16];
	char boot[40];
	uint8_t build[40];
	uint64_t size;
	uint64_t sum;
};

/* ---- the head ------------------------------------------------------------- */

/* The linker puts the beginning of this program, or library, here. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* The build id: a note "GNU".  -ENOENT: it was linked without one. */
static int build_get(uint8_t *build, size_t room)
{
	const char *base = (const char *)&__ehdr_start;
	const ElfW(Phdr) *segment =
		(const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);

	for (int i = 0; i < __ehdr_start.e_phnum; i++, segment++) {
		const char *at = base + segment->p_vaddr;
		const char *end = at + segment->p_memsz;

		while (segment->p_type == PT_NOTE &&
		       at + sizeof(ElfW(Nhdr)) < end) {
			const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
			const char *name = at + sizeof(*note);
			const char *id = name + ((note->n_namesz + 3) & ~3u);

			if (note->n_type == NT_GNU_BUILD_ID &&
			    note->n_namesz == 4 && !memcmp(name, "GNU", 4) &&
			    note->n_descsz <= room) {
				memcpy(build, id, note->n_descsz);
				return 0;
			}
			at = id + ((note->n_descsz + 3) & ~3u);
		}
	}
	return -ENOENT;
}

static int boot_get(char *boot, size_t room)
{
	char *text;
	int err;

	err = file_read(AT_FDCWD, "/proc/sys/kernel/random/boot_id", &text,
			NULL);
	if (err)
		return err;
	snprintf(boot, room, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
	return 0;
}

static uint64_t word_at(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/*
 * Finds damage, not malice, in some millions of bytes: the second sum has each word once for each
 * word behind it, so their order counts (J. Fletcher, An Arithmetic Checksum for Serial
 * Transmissions, 1982; here modulo 2^64).
 */
static uint64_t sum_of(const char *data, size_t size)
{
	uint64_t sum = size, sums = 0, rest = 0;

	for (; size >= 32; data += 32, size -= 32) {
		sums += sum += word_at(data);
		sums += sum += word_at(data + 8);
		sums += sum += word_at(data + 16);
		sums += sum += word_at(data + 24);
	}
	for (; size >= 8; data += 8, size -= 8)
		sums += sum += word_at(data);
	memcpy(&rest, data, size);
	sums += sum += rest;
	return sums * 0x9e3779b97f4a7c15ull ^ sum;
}

static int head_make(struct head *head, const char *data, size_t size)
{
	memset(head, 0, sizeof(*head));
	memcpy(head->magic, "ktrace cache 1\n", sizeof(head->magic));
	head->size = size;
	head->sum = sum_of(data, size);
	return boot_get(head->boot, sizeof(head->boot))
		       ?: build_get(head->build, sizeof(head->build));
}

/* ---- files ---------------------------------------------------------------- */

/* Belongs to the owner, and nobody else may write to it? */
static bool is_trusted(const struct cache *cache, int fd, mode_t type)
{
	struct stat st;

	return !fstat(fd, &st) && (st.st_mode & S_IFMT) == type &&
	       st.st_uid == cache->owner && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Returns its descriptor, or -errno. */
static int trusted_open(const struct cache *cache, int dir, const char *path,
			int flags, mode_t type)
{
	int fd = openat(dir, path,
			flags | O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (is_trusted(cache, fd, type))
		return fd;
	close(fd);
	return -EPERM;
}

static int folder_open(const struct cache *cache)
{
	return trusted_open(cache, AT_FDCWD, cache->folder, O_DIRECTORY,
			    S_IFDIR);
}

int cache_read(const struct cache *cache, const char *name, char **data,
	       size_t *size)
{
	struct head head, now;
	char *all;
	size_t len;
	int dir, fd, err;

	dir = folder_open(cache);
	if (dir < 0)
		return dir;
	fd = trusted_open(cache, dir, name, 0, S_IFREG);
	close(dir);
	if (fd < 0)
		return fd;
	err = read(fd, &head, sizeof(head)) == sizeof(head) ? 0 : -EBADMSG;
	if (!err)
		err = file_read_fd(fd, SIZE_LIMIT, &all, &len);
	close(fd);
	if (err)
		return err;
	err = head_make(&now, all, len);
	if (!err && memcmp(&head, &now, sizeof(head)))
		err = -EBADMSG;
	if (err) {
		free(all);
		return err;
	}
	*data = all;
	*size = len;
	return 0;
}

static int file_make(int dir, const char *name, mode_t mode)
{
	int fd = openat(dir, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			mode);

	return fd < 0 ? -errno : fd;
}

int cache_write(const struct cache *cache, const char *name, mode_t mode,
		const char *data, size_t size)
{
	struct head head;
	char draft[64];
	int dir, fd, err;

	if (geteuid() != cache->owner || size > SIZE_LIMIT)
		return -EPERM;
	err = head_make(&head, data, size);
	if (err)
		return err;
	if (mkdir(cache->folder, 0755) && errno != EEXIST)
		return -errno;
	dir = folder_open(cache);
	if (dir < 0)
		return dir;
	/* A process of the same number may have died here. */
	snprintf(draft, sizeof(draft), ".%.32s.%d", name, getpid());
	unlinkat(dir, draft, 0);
	fd = file_make(dir, draft, mode);
	err = fd < 0 ? fd : file_write(fd, &head, sizeof(head));
	if (!err)
		err = file_write(fd, data, size);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && renameat(dir, draft, dir, name))
		err = -errno;
	if (err && fd >= 0)
		unlinkat(dir, draft, 0);
	close(dir);
	return err;
}
