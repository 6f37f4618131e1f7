// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * See perf_code.h.
 *
 * Files are read, not mapped: who shortens one that is mapped ends who reads it.  The instructions of a loop
 * are near each other, so blocks are kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <ktrace.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "perf_code.h"
#include "symbol/program_file.h"
#include "symbol/unwind_file.h"

#define VDSO	   "[vdso]"
#define BLOCK_SIZE (64u << 10)

struct perf_file {
	const char *path;
	const unsigned char *id;
	unsigned int id_size;
	uint32_t
		number; /* 0: it is not the one that was mapped, or there is none */
	int fd; /* of the vDSO, our memory; -1: it is not read just now */
	uint64_t base; /* where it begins there */
	uint64_t size;
	uint8_t **blocks; /* NULL: not read yet */
};

/* Is it the file that was mapped, as far as that can be known? */
static bool is_mapped_one(const struct perf_side *side,
			  const struct perf_file *file, const struct stat *st)
{
	unsigned char id[KT_UNWIND_ID_MAX];

	if (file->id_size)
		return unwind_build_id(file->fd, id) == file->id_size &&
		       !memcmp(id, file->id, file->id_size);
	return st->st_mtime <= side->trace->made;
}

static bool file_open(const struct perf_side *side, struct perf_file *file)
{
	struct stat st;

	file->fd = -1;
	if (!strcmp(file->path, VDSO)) {
		file->base = getauxval(AT_SYSINFO_EHDR);
		file->size = 2 * sysconf(_SC_PAGESIZE);
		if (side->trace->same_kernel && file->base)
			file->fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
		return file->fd >= 0;
	}
	if (*file->path != '/')
		return false;
	file->fd = program_file_open(file->path);
	if (file->fd < 0 || fstat(file->fd, &st) ||
	    !is_mapped_one(side, file, &st))
		return false;
	file->size = st.st_size;
	return true;
}

/* There may be more files than a process may have open. */
static void file_close(struct perf_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

static bool file_open_again(const struct perf_side *side,
			    struct perf_file *file)
{
	uint64_t size = file->size;
	bool same = file_open(side, file) && file->size == size;

	file->size = size;
	return same;
}

static bool is_same(const struct perf_file *file, const struct perf_news *news)
{
	return !strcmp(file->path, news->map.path) &&
	       file->id_size == news->map.id_size &&
	       (!file->id_size ||
		!memcmp(file->id, news->map.id, file->id_size));
}

static int file_add(struct perf_side *side, struct perf_file *file)
{
	struct perf_file **more;
	int number;
	bool here = file_open(side, file);

	file_close(file);
	if (!here) {
		/* Memory without a file is no file that is missing. */
		side->losses->missing +=
			*file->path == '/' && file->path[1] != '/';
		return 0;
	}
	file->blocks =
		calloc(file->size / BLOCK_SIZE + 1, sizeof(*file->blocks));
	number = program_tables_add(side->tables, file->path);
	if (!file->blocks || number < 0)
		return -ENOMEM;
	more = reallocarray(side->codes, number + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	while (side->nr_codes <= (size_t)number)
		more[side->nr_codes++] = NULL;
	side->codes = more;
	more[number] = file;
	file->number = number;
	return 0;
}

/* Mappings seldom have it; the file then tells it of each program. */
static void id_find(const struct perf_side *side, struct perf_news *news,
		    uint64_t hash)
{
	const struct perf_build_id *id;
	const struct table_slot *slot = NULL;

	while (!news->map.id_size &&
	       (slot = table_next(&side->trace->build_ids, hash, slot))) {
		id = slot->value;
		if (strcmp(id->path, news->map.path) != 0)
			continue;
		news->map.id = id->id;
		news->map.id_size = id->size;
	}
}

int perf_code_find(struct perf_side *side, const struct perf_news *told,
		   uint32_t *number)
{
	uint64_t hash = table_hash(told->map.path, strlen(told->map.path));
	struct perf_news copy = *told, *news = &copy;
	struct table_slot *slot = NULL;
	struct perf_file *file;
	int err;

	/* That of a 32-bit program is another one than ours. */
	if (!strcmp(news->map.path, VDSO) && news->map.begin <= UINT32_MAX) {
		*number = 0;
		return 0;
	}
	id_find(side, news, hash);
	while ((slot = table_next(&side->files, hash, slot))) {
		file = slot->value;
		if (is_same(file, news)) {
			*number = file->number;
			return 0;
		}
	}
	file = arena_alloc(&side->arena, sizeof(*file));
	if (!file || table_add(&side->files, hash, file))
		return error_set(-ENOMEM, "out of memory for branches");
	file->path = news->map.path;
	file->id = news->map.id;
	file->id_size = news->map.id_size;
	err = file_add(side, file);
	*number = file->number;
	return err ? error_set(err, "files of programs: %s", strerror(-err))
		   : 0;
}

/* The block that has the byte at @offset; NULL: it cannot be read. */
static const uint8_t *block_get(const struct perf_side *side,
				struct perf_file *file, uint64_t offset)
{
	uint8_t **block = &file->blocks[offset / BLOCK_SIZE];
	uint64_t begin = offset / BLOCK_SIZE * BLOCK_SIZE;
	size_t size = BLOCK_SIZE;

	if (*block)
		return *block;
	if (size > file->size - begin)
		size = file->size - begin;
	*block = calloc(1, BLOCK_SIZE);
	if (*block &&
	    (!file_open_again(side, file) ||
	     pread(file->fd, *block, size, file->base + begin) <= 0)) {
		free(*block);
		*block = NULL;
	}
	file_close(file);
	return *block;
}

size_t perf_code_read(struct perf_side *side, uint32_t number, void *bytes,
		      size_t size, uint64_t offset)
{
	struct perf_file *file =
		number < side->nr_codes ? side->codes[number] : NULL;
	size_t done = 0, part;
	const uint8_t *block;

	if (!file || offset >= file->size)
		return 0;
	if (size > file->size - offset)
		size = file->size - offset;
	for (; done < size; done += part) {
		uint64_t at = offset + done;

		part = BLOCK_SIZE - at % BLOCK_SIZE;
		if (part > size - done)
			part = size - done;
		block = block_get(side, file, at);
		if (!block)
			break;
		memcpy((uint8_t *)bytes + done, block + at % BLOCK_SIZE, part);
	}
	return done;
}

void perf_codes_free(struct perf_side *side)
{
	for (size_t i = 0; i < side->files.size; i++) {
		struct perf_file *file = side->files.slots[i].value;

		if (!file)
			continue;
		for (uint64_t n = 0;
		     file->blocks && n <= file->size / BLOCK_SIZE; n++)
			free(file->blocks[n]);
		free(file->blocks);
	}
	free(side->codes);
}
