// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names that several functions have; tests/prototypes has those of real kernels. */
#include <unistd.h>

#include "check.h"
#include "session/namesakes.h"

static char path[] = "/tmp/namesakes-XXXXXX";

static void file_write(const char *text)
{
	int fd;

	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	CHECK(fd >= 0);
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static const char symbols[] = "0000000000000000 A fixed_percpu_data\n"
			      "ffffffff81000000 T once\n"
			      "ffffffff81000010 t twice\n"
			      "ffffffff81000020 t thrice\n"
			      "ffffffff81000030 t thrice\n"
			      "ffffffff81000040 W twice\n"
			      "ffffffff81000050 t thrice\n"
			      "ffffffff81000060 d once\n"
			      "ffffffff81000070 t\n"
			      "ffffffff81000072 t thrice.cold\n"
			      "ffffffff81000074 t thrice.cold\n"
			      "ffffffff81000076 t __pfx_once\n"
			      "ffffffff81000078 t __pfx_once\n"
			      "ffffffff81000080  fourth\n"
			      "ffffffff81000090  fourth\n"
			      "\n"
			      "nonsense\n"
			      "ffffffffc0000000 t once\t[ext4]\n"
			      "ffffffffc0000010 t show\t[ext4]\n"
			      "ffffffffc0000020 t show\t[xfs]\n"
			      "ffffffffc0000030 t show\t[xfs]\n";

TEST(functions_of_the_image)
{
	struct namesakes n = {0};

	file_write(symbols);
	CHECK_EQ(namesakes_read(&n, path, true), 0);
	unlink(path);
	CHECK(!namesakes_has(&n, "vmlinux", "once"));
	CHECK(namesakes_has(&n, "vmlinux", "twice"));
	CHECK(namesakes_has(&n, "vmlinux", "thrice"));
	CHECK(!namesakes_has(&n, "vmlinux", "show"));
	CHECK(!namesakes_has(&n, "xfs", "show"));
	CHECK(!namesakes_has(&n, "vmlinux", "fourth"));
	CHECK(!namesakes_has(&n, "vmlinux", "nonsense"));
	CHECK(namesakes_know(&n, "vmlinux"));
	CHECK(!namesakes_know(&n, "xfs"));
	CHECK_EQ(n.nr, 3);
	namesakes_free(&n);
	CHECK(!namesakes_has(&n, "vmlinux", "twice"));
}

TEST(functions_of_modules)
{
	struct namesakes n = {0};

	file_write(symbols);
	CHECK_EQ(namesakes_read(&n, path, false), 0);
	unlink(path);
	CHECK(namesakes_has(&n, "xfs", "show"));
	CHECK(!namesakes_has(&n, "ext4", "show"));
	CHECK(!namesakes_has(&n, "ext4", "once"));
	CHECK(namesakes_know(&n, "ext4"));
	CHECK(namesakes_know(&n, "xfs"));
	CHECK(!namesakes_know(&n, "vmlinux"));
	CHECK_EQ(n.nr, 3);
	namesakes_free(&n);
}

/* As the control tree's file `symbols' has them. */
TEST(functions_that_come_and_go)
{
	struct namesakes n = {0};

	file_write("ffffffffc0000000 once ext4\n"
		   "ffffffffc0000010 show ext4\n"
		   "ffffffffc0000030 show xfs\n"
		   "ffffffffc0000020 show.cold xfs\n"
		   "ffffffffc0000024 show.cold xfs\n"
		   "ffffffffc0000018 __pfx_once xfs\n"
		   "ffffffffc0000028 __pfx_once xfs\n"
		   "ffffffffc0000040 show xfs\n"
		   "ffffffffc0000050 nameless\n"
		   "\n"
		   "nonsense");
	CHECK_EQ(namesakes_read_moving(&n, path), 0);
	unlink(path);
	CHECK(namesakes_has(&n, "xfs", "show"));
	CHECK(!namesakes_has(&n, "ext4", "show"));
	CHECK(!namesakes_has(&n, "ext4", "once"));
	CHECK(namesakes_know(&n, "ext4"));
	CHECK(namesakes_know(&n, "xfs"));
	CHECK(!namesakes_know(&n, "vmlinux"));
	CHECK_EQ(n.nr, 3);
	namesakes_free(&n);
	CHECK(namesakes_read_moving(&n, path) < 0);
	file_write("");
	CHECK_EQ(namesakes_read_moving(&n, path), 0);
	unlink(path);
	CHECK(!namesakes_know(&n, "xfs"));
	namesakes_free(&n);
}

TEST(nothing_to_read)
{
	struct namesakes n = {0};

	file_write("");
	CHECK(namesakes_read(&n, path, true) < 0);
	unlink(path);
	CHECK(namesakes_read(&n, path, true) < 0);
	file_write("ffffffff81000000 T once");
	CHECK_EQ(namesakes_read(&n, path, true), 0);
	unlink(path);
	CHECK(!namesakes_has(&n, "vmlinux", "once"));
	CHECK(n.text);
	namesakes_free(&n);
}

CHECK_MAIN
