// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The cache of unwind tables: what it keeps, and what it does not believe. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "symbol/unwind_cache.h"

static char dir[64], entry[256];
static struct unwind_cache cache = {-1};
static struct unwind_bytes made, got;
static int program;

static const struct kt_unwind_header *header_of(
	const struct unwind_bytes *table)
{
	return table->bytes;
}

static bool same(void)
{
	return got.size == made.size &&
	       !memcmp(got.bytes, made.bytes, got.size);
}

/* A new directory, and the table of this program as it must be. */
static void begin(void)
{
	char *at;

	strcpy(dir, "/tmp/unwind-cache-XXXXXX");
	if (!mkdtemp(dir))
		abort();
	unwind_bytes_free(&made);
	unwind_bytes_free(&got);
	if (program > 0)
		close(program);
	program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	CHECK_EQ(unwind_make(program, &made), 0);
	at = entry + sprintf(entry, "%s/", dir);
	for (u32 i = 0; i < header_of(&made)->id_size; i++)
		at += sprintf(at, "%02x", header_of(&made)->id[i]);
	CHECK_EQ(unwind_cache_open(&cache, dir), 0);
}

static void end(void)
{
	char command[128];

	unwind_cache_close(&cache);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	CHECK_EQ(system(command), 0);
}

static void get(void)
{
	unwind_bytes_free(&got);
	CHECK_EQ(unwind_cache_get(&cache, program, &got), 0);
	CHECK(same());
}

/* What is the entry now? */
static ino_t entry_inode(void)
{
	struct stat st;

	CHECK_EQ(lstat(entry, &st), 0);
	CHECK(S_ISREG(st.st_mode));
	CHECK_EQ(st.st_mode & 0777, 0600);
	CHECK_EQ(st.st_size, made.size);
	return st.st_ino;
}

TEST(a_table_is_made_once)
{
	ino_t first;

	begin();
	CHECK(header_of(&made)->id_size > 0);
	get();
	first = entry_inode();
	get();
	CHECK_EQ(entry_inode(), first);
	end();
}

static void entry_write(const void *data, size_t size)
{
	int fd = open(entry, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

TEST(a_damaged_entry_is_made_anew)
{
	char *bytes;

	begin();
	bytes = malloc(made.size);
	for (size_t at = 0; at < made.size; at += made.size / 50 + 1) {
		ino_t damaged;

		memcpy(bytes, made.bytes, made.size);
		bytes[at] ^= 1;
		entry_write(bytes, made.size);
		damaged = entry_inode();
		/* The old file is there until the new one has its name. */
		get();
		CHECK(entry_inode() != damaged);
	}
	/* Cut off, and empty. */
	entry_write(bytes, made.size / 2);
	get();
	entry_inode();
	entry_write(bytes, 0);
	get();
	entry_inode();
	free(bytes);
	end();
}

TEST(a_table_of_another_file_is_not_taken)
{
	struct unwind_bytes other;
	int fd = open("/bin/sh", O_RDONLY | O_CLOEXEC);

	begin();
	CHECK(fd >= 0 && !unwind_make(fd, &other));
	close(fd);
	entry_write(other.bytes, other.size);
	unwind_bytes_free(&other);
	get();
	entry_inode();
	end();
}

TEST(no_link_is_followed)
{
	char target[128];
	struct stat st;
	int fd;

	begin();
	snprintf(target, sizeof(target), "%s/target", dir);
	fd = open(target, O_WRONLY | O_CREAT, 0600);
	CHECK_EQ(unwind_write(fd, &made), 0);
	close(fd);
	CHECK_EQ(symlink(target, entry), 0);
	CHECK_EQ(truncate(target, 0), 0);
	get();
	/* The link was replaced, and what it points to is as it was. */
	entry_inode();
	CHECK_EQ(stat(target, &st), 0);
	CHECK_EQ(st.st_size, 0);
	end();
	/* The directory itself. */
	begin();
	end();
	CHECK_EQ(symlink("/tmp", dir), 0);
	CHECK(unwind_cache_open(&cache, dir) < 0);
	unlink(dir);
}

TEST(a_fifo_is_not_waited_for)
{
	begin();
	CHECK_EQ(mkfifo(entry, 0600), 0);
	get();
	entry_inode();
	end();
}

TEST(what_others_may_write_is_not_taken)
{
	begin();
	get();
	CHECK_EQ(chmod(entry, 0666), 0);
	get();
	entry_inode(); /* has its mode back */
	unwind_cache_close(&cache);
	CHECK_EQ(chmod(dir, 0777), 0);
	CHECK_EQ(unwind_cache_open(&cache, dir), -EPERM);
	CHECK_EQ(chmod(dir, 0700), 0);
	CHECK_EQ(unwind_cache_open(&cache, dir), 0);
	end();
}

TEST(a_file_that_others_may_write_is_not_kept)
{
	char copy[128], command[256];

	begin();
	snprintf(copy, sizeof(copy), "%s/program", dir);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(),
		 copy);
	CHECK_EQ(system(command), 0);
	CHECK_EQ(chmod(copy, 0777), 0);
	close(program);
	program = open(copy, O_RDONLY | O_CLOEXEC);
	get();
	CHECK_EQ(access(entry, F_OK), -1);
	/* The same file, if it is the caller's alone. */
	CHECK_EQ(chmod(copy, 0755), 0);
	get();
	entry_inode();
	end();
}

TEST(a_table_needs_no_cache)
{
	begin();
	CHECK_EQ(rmdir(dir), 0); /* nothing can be written there any more */
	get();
	CHECK_EQ(access(entry, F_OK), -1);
	CHECK_EQ(mkdir(dir, 0700), 0);
	end();
}

/* The dynamic linker's own start, which has no call frame information. */
TEST(nobody_called_what_the_kernel_starts)
{
	int fd = open("/lib64/ld-linux-x86-64.so.2", O_RDONLY | O_CLOEXEC);
	struct kt_unwind_table table;
	struct unwind_bytes linker;
	Elf64_Ehdr header;

	CHECK_EQ(pread(fd, &header, sizeof(header), 0), sizeof(header));
	CHECK_EQ(unwind_make(fd, &linker), 0);
	CHECK_EQ(kt_unwind_table_open(&table, linker.bytes, linker.size), 0);
	/* Behind its first call. */
	CHECK_EQ(kt_unwind_rule_kind(
			 kt_unwind_table_find(&table, header.e_entry + 7)),
		 KT_UNWIND_END);
	unwind_bytes_free(&linker);
	close(fd);
}

TEST(what_is_no_program_has_no_table)
{
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	struct unwind_bytes none;

	begin();
	CHECK_EQ(unwind_cache_get(&cache, fd, &none), -ENOEXEC);
	close(fd);
	end();
}

CHECK_MAIN
