// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The library's list of events from the control tree, if events go meanwhile, or if the
 * tree is of an older version.  The tree consists of plain files.  They cannot say that an
 * event has gone, so read() is replaced here.
 */
#include "check.h"
#include "scratch.h"

#include <errno.h>

#include <ktrace/session.h>

/* The file that vanishes while it is open. */
static int vanished;

ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size)
{
	static const char going[] = "/going/format";
	char link[64], path[512];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	if (vanished && strlen(path) > strlen(going) &&
	    !strcmp(path + strlen(path) - strlen(going), going)) {
		errno = vanished;
		return -1;
	}
	return __real_read(fd, to, size);
}

static void tree_path(char path[512], const char *name)
{
	snprintf(path, 512, "%s/tree/%s", directory, name);
}

static void tree_folder(const char *name)
{
	char path[512];

	tree_path(path, name);
	CHECK(!mkdir(path, 0700));
}

static void tree_file(const char *name, const char *text)
{
	char path[512];
	FILE *f;

	tree_path(path, name);
	f = fopen(path, "w");
	CHECK(f);
	fputs(text, f);
	fclose(f);
}

#define LAYOUT                                                       \
	"size: 4\ndynamic: 0\nformat:\n"                             \
	"\tfield:int value;\toffset:0;\tsize:4;\tsigned:1;\n\nprint" \
	" fmt: \"%d\", REC->value\n"

static struct ktrace_session *session;

static void tree_remove(void)
{
	char command[600];

	snprintf(command, sizeof(command), "rm -rf %s/tree", directory);
	CHECK(!system(command));
}

/* Makes an event that stays, one that goes while it is read, and one that has gone. */
static void begin(void)
{
	char path[512];

	scratch_make();
	snprintf(path, sizeof(path), "%s/tree", directory);
	CHECK(!mkdir(path, 0700));
	setenv("KTRACE_ROOT", path, 1);
	tree_file("version", "test 1\n");
	tree_file("available",
		  "event sys:stays id 16 enabled 1 module vmlinux\n"
		  "event sys:going id 17 enabled 1 module some\n"
		  "event sys:gone id 18 enabled 1 module some\n"
		  "event sys:other3 id 0 enabled 0\nevent sys:other4 id 0\n"
		  "event sys:other5 id 0 enabled 0\nevent sys:other6 id 0\n"
		  "event sys:other7 id 0 enabled 0\nevent sys:other8 id 0\n"
		  "event sys:other9 id 0 enabled 0\nevent sys:other10 id 0\n"
		  "event sys:other11 id 0 enabled 0\n");
	tree_folder("events");
	tree_folder("events/sys");
	tree_folder("events/sys/stays");
	tree_folder("events/sys/going");
	tree_file("events/sys/stays/format", "name: stays\nID: 16\n" LAYOUT);
	tree_file("events/sys/going/format", "name: going\nID: 17\n" LAYOUT);
	CHECK_EQ(ktrace_session_open(NULL, &session), 0);
}

static void end(void)
{
	ktrace_session_close(session);
	tree_remove();
}

static bool is_wanted(const struct ktrace_known *known, void *data)
{
	return known->enabled;
}

TEST(all_are_there)
{
	struct ktrace_types *types;

	begin();
	vanished = 0;
	CHECK_EQ(ktrace_session_types(session, is_wanted, NULL, &types), 0);
	CHECK_EQ(ktrace_types_count(types), 2);
	CHECK_STR(ktrace_types_find(types, 17)->name, "going");
	ktrace_types_destroy(types);
	end();
}

TEST(one_goes_while_it_is_read)
{
	const struct ktrace_type *type;
	struct ktrace_types *types;

	begin();
	vanished = ENODEV;
	CHECK_EQ(ktrace_session_types(session, is_wanted, NULL, &types), 0);
	CHECK_EQ(ktrace_types_count(types), 1);
	type = ktrace_types_find(types, 16);
	CHECK(type);
	CHECK_STR(type->name, "stays");
	CHECK_STR(type->fields[0].name, "value");
	ktrace_types_destroy(types);
	end();
}

TEST(one_cannot_be_read)
{
	struct ktrace_types *types;

	begin();
	vanished = EIO;
	CHECK_EQ(ktrace_session_types(session, is_wanted, NULL, &types), -EIO);
	CHECK(strstr(ktrace_last_error(), "what events have"));
	end();
}

/* A module of a version without this file. */
TEST(an_older_tree)
{
	struct ktrace_known *known;
	struct ktrace_types *types;
	char path[512];
	size_t nr;

	begin();
	tree_path(path, "available");
	CHECK(!unlink(path));
	CHECK_EQ(ktrace_session_known(session, &known, &nr), -EPROTO);
	CHECK(strstr(ktrace_last_error(), "ktrace unload"));
	CHECK_EQ(ktrace_session_types(session, is_wanted, NULL, &types),
		 -EPROTO);
	CHECK(strstr(ktrace_last_error(), "ktrace unload"));
	end();
}

CHECK_MAIN
