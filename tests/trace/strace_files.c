// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What the strace view shows of the files behind descriptors. */
#include "called.h"

static void begin_calls(void)
{
	begin();
	read_types();
	run(7, 7);
}

/* close(3), whose field @name has these bytes, and is shown so. */
static void check_file(const struct ktrace_output_calls *options,
		       const char *name, const char *bytes, size_t size,
		       const char *want)
{
	uint32_t enter, exit;
	struct record r = {0};
	char fields[32], line[256];

	begin_calls();
	snprintf(fields, sizeof(fields), "fd %s", name);
	enter = type("sys_enter_close", fields);
	exit = type("sys_exit_close", "ret");
	number(&r, 3);
	captured(&r, 1);
	memory(&r, bytes, size);
	happen(enter, &r);
	returns(exit, 0);
	snprintf(line, sizeof(line), "close(3%s) = 0\n", want);
	check_shown_with(options, line);
}

#define FILE_IS(bytes, want) \
	check_file(&options, "__fd_file", bytes, sizeof(bytes), want)

/* As strace 6.1 has them, which does not look at the device of a file that is gone. */
TEST(files)
{
	const struct ktrace_output_calls options = {.column = 1};

	FILE_IS("/dev/null\0char 1:3", "</dev/null<char 1:3>>");
	FILE_IS("/dev/sda (deleted)\0block 8:0",
		"</dev/sda<block 8:0>>(deleted)");
	FILE_IS("/etc/pass<d (deleted)\0", "</etc/pass\\74d>(deleted)");
	FILE_IS("anon_inode:[pidfd]\0pid 812", "<pid:812>");
	FILE_IS("socket:[9]\0TCP:[127.0.0.1:80->127.0.0.1:5000]",
		"<TCP:[127.0.0.1:80->127.0.0.1:5000]>");
	FILE_IS("socket:[9]\0TCPv6:[[::1]:80]", "<TCPv6:[[::1]:80]>");
	FILE_IS("socket:[9]\0NETLINK:[0:812]", "<NETLINK:[ROUTE:812]>");
	FILE_IS("socket:[9]\0NETLINK:[9]", "<NETLINK:[9]>");
	FILE_IS("socket:[9]\0UNIX-STREAM:[9->10]", "<UNIX-STREAM:[9->10]>");
	FILE_IS("socket:[9]\0UNIX:[9,\"/run/x\"]", "<UNIX:[9,\"/run/x\"]>");
	FILE_IS("socket:[9]\0UNIX:[9,@\"x\"]", "<UNIX:[9,@\"x\"]>");
	check_file(&options, "__fd_path", "/dev/null", 10, "</dev/null>");
	/* No file, and no room for what it is. */
	FILE_IS("\0", "");
	FILE_IS("/dev/null\0", "</dev/null>");
}

/* What a socket is called, and what somebody else has written into a trace. */
TEST(files_hostile)
{
	const struct ktrace_output_calls options = {.column = 1};
	const struct ktrace_output_calls hex = {
		.column = 1,
		.strings = KTRACE_STRINGS_HEX,
	};

	FILE_IS("socket:[9]\0UNIX:[9->8,\"a\"],\"\n\33[m,@\"]",
		"<UNIX:[9->8,\"a\\\"],\\\"\\n\\33[m,@\"]>");
	FILE_IS("socket:[9]\0\33[m>:[9,@\"\377\"]",
		"<\\33[m\\76:[9,@\"\\377\"]>");
	FILE_IS("s\0UNIX:[9,\"]", "<UNIX:[9,\\\"]>");
	FILE_IS("s\0UNIX:[9,@\"]", "<UNIX:[9,@\\\"]>");
	FILE_IS("s\0UNIX:[9,", "<UNIX:[9,>");
	FILE_IS("s\0,", "<,>");
	FILE_IS("s\0\"]", "<\\\"]>");
	FILE_IS("s\0NETLINK:[", "<NETLINK:[>");
	FILE_IS("s\0NETLINK:[0", "<NETLINK:[0>");
	FILE_IS("s\0NETLINK:[0:", "<NETLINK:[0:>");
	FILE_IS("s\0NETLINK:[0:1", "<NETLINK:[0:1>");
	FILE_IS("s\0NETLINK:[0:1]\33", "<NETLINK:[0:1]\\33>");
	FILE_IS("s\0NETLINK:[4294967296:1]", "<NETLINK:[4294967296:1]>");
	FILE_IS("s\0NETLINK:[99:1]", "<NETLINK:[99:1]>");
	FILE_IS("p\0pid ", "<pid >");
	FILE_IS("p\0pid 1>", "<pid 1\\76>");
	FILE_IS("p\0pid 99999999999", "<pid 99999999999>");
	FILE_IS("\0char \n<", "<<char \\n\\74>>");
	/* Its end is missing. */
	check_file(&options, "__fd_file", "s", 1, "<s>");
	check_file(&options, "__fd_file", "s\0TCP:[", 7, "<TCP:[>");
	check_file(&options, "__fd_file", "s\0pid 7", 7, "<pid:7>");
	check_file(&options, "__fd_file", "", 0, "");
	check_file(&hex, "__fd_file", "s\0UNIX:[9,\"a\"]", 15,
		   "<UNIX:[9,\"\\x61\"]>");
	check_file(&hex, "__fd_file", "/\0char 1:3", 11, "<\\x2f<char 1:3>>");
	check_file(&hex, "__fd_file", "s\0\33->->", 7, "<\\33->->>");
}

