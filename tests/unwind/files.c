// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Files that programs have mapped, whose paths may lead to anything by now. */
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "symbol/program_tables.h"

static char dir[64], path[128];

static void begin(void)
{
	strcpy(dir, "/tmp/program-files-XXXXXX");
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/file", dir);
}

static void end(void)
{
	unlink(path);
	rmdir(dir);
}

/* How often the file was opened. */
static int opened(int watch)
{
	char events[4096] __attribute__((aligned(8)));
	ssize_t size = read(watch, events, sizeof(events));
	int nr = 0;

	for (ssize_t at = 0; at < size; nr++)
		at += sizeof(struct inotify_event) +
		      ((struct inotify_event *)(events + at))->len;
	return nr;
}

static int watch_begin(void)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	CHECK(inotify_add_watch(watch, path, IN_OPEN) >= 0);
	return watch;
}

TEST(a_file_is_opened)
{
	int fd, watch;

	begin();
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK_EQ(write(fd, "x", 1), 1);
	close(fd);
	watch = watch_begin();
	fd = program_file_open(path);
	CHECK(fd >= 0);
	CHECK_EQ(opened(watch), 1);
	close(fd);
	close(watch);
	end();
}

/* Opening a device may have effects: it is not even tried. */
TEST(what_is_no_file_is_not_opened)
{
	int watch;

	begin();
	CHECK_EQ(mkfifo(path, 0600), 0);
	watch = watch_begin();
	CHECK_EQ(program_file_open(path), -1);
	CHECK_EQ(opened(watch), 0);
	close(watch);
	end();
	CHECK_EQ(program_file_open("/dev/null"), -1);
	CHECK_EQ(program_file_open("/proc/version"), -1);
	CHECK_EQ(program_file_open("/nowhere"), -1);
}

TEST(what_is_too_large_is_not_read)
{
	begin();
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	CHECK_EQ(truncate(path, PROGRAM_FILE_MAX + 1), 0);
	CHECK_EQ(program_file_open(path), -1);
	end();
}

CHECK_MAIN
