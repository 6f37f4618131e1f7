// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Files that keep what is known about the running kernel: which of them are believed. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "kernel/cache.h"
#include "kernel/format_cache.h"

static char folder[64], path[96];
static struct cache cache;

static void begin(void)
{
	snprintf(folder, sizeof(folder), "/tmp/ktrace-cache-XXXXXX");
	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/thing", folder);
	cache = (struct cache){.folder = folder, .owner = geteuid()};
}

static void end(void)
{
	unlink(path);
	snprintf(path, sizeof(path), "%s/formats", folder);
	unlink(path);
	CHECK_EQ(rmdir(folder), 0);
}

static int thing_read(void)
{
	char *data;
	size_t size;
	int err = cache_read(&cache, "thing", &data, &size);

	if (err)
		return err;
	CHECK_EQ(size, 9);
	CHECK_STR(data, "some data");
	free(data);
	return 0;
}

static int thing_write(void)
{
	return cache_write(&cache, "thing", 0600, "some data", 9);
}

TEST(what_was_written_is_read)
{
	struct stat st;

	begin();
	CHECK_EQ(thing_read(), -ENOENT);
	CHECK_EQ(thing_write(), 0);
	CHECK_EQ(thing_read(), 0);
	CHECK_EQ(stat(path, &st), 0);
	CHECK_EQ(st.st_mode & 0777, 0600);
	/* It replaces what was there before. */
	CHECK_EQ(cache_write(&cache, "thing", 0600, "other", 5), 0);
	CHECK_EQ(thing_write(), 0);
	CHECK_EQ(thing_read(), 0);
	end();
}

TEST(the_folder_is_made)
{
	begin();
	CHECK_EQ(rmdir(folder), 0);
	CHECK_EQ(thing_read(), -ENOENT);
	CHECK_EQ(thing_write(), 0);
	CHECK_EQ(thing_read(), 0);
	end();
}

/* Each byte, that of the head included: another boot or another build is one of these. */
TEST(a_changed_byte_is_seen)
{
	char byte;
	off_t size;
	int fd;

	begin();
	CHECK_EQ(thing_write(), 0);
	fd = open(path, O_RDWR);
	size = lseek(fd, 0, SEEK_END);
	CHECK(size > 9);
	for (off_t i = 0; i < size; i++) {
		CHECK_EQ(pread(fd, &byte, 1, i), 1);
		byte ^= 1;
		CHECK_EQ(pwrite(fd, &byte, 1, i), 1);
		CHECK_EQ(thing_read(), -EBADMSG);
		byte ^= 1;
		CHECK_EQ(pwrite(fd, &byte, 1, i), 1);
	}
	close(fd);
	CHECK_EQ(thing_read(), 0);
	end();
}

TEST(a_file_that_was_cut_is_seen)
{
	struct stat st;

	begin();
	CHECK_EQ(thing_write(), 0);
	CHECK_EQ(stat(path, &st), 0);
	while (st.st_size-- > 0) {
		CHECK_EQ(truncate(path, st.st_size), 0);
		CHECK_EQ(thing_read(), -EBADMSG);
	}
	CHECK_EQ(thing_write(), 0);
	CHECK_EQ(thing_read(), 0);
	end();
}

TEST(a_file_of_others_is_not_believed)
{
	char other[96];

	begin();
	CHECK_EQ(thing_write(), 0);
	cache.owner++;
	CHECK_EQ(thing_read(), -EPERM);
	CHECK_EQ(thing_write(), -EPERM);
	cache.owner--;
	CHECK_EQ(chmod(path, 0620), 0);
	CHECK_EQ(thing_read(), -EPERM);
	CHECK_EQ(chmod(path, 0602), 0);
	CHECK_EQ(thing_read(), -EPERM);
	CHECK_EQ(chmod(path, 0600), 0);
	CHECK_EQ(thing_read(), 0);
	CHECK_EQ(chmod(folder, 0722), 0);
	CHECK_EQ(thing_read(), -EPERM);
	CHECK_EQ(thing_write(), -EPERM);
	CHECK_EQ(chmod(folder, 0700), 0);
	if (!geteuid()) {
		CHECK_EQ(chown(path, 65534, 0), 0);
		CHECK_EQ(thing_read(), -EPERM);
		CHECK_EQ(thing_write(), 0);
	}
	/* Links. */
	snprintf(other, sizeof(other), "%s/formats", folder);
	CHECK_EQ(rename(path, other), 0);
	CHECK_EQ(symlink(other, path), 0);
	CHECK_EQ(thing_read(), -ELOOP);
	/* A link is replaced, not followed. */
	CHECK_EQ(cache_write(&cache, "thing", 0600, "more", 4), 0);
	CHECK_EQ(thing_write(), 0);
	CHECK_EQ(thing_read(), 0);
	unlink(path);
	CHECK_EQ(mkfifo(path, 0600), 0);
	CHECK(thing_read() != 0);
	end();
}

