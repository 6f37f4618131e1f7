// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The strace view of what members of structs stand for: files of descriptors, instructions of
 * filters; and of directories and environments, which are shown as a whole only if nothing is to be
 * left out.
 */
#include <errno.h>
#include <sys/socket.h>

#include "called.h"

static const struct ktrace_output_calls all = {.string_max = 32,
					       .unabbreviated = true};

/* A classic filter of a socket, of which @size bytes were captured. */
static void filter_once(uint16_t number_of, const void *insns, uint32_t size)
{
	uint32_t enter = type("sys_enter_setsockopt",
			      "fd level optname optval optlen "
			      "__optval_val __optval_val_filter");
	uint32_t exit = type("sys_exit_setsockopt", "ret");
	uint64_t program[2] = {number_of, 0x3000};
	struct record r = {0};

	number(&r, 3);
	number(&r, SOL_SOCKET);
	number(&r, SO_ATTACH_FILTER);
	number(&r, 0x2000);
	number(&r, sizeof(program));
	captured(&r, 2);
	memory(&r, program, sizeof(program));
	memory(&r, insns, size);
	happen(enter, &r);
	returns(exit, 0);
}

/* ld [4 behind the link's header]; jeq #0x11, 0, 5; ret #-1 */
static const uint8_t filter[] = {
	0x30, 0, 0, 0, 0x04, 0x00, 0xe0, 0xff, 0x15, 0,	   0,	 5,
	0x11, 0, 0, 0, 0x06, 0,	   0,	 0,    0xff, 0xff, 0xff, 0xff,
};

TEST(filter_of_a_socket)
{
	begin();
	run(7, 7);
	filter_once(3, filter, sizeof(filter));
	filter_once(4, filter, sizeof(filter) - 1);
	filter_once(3, filter, 0);
	filter_once(0, filter, 0);
	check_shown_with(
		&all,
		"setsockopt(3, SOL_SOCKET, SO_ATTACH_FILTER, {len=3, filter=["
		"BPF_STMT(BPF_LD|BPF_B|BPF_ABS, SKF_LL_OFF+4), "
		"BPF_JUMP(BPF_JMP|BPF_K|BPF_JEQ, 0x11, 0, 0x5), "
		"BPF_STMT(BPF_RET|BPF_K, 0xffffffff)]}, 16) = 0\n"
		"setsockopt(3, SOL_SOCKET, SO_ATTACH_FILTER, {len=4, filter=["
		"BPF_STMT(BPF_LD|BPF_B|BPF_ABS, SKF_LL_OFF+4), "
		"BPF_JUMP(BPF_JMP|BPF_K|BPF_JEQ, 0x11, 0, 0x5), ...]}, 16) = 0\n"
		"setsockopt(3, SOL_SOCKET, SO_ATTACH_FILTER, {len=3, "
		"filter=0x3000}, 16) = 0\n"
		"setsockopt(3, SOL_SOCKET, SO_ATTACH_FILTER, {len=0, "
		"filter=[]}, 16) = 0\n");
}

TEST(filter_is_left_out)
{
	begin();
	run(7, 7);
	filter_once(3, filter, sizeof(filter));
	check_shown("setsockopt(3, SOL_SOCKET, SO_ATTACH_FILTER, {len=3, "
		    "filter=0x3000}, 16) = 0\n");
}

/* landlock_add_rule: the struct's descriptor has its path in a field of the argument. */
static void rule_once(int fd, const char *path, uint32_t size)
{
	uint32_t enter = type("sys_enter_landlock_add_rule",
			      "fd type attr flags __attr_val_"
			      "landlock_path_beneath_attr __attr_path");
	uint32_t exit = type("sys_exit_landlock_add_rule", "ret");
	struct {
		uint64_t access;
		int32_t fd;
	} __attribute__((packed)) rule = {1, fd};
	struct record r = {0};

	number(&r, 3);
	number(&r, 1);
	number(&r, 0x2000);
	number(&r, 0);
	captured(&r, 2);
	memory(&r, &rule, sizeof(rule));
	memory(&r, path, size);
	happen(enter, &r);
	returns(exit, -EBADF);
}

