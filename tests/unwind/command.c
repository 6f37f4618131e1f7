// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which files a command needs (lib/symbol/command_files.h), in a folder made for it. */
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/command_files.h"

#include "check.h"

#define FILES_MAX 32

static char paths[FILES_MAX][PATH_MAX];
static int nr;

static void path_note(void *data, const char *path)
{
	(void)data;
	if (nr < FILES_MAX)
		snprintf(paths[nr], PATH_MAX, "%s", path);
	nr++;
}

static void files_of(const char *command)
{
	nr = 0;
	command_files(command, path_note, NULL);
}

static void file_write(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");

	CHECK(file);
	CHECK(fputs(text, file) >= 0);
	CHECK(!fclose(file));
	CHECK(!chmod(path, mode));
}

/* Has this process mapped it? */
static bool is_mapped(const char *path)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[2 * PATH_MAX], whole[PATH_MAX];
	bool found = false;

	CHECK(maps);
	CHECK(realpath(path, whole));
	while (!found && fgets(line, sizeof(line), maps))
		found = strchr(line, '/') &&
			!strncmp(strchr(line, '/'), whole, strlen(whole));
	fclose(maps);
	return found;
}

TEST(folder)
{
	char name[] = "/tmp/command.XXXXXX";

	CHECK(mkdtemp(name));
	CHECK(!chdir(name));
}

TEST(program_and_linker_are_what_the_kernel_mapped)
{
	files_of("/proc/self/exe");
	CHECK_EQ(nr, 2);
	CHECK_STR(paths[0], "/proc/self/exe");
	CHECK(is_mapped(paths[0]));
	CHECK(strstr(paths[1], "ld-linux"));
	CHECK(is_mapped(paths[1]));
}

TEST(interpreters_of_scripts)
{
	file_write("inner", "#! \t./program -x\n", 0755);
	file_write("outer", "#!./inner\n", 0755);
	CHECK(!symlink("/proc/self/exe", "program"));
	files_of("./outer");
	CHECK_EQ(nr, 4);
	CHECK_STR(paths[0], "./outer");
	CHECK_STR(paths[1], "./inner");
	CHECK_STR(paths[2], "./program");
	CHECK(is_mapped(paths[3]));
}

TEST(a_script_that_interprets_itself_ends)
{
	file_write("circle", "#!./circle", 0755);
	files_of("./circle");
	CHECK_EQ(nr, 6);
}

TEST(lines_that_name_nobody)
{
	char line[5000];

	file_write("none", "#!  \n", 0755);
	files_of("./none");
	CHECK_EQ(nr, 1);
	memset(line, 'x', sizeof(line));
	memcpy(line, "#!", 2);
	line[sizeof(line) - 1] = '\0';
	file_write("long", line, 0755);
	files_of("./long");
	CHECK_EQ(nr, 1);
}

TEST(path_is_searched_as_execvp_does)
{
	CHECK(!mkdir("a", 0755));
	CHECK(!mkdir("b", 0755));
	CHECK(!mkdir("c", 0755));
	CHECK(!mkdir("d", 0755));
	CHECK(!mkdir("a/tool", 0755));
	file_write("b/tool", "not to be run", 0644);
	file_write("c/tool", "this one", 0755);
	file_write("d/tool", "a later one", 0755);
	CHECK(!setenv("PATH", "nowhere:a:b:c:d", 1));
	files_of("tool");
	CHECK_EQ(nr, 1);
	CHECK_STR(paths[0], "c/tool");
	file_write("tool", "in this folder", 0755);
	CHECK(!setenv("PATH", "a::c", 1));
	files_of("tool");
	CHECK_EQ(nr, 1);
	CHECK_STR(paths[0], "./tool");
	CHECK(!setenv("PATH", "a:b", 1));
	files_of("tool");
	CHECK_EQ(nr, 0);
}

TEST(what_is_no_file_is_not_opened)
{
	CHECK(!mkfifo("pipe", 0755));
	files_of("./pipe"); /* would wait */
	CHECK_EQ(nr, 0);
	file_write("waits", "#!./pipe\n", 0755);
	files_of("./waits");
	CHECK_EQ(nr, 1);
	files_of("./missing");
	CHECK_EQ(nr, 0);
	files_of("");
	CHECK_EQ(nr, 0);
}

/* An interpreter's place that no file has, or that is too long to be a path. */
TEST(damaged_programs)
{
	unsigned char image[64 + 56] = {
		0x7f,	   'E',	      'L',
		'F',	   2,	      1,
		1,	   [16] = 2,  [18] = 62,
		[20] = 1,  [32] = 64, [52] = 64,
		[54] = 56, [56] = 1,  [64] = 3 /* PT_INTERP */,
	};

	for (int i = 0; i < 3; i++) {
		FILE *file = fopen("damaged", "w");

		/* Offset and length: beyond the end, negative, huge. */
		memset(image + 72, i == 1 ? 0xff : 0x20, 8);
		memset(image + 96, i == 2 ? 0x7f : 0, 8);
		image[96] = 8;
		CHECK(file);
		CHECK_EQ(fwrite(image, sizeof(image), 1, file), 1);
		CHECK(!fclose(file));
		CHECK(!chmod("damaged", 0755));
		files_of("./damaged");
		CHECK_EQ(nr, 1);
	}
}

TEST(folder_removed)
{
	char name[PATH_MAX], command[PATH_MAX + 16];

	CHECK(getcwd(name, sizeof(name)));
	CHECK(!strncmp(name, "/tmp/command.", 13));
	snprintf(command, sizeof(command), "/bin/rm -r %s", name);
	CHECK(!system(command));
}

CHECK_MAIN