TEST(a_folder_that_is_a_link_is_not_used)
{
	char link[80];

	begin();
	CHECK_EQ(thing_write(), 0);
	snprintf(link, sizeof(link), "%s-link", folder);
	CHECK_EQ(symlink(folder, link), 0);
	cache.folder = link;
	CHECK(thing_read() != 0);
	CHECK(thing_write() != 0);
	unlink(link);
	end();
}

/* ---- descriptions of events ---------------------------------------------- */

static const struct format_text text = {"size: 12\nfields\n", 16};
static const struct format_text other_text = {"size: 12\nfield\n", 15};

static const struct ktrace_name list[] = {{1, "ONE"}, {(uint64_t)-2, "TWO"}};
static const struct ktrace_names flags = {true, "|", 2, list};
static const struct ktrace_names symbols = {false, NULL, 1, list};

static struct ktrace_field given[] = {
	{.name = "a",
	 .ctype = "int",
	 .kind = KTRACE_UINT,
	 .base = KTRACE_HEX,
	 .names = &flags},
	{.name = "b", .ctype = "int", .kind = KTRACE_INT, .names = &symbols},
	{.name = "c",
	 .ctype = "u8[6]",
	 .kind = KTRACE_BYTES,
	 .elem = 1,
	 .base = KTRACE_MAC},
};

static struct ktrace_type type_given(void)
{
	return (struct ktrace_type){.system = "s",
				    .name = "n",
				    .print = "p 1",
				    .fields = given,
				    .nr_fields = 3};
}

static bool find(const struct format_text *wanted, struct ktrace_field *fields,
		 struct arena *arena)
{
	struct ktrace_type type = type_given();
	struct format_cache *formats = format_cache_open(&cache);
	bool found;

	type.print = "p ONE";
	found = format_cache_find(formats, wanted, &type, fields, arena);
	format_cache_close(formats);
	CHECK_STR(type.print, found ? "p 1" : "p ONE");
	return found;
}

TEST(descriptions_come_back)
{
	struct ktrace_field fields[3] = {
		{.name = "a"}, {.name = "b"}, {.name = "c"}};
	struct ktrace_type type = type_given();
	struct format_cache *formats;
	struct arena arena = {0};

	begin();
	CHECK(!find(&text, fields, &arena));
	formats = format_cache_open(&cache);
	format_cache_add(formats, &text, &type);
	format_cache_close(formats);
	CHECK(!find(&other_text, fields, &arena));
	CHECK(find(&text, fields, &arena));
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(fields[i].kind, given[i].kind);
		CHECK_EQ(fields[i].base, given[i].base);
		CHECK_EQ(fields[i].elem, given[i].elem);
		CHECK_EQ(!fields[i].names, !given[i].names);
	}
	CHECK(fields[0].names->flags && !fields[1].names->flags);
	CHECK_STR(fields[0].names->delim, "|");
	CHECK(!fields[1].names->delim);
	CHECK_EQ(fields[0].names->count, 2);
	CHECK_EQ(fields[0].names->names[1].value, (uint64_t)-2);
	CHECK_STR(fields[0].names->names[1].name, "TWO");
	/* What is added comes beside what was there. */
	formats = format_cache_open(&cache);
	format_cache_add(formats, &other_text, &type);
	format_cache_close(formats);
	CHECK(find(&other_text, fields, &arena));
	CHECK(find(&text, fields, &arena));
	arena_destroy(&arena);
	end();
}

/* Even if the file is believed: nothing that is cut leads out of it. */
TEST(descriptions_that_are_cut_are_not_known)
{
	struct ktrace_field fields[3] = {
		{.name = "a"}, {.name = "b"}, {.name = "c"}};
	struct ktrace_type type = type_given();
	struct format_cache *formats;
	struct arena arena = {0};
	size_t size;
	char *data;

	begin();
	formats = format_cache_open(&cache);
	format_cache_add(formats, &text, &type);
	format_cache_close(formats);
	CHECK_EQ(cache_read(&cache, "formats", &data, &size), 0);
	for (size_t i = 0; i < size; i++) {
		uint32_t length = i - sizeof(length);

		/* The entry says that it is shorter, too. */
		if (i >= sizeof(length))
			memcpy(data, &length, sizeof(length));
		CHECK_EQ(cache_write(&cache, "formats", 0600, data, i), 0);
		CHECK(!find(&text, fields, &arena));
	}
	free(data);
	arena_destroy(&arena);
	end();
}

CHECK_MAIN