/* What is not shown as such has its path, if that is shown. */
TEST(files_hidden)
{
	static const struct {
		const char *bytes;
		size_t size;
		uint64_t own;
		const char *shown, *path;
	} files[] = {
		{"/x\0", 4, KTRACE_FILES_PATHS, "</x>", ""},
		{"/x\0char 1:3", 12, KTRACE_FILES_DEVICES, "</x<char 1:3>>",
		 "</x>"},
		{"/x\0pid 7", 9, KTRACE_FILES_PIDFDS, "<pid:7>", "</x>"},
		{"/x\0TCP:[9]", 11, KTRACE_FILES_SOCKETS, "<TCP:[9]>", "</x>"},
	};

	for (uint64_t hidden = 0; hidden <= KTRACE_FILES_ALL; hidden++) {
		const struct ktrace_output_calls options = {
			.column = 1,
			.files_hidden = hidden,
		};

		for (size_t i = 0; i < 4; i++) {
			const char *want = files[i].path;

			if (!(hidden & files[i].own))
				want = files[i].shown;
			else if (hidden & KTRACE_FILES_PATHS)
				want = "";
			check_file(&options, "__fd_file", files[i].bytes,
				   files[i].size, want);
		}
	}
}

/* Several in one field; by the second one's path the call is chosen. */
TEST(files_of_several)
{
	static const char *const paths[] = {"/b", NULL};
	static const char both[] = "/a\0char 1:3\0/b\0";
	const struct ktrace_output_calls options = {
		.column = 1,
		.touching = paths,
	};
	const int fds[] = {3, 4};
	uint32_t enter, exit;
	struct record r = {0};

	begin_calls();
	enter = type("sys_enter_pipe2", "fildes flags");
	exit = type("sys_exit_pipe2", "ret __fildes_val __fildes_file");
	number(&r, 0x1000);
	number(&r, 0);
	happen(enter, &r);
	r = (struct record){0};
	number(&r, 0);
	captured(&r, 2);
	memory(&r, fds, sizeof(fds));
	memory(&r, both, sizeof(both));
	happen(exit, &r);
	check_shown_with(&options, "pipe2([3</a<char 1:3>>, 4</b>], 0) = 0\n");
}

TEST(files_in_objects)
{
	const struct ktrace_output_calls options = {.json = true},
					 hidden = {
						 .json = true,
						 .files_hidden =
							 KTRACE_FILES_DEVICES,
					 };
	static const char file[] = "/dev/null\0char 1:3";

	for (int i = 0; i < 2; i++) {
		uint32_t enter, exit;
		struct record r = {0};

		begin_calls();
		enter = type("sys_enter_dup", "fildes");
		exit = type("sys_exit_dup", "ret __ret_file");
		number(&r, 3);
		happen(enter, &r);
		r = (struct record){0};
		number(&r, 4);
		captured(&r, 1);
		memory(&r, file, sizeof(file));
		happen(exit, &r);
		check_shown_with(
			i ? &hidden : &options,
			i ? "{\"time\":12000001000,\"tid\":7,\"call\":\"dup\","
			    "\"args\":[\"3\"],\"result\":4,\"ns\":1000,"
			    "\"path\":\"/dev/null\"}\n"
			  : "{\"time\":12000001000,\"tid\":7,\"call\":\"dup\","
			    "\"args\":[\"3\"],\"result\":4,\"ns\":1000,"
			    "\"path\":\"/dev/null\","
			    "\"object\":\"char 1:3\"}\n");
	}
}

CHECK_MAIN
