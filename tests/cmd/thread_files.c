// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* cmd/run/thread_files.c: more threads than open files, and threads that share a place there. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmd/cmd.h"
#include "../../cmd/run/thread_files.h"
#include "check.h"
#include "scratch.h"

int failed(const char *format, ...)
{
	(void)format;
	return EXIT_FAILED;
}

/* The content of the thread's file is @want. */
static void check_file(uint32_t tid, const char *want)
{
	char name[32], path[512], text[64] = "";
	FILE *f;

	snprintf(name, sizeof(name), "out.%u", tid);
	path_of(path, name);
	f = fopen(path, "r");
	CHECK(f);
	CHECK(fread(text, 1, sizeof(text) - 1, f) <= sizeof(text));
	fclose(f);
	CHECK_STR(text, want);
}

static void files_begin(struct thread_files *files, char path[512])
{
	path_of(path, "out");
	*files = (struct thread_files){.path = path};
	CHECK_EQ(thread_files_check(files), EXIT_OK);
}

static void write_text(struct thread_files *files, uint32_t tid,
		       const char *text)
{
	CHECK_EQ(thread_files_write(files, tid, text, strlen(text)), 0);
}

/* Each round opens each file anew, because the others have taken its place. */
TEST(more_than_open_files)
{
	struct thread_files files;
	char path[512];

	scratch_make();
	files_begin(&files, path);
	for (int round = 0; round < 3; round++) {
		for (uint32_t tid = 1; tid <= 3 * THREAD_FILES_OPEN; tid++)
			write_text(&files, tid, round ? "b\n" : "a\n");
	}
	thread_files_free(&files);
	for (uint32_t tid = 1; tid <= 3 * THREAD_FILES_OPEN; tid++)
		check_file(tid, "a\nb\nb\n");
}

/* Threads of one place do not get each other's lines. */
TEST(same_place)
{
	const uint32_t one = 5, other = one + THREAD_FILES_OPEN;
	struct thread_files files;
	char path[512];

	scratch_make();
	files_begin(&files, path);
	write_text(&files, one, "1\n");
	write_text(&files, other, "2\n");
	write_text(&files, other, "3\n");
	write_text(&files, one, "4\n");
	write_text(&files, other, "5\n");
	thread_files_free(&files);
	check_file(one, "1\n4\n");
	check_file(other, "2\n3\n5\n");
}

/* What files have from earlier is lost, unless it is added to. */
TEST(earlier_files)
{
	struct thread_files files;
	char path[512];

	scratch_make();
	for (int append = 0; append < 3; append++) {
		files_begin(&files, path);
		files.append = append == 1;
		write_text(&files, 7, "a\n");
		thread_files_free(&files);
		check_file(7, append == 1 ? "a\na\n" : "a\n");
	}
}

TEST(no_folder)
{
	struct thread_files files = {.path = "/tmp/ktrace-none/out"};

	CHECK_EQ(thread_files_check(&files), EXIT_FAILED);
	CHECK_EQ(thread_files_write(&files, 7, "a\n", 2), -ENOENT);
	thread_files_free(&files);
}

CHECK_MAIN