TEST(descriptor_in_a_struct)
{
	begin();
	layout("landlock_path_beneath_attr", 12,
	       "{\"name\":\"allowed_access\",\"offset\":0,\"size\":8},"
	       "{\"name\":\"parent_fd\",\"offset\":8,\"size\":4,"
	       "\"signed\":true}");
	run(7, 7);
	rule_once(8, "/dev/full", 10);
	rule_once(8, "/dev/full", 0);
	rule_once(-100, "/home", 6);
	check_shown("landlock_add_rule(3, LANDLOCK_RULE_PATH_BENEATH, "
		    "{allowed_access=LANDLOCK_ACCESS_FS_EXECUTE, "
		    "parent_fd=8</dev/full>}, 0) = -1 EBADF (Bad file "
		    "descriptor)\n"
		    "landlock_add_rule(3, LANDLOCK_RULE_PATH_BENEATH, "
		    "{allowed_access=LANDLOCK_ACCESS_FS_EXECUTE, "
		    "parent_fd=8}, 0) = -1 EBADF (Bad file descriptor)\n"
		    "landlock_add_rule(3, LANDLOCK_RULE_PATH_BENEATH, "
		    "{allowed_access=LANDLOCK_ACCESS_FS_EXECUTE, "
		    "parent_fd=-100}, 0) = -1 EBADF (Bad file descriptor)\n");
}

/* Descriptors of another process have a sign, as others, though the struct's members have none. */
TEST(descriptors_of_another)
{
	const uint32_t slot[] = {-2, -3, 4};
	uint32_t enter, exit;
	struct record r = {0};

	begin();
	layout("kcmp_epoll_slot", 12,
	       "{\"name\":\"efd\",\"offset\":0,\"size\":4},"
	       "{\"name\":\"tfd\",\"offset\":4,\"size\":4},"
	       "{\"name\":\"toff\",\"offset\":8,\"size\":4}");
	run(7, 7);
	enter = type("sys_enter_kcmp",
		     "pid1 pid2 type idx1 idx2 __idx2_val_kcmp_epoll_slot");
	exit = type("sys_exit_kcmp", "ret");
	number(&r, 7);
	number(&r, 7);
	number(&r, 7);
	number(&r, 23);
	number(&r, 0x2000);
	captured(&r, 1);
	memory(&r, slot, sizeof(slot));
	happen(enter, &r);
	returns(exit, -ESRCH);
	check_shown("kcmp(7, 7, KCMP_EPOLL_TFD, 23, {efd=-2, tfd=-3, toff=4}) "
		    "= -1 ESRCH (No such process)\n");
}

/* A newer kernel's bpf has more arguments than are known, and nothing was captured of them. */
TEST(more_arguments_than_words)
{
	uint8_t attributes[72] = {0};
	uint32_t enter, exit;
	struct record r = {0};

	begin();
	layout("bpf_attr", 72,
	       "{\"name\":\"prog_type\",\"offset\":0,\"size\":4},"
	       "{\"name\":\"license\",\"offset\":16,\"size\":8}");
	run(7, 7);
	enter = type(
		"sys_enter_bpf",
		"cmd uattr size attr_common size_common __uattr_val_bpf_attr");
	exit = type("sys_exit_bpf", "ret");
	number(&r, 5);
	number(&r, 0x2000);
	number(&r, sizeof(attributes));
	number(&r, 0x3000);
	number(&r, 16);
	captured(&r, 1);
	memory(&r, attributes, sizeof(attributes));
	happen(enter, &r);
	returns(exit, -EINVAL);
	free(shown(NULL));
}

/* A directory whose only entry says that it has @length bytes. */
static void directory_once(uint16_t length, uint32_t size)
{
	uint32_t enter = type("sys_enter_getdents64", "fd dirent count");
	uint32_t exit = type("sys_exit_getdents64",
			     "ret __dirent_val __dirent_val_data");
	uint8_t entry[24] = {5, [8] = 1, [18] = 4, [19] = '.'};
	const uint32_t count = 1;
	struct record r = {0};

	memcpy(entry + 16, &length, sizeof(length));
	number(&r, 3);
	number(&r, 0x2000);
	number(&r, 100);
	happen(enter, &r);
	r = (struct record){0};
	number(&r, sizeof(entry));
	captured(&r, 2);
	memory(&r, &count, sizeof(count));
	memory(&r, entry, size);
	happen(exit, &r);
}

TEST(entries_of_a_directory)
{
	begin();
	run(7, 7);
	directory_once(24, 24);
	/* They lead nowhere, or beyond what there is. */
	directory_once(0, 24);
	directory_once(19, 24);
	directory_once(25, 24);
	directory_once(24, 10);
	check_shown_with(&all,
			 "getdents64(3, [{d_ino=5, d_off=1, d_reclen=24, "
			 "d_type=DT_DIR, d_name=\".\"}], 100) = 24\n"
			 "getdents64(3, [...], 100)               = 24\n"
			 "getdents64(3, [...], 100)               = 24\n"
			 "getdents64(3, [...], 100)               = 24\n"
			 "getdents64(3, [...], 100)               = 24\n");
}

TEST(entries_are_counted)
{
	begin();
	run(7, 7);
	directory_once(24, 24);
	check_shown("getdents64(3, 0x2000 /* 1 entries */, 100) = 24\n");
}

CHECK_MAIN
