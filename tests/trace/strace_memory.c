// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The strace view of memory that no kernel captured: what says how much there is, or
 * where something is, leads beyond it.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>

#include <linux/audit.h>

#include "called.h"

/* sendmsg with @size captured bytes of control messages, of @whole. */
static void message_once(const void *control, uint32_t size, uint64_t whole)
{
	uint32_t enter = type("sys_enter_sendmsg",
			      "fd msg flags __msg_val __msg_val_control");
	uint32_t exit = type("sys_exit_sendmsg", "ret");
	uint64_t message[7] = {[4] = 0x1000, [5] = whole};
	struct record r = {0};

	number(&r, 3);
	number(&r, 0x2000);
	number(&r, 0);
	captured(&r, 2);
	memory(&r, message, sizeof(message));
	memory(&r, control, size);
	happen(enter, &r);
	returns(exit, 0);
}

/* The lengths in them are trusted only as far as bytes were captured. */
TEST(control_messages)
{
	static const uint64_t lengths[] = {
		0,  3,	15, 16,		17,	    20,
		22, 24, 40, UINT32_MAX, UINT64_MAX, UINT64_MAX - 6};
	/* Of sockets, and of the internet protocol. */
	static const int32_t types[] = {1,  2, 3, 29, 35, 37, 63, 64,
					65, 6, 7, 8,  11, 20, 23, 77};
	int32_t fds[2] = {5, 6};
	uint8_t control[64];

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		for (size_t j = 0; j < 2 * sizeof(types) / 4; j++) {
			begin();
			run(7, 7);
			for (uint32_t size = 0; size <= 64; size += 3) {
				memset(control, 0, sizeof(control));
				for (uint32_t at = 0; at < 64; at += 24) {
					memcpy(control + at, &lengths[i], 8);
					control[at + 8] = j & 1;
					memcpy(control + at + 12, &types[j / 2],
					       at + 16 < 64 ? 4 : 0);
				}
				message_once(control, size, size + 3 * (j < 2));
			}
			free(shown(NULL));
		}
	}
	memset(control, 0, sizeof(control));
	memcpy(control, (uint64_t[]){24}, 8);
	memcpy(control + 8, (int32_t[]){1, 1}, 8);
	memcpy(control + 16, fds, 8);
	begin();
	run(7, 7);
	message_once(control, 24, 24);
	message_once(control, 20, 1000);
	check_shown("sendmsg(3, {msg_name=NULL, msg_namelen=0, msg_iov=NULL, "
		    "msg_iovlen=0, msg_control=[{cmsg_len=24, "
		    "cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, "
		    "cmsg_data=[5, 6]}], msg_controllen=24, msg_flags=0}, 0) "
		    "= 0\n"
		    "sendmsg(3, {msg_name=NULL, msg_namelen=0, msg_iov=NULL, "
		    "msg_iovlen=0, msg_control=[{cmsg_len=24, "
		    "cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, "
		    "cmsg_data=[5, ...]}, ...], msg_controllen=1000, "
		    "msg_flags=0}, 0) = 0\n");
}

static void connect_once(const uint8_t *address, uint32_t size)
{
	uint32_t enter = type("sys_enter_connect",
			      "fd uservaddr addrlen __uservaddr_val");
	uint32_t exit = type("sys_exit_connect", "ret");
	struct record r = {0};

	number(&r, 3);
	number(&r, 0x1000);
	number(&r, size);
	captured(&r, 1);
	memory(&r, address, size);
	happen(enter, &r);
	returns(exit, 0);
}

/* Each family with each length, and counts in the address that lead beyond it. */
TEST(addresses)
{
	static const uint8_t fills[] = {0, 1, 8, 0x40, 0x7f, 0x80, 0xff};
	uint8_t address[128];

	for (size_t i = 0; i < sizeof(fills); i++) {
		for (unsigned int family = 0; family < 48; family++) {
			begin();
			run(7, 7);
			memset(address, fills[i], sizeof(address));
			address[0] = family;
			address[1] = 0;
			for (uint32_t size = 0; size <= sizeof(address);
			     size += size < 32 ? 1 : 16)
				connect_once(address, size);
			free(shown(NULL));
		}
	}
	begin();
	run(7, 7);
	memset(address, 0x1b << 1, sizeof(address));
	memcpy(address, (uint8_t[]){AF_AX25, 0}, 2);
	connect_once(address, 16);
	memset(address + 2, 0xff, 18);
	memcpy(address, (uint8_t[]){AF_PACKET, 0}, 2);
	connect_once(address, 20);
	check_shown("connect(3, {sa_family=AF_AX25, fsa_ax25={sax25_call="
		    "{ax25_call=\"\\x36\\x36\\x36\\x36\\x36\\x36\\x36\"}, "
		    "sax25_ndigis=909522486}, fsa_digipeater=[...]}, 16) = 0\n"
		    "connect(3, {sa_family=AF_PACKET, "
		    "sll_protocol=htons(0xffff /* ETH_P_??? */), "
		    "sll_ifindex=4294967295, sll_hatype=ARPHRD_VOID, "
		    "sll_pkttype=0xff /* PACKET_??? */, sll_halen=255, "
		    "sll_addr=[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, "
		    "...]}, 20) = 0\n");
}

/* A call whose first argument points to a struct of which @size bytes were captured. */
static void struct_once(const char *name, const char *arguments,
			const uint8_t *bytes, uint32_t size, uint64_t second)
{
	char enter_name[64], exit_name[64], fields[128];
	uint32_t enter, exit;
	struct record r = {0};

	snprintf(enter_name, sizeof(enter_name), "sys_enter_%s", name);
	snprintf(exit_name, sizeof(exit_name), "sys_exit_%s", name);
	snprintf(fields, sizeof(fields), "%s __uargs_val __uargs_val_tids",
		 arguments);
	enter = type(enter_name, fields);
	exit = type(exit_name, "ret __uargs_val_now");
	number(&r, 0x1000);
	number(&r, second);
	number(&r, 0);
	captured(&r, 2);
	memory(&r, bytes, size);
	memory(&r, bytes, size);
	happen(enter, &r);
	r = (struct record){0};
	number(&r, size & 1 ? -E2BIG : 5);
	captured(&r, 1);
	memory(&r, bytes, size % 8);
	happen(exit, &r);
}

/* The sizes of structs that say how large they are, and what was captured of them. */
TEST(versions)
{
	static const struct ktrace_output_calls all = {.string_max = 32,
						       .unabbreviated = true};
	static const uint8_t fills[] = {0, 1, 0x10, 0x38, 0x58, 0x60, 0xff};
	static const uint64_t sizes[] = {0, 1, 48, 64, 88, 96, UINT64_MAX};
	uint8_t bytes[200];

	for (size_t i = 0; i < sizeof(fills); i++) {
		begin();
		layout("clone_args", 88,
		       "{\"name\":\"flags\",\"offset\":0,\"size\":8},"
		       "{\"name\":\"set_tid\",\"offset\":64,\"size\":8},"
		       "{\"name\":\"cgroup\",\"offset\":80,\"size\":8}");
		layout("sched_attr", i ? 56 : 4096,
		       "{\"name\":\"size\",\"offset\":0,\"size\":4},"
		       "{\"name\":\"sched_flags\",\"offset\":8,\"size\":8},"
		       "{\"name\":\"sched_nice\",\"offset\":16,\"size\":4},"
		       "{\"name\":\"sched_util_min\",\"offset\":48,"
		       "\"size\":4}");
		run(7, 7);
		memset(bytes, fills[i], sizeof(bytes));
		for (uint32_t size = 0; size <= sizeof(bytes); size += 4 + i) {
			for (size_t j = 0; j < 7; j++)
				struct_once("clone3", "uargs size flags", bytes,
					    size, sizes[j]);
			struct_once("perf_event_open", "uargs pid cpu", bytes,
				    size, 0);
		}
		free(shown(i & 1 ? &all : NULL));
	}
}

/* As versions, with the struct in the second argument. */
TEST(struct_with_its_size)
{
	uint32_t enter, exit;
	struct record r;

	begin();
	layout("sched_attr", 56,
	       "{\"name\":\"size\",\"offset\":0,\"size\":4},"
	       "{\"name\":\"sched_flags\",\"offset\":8,\"size\":8},"
	       "{\"name\":\"sched_nice\",\"offset\":16,\"size\":4}");
	run(7, 7);
	enter = type("sys_enter_sched_setattr", "pid uattr flags __uattr_val");
	exit = type("sys_exit_sched_setattr", "ret __uattr_val_now");
	for (uint32_t size = 0; size <= 60; size += 20) {
		uint32_t bytes[16] = {size, 0, 16};

		r = (struct record){0};
		number(&r, 9);
		number(&r, 0x1000);
		number(&r, 0);
		captured(&r, 1);
		memory(&r, bytes, size);
		happen(enter, &r);
		r = (struct record){0};
		number(&r, -E2BIG);
		captured(&r, 1);
		memory(&r, bytes, size ? 4 : 3);
		happen(exit, &r);
	}
	check_shown("sched_setattr(9, 0x1000, 0)             = -1 E2BIG "
		    "(Argument list too long)\n"
		    "sched_setattr(9, {size=20} => {size=20}, 0) = -1 E2BIG "
		    "(Argument list too long)\n"
		    "sched_setattr(9, {size=40} => {size=40}, 0) = -1 E2BIG "
		    "(Argument list too long)\n"
		    "sched_setattr(9, {size=60, "
		    "sched_flags=SCHED_FLAG_KEEP_PARAMS, ...} => {size=60}, 0) "
		    "= -1 E2BIG (Argument list too long)\n");
}

/* A union of which a part is there: strings in it may have no end. */
TEST(union_of_a_command)
{
	uint32_t enter, exit;
	uint8_t bytes[96];

	begin();
	layout("bpf_attr", 256,
	       "{\"name\":\"map_type\",\"offset\":0,\"size\":4},"
	       "{\"name\":\"map_flags\",\"offset\":16,\"size\":4},"
	       "{\"name\":\"numa_node\",\"offset\":24,\"size\":4},"
	       "{\"name\":\"map_name\",\"offset\":28,\"size\":16},"
	       "{\"name\":\"btf_fd\",\"offset\":240,\"size\":16}");
	run(7, 7);
	enter = type("sys_enter_bpf", "cmd uattr size __uattr_val_bpf_attr");
	exit = type("sys_exit_bpf", "ret");
	memset(bytes, 'a', sizeof(bytes));
	for (uint32_t size = 0; size <= sizeof(bytes); size++) {
		struct record r = {0};

		number(&r, 0);
		number(&r, 0x1000);
		number(&r, size);
		captured(&r, 1);
		memory(&r, bytes, size);
		happen(enter, &r);
		returns(exit, -EINVAL);
	}
	free(shown(NULL));
	begin();
	layout("bpf_attr", 64,
	       "{\"name\":\"map_type\",\"offset\":0,\"size\":4},"
	       "{\"name\":\"map_flags\",\"offset\":16,\"size\":4},"
	       "{\"name\":\"inner_map_fd\",\"offset\":20,\"size\":4},"
	       "{\"name\":\"numa_node\",\"offset\":24,\"size\":4},"
	       "{\"name\":\"map_name\",\"offset\":28,\"size\":16}");
	run(7, 7);
	enter = type("sys_enter_bpf", "cmd uattr size __uattr_val_bpf_attr");
	exit = type("sys_exit_bpf", "ret");
	memset(bytes, 0, 28);
	for (uint32_t size = 17; size <= 32; size += 15) {
		struct record r = {0};

		number(&r, 0);
		number(&r, 0x1000);
		number(&r, size);
		captured(&r, 1);
		memory(&r, bytes, size);
		happen(enter, &r);
		returns(exit, -EINVAL);
	}
	check_shown(
		"bpf(BPF_MAP_CREATE, {map_type=BPF_MAP_TYPE_UNSPEC, "
		"map_flags=0}, 17) = -1 EINVAL (Invalid argument)\n"
		"bpf(BPF_MAP_CREATE, {map_type=BPF_MAP_TYPE_UNSPEC, "
		"map_flags=0, inner_map_fd=0, map_name=\"aaa\"...}, 32) = -1 "
		"EINVAL (Invalid argument)\n");
}

/* sendmmsg of three messages of which so much was captured. */
static void messages_once(const struct mmsghdr *messages, uint32_t size,
			  uint32_t parts, int64_t result)
{
	static const uint64_t vectors[] = {0x5000, 3, 0x6000, 9, 0x7000, 1};
	uint32_t enter = type("sys_enter_sendmmsg", "fd mmsg vlen flags");
	uint32_t exit = type("sys_exit_sendmmsg",
			     "ret __mmsg_val __mmsg_val_name __mmsg_val_iov "
			     "__mmsg_val_data");
	struct record r = {0};

	number(&r, 3);
	number(&r, 0x1000);
	number(&r, 3);
	number(&r, 0);
	happen(enter, &r);
	r = (struct record){0};
	number(&r, result);
	captured(&r, 4);
	memory(&r, messages, size);
	memory(&r, "\1\0a", parts < 3 ? parts : 3);
	memory(&r, vectors, parts < sizeof(vectors) ? parts : sizeof(vectors));
	memory(&r, "abcd", parts < 4 ? parts : 4);
	happen(exit, &r);
}

TEST(messages)
{
	struct mmsghdr messages[3] = {0};
	static const uint64_t counts[] = {0, 1, 2, 9, 1ull << 60, UINT64_MAX};

	for (size_t i = 0; i < 6; i++) {
		begin();
		run(7, 7);
		memset(messages, 0, sizeof(messages));
		for (size_t j = 0; j < 3; j++) {
			messages[j].msg_hdr.msg_name = (void *)0x2000;
			messages[j].msg_hdr.msg_namelen = counts[i];
			messages[j].msg_hdr.msg_iov = (void *)0x3000;
			messages[j].msg_hdr.msg_iovlen = counts[i];
		}
		for (uint32_t size = 0; size <= sizeof(messages); size += 7) {
			messages_once(messages, size, size, -EBADF);
			messages_once(messages, size, 300, size);
			messages_once(messages, size, size, 0);
		}
		free(shown(NULL));
	}
	begin();
	run(7, 7);
	memset(messages, 0, sizeof(messages));
	messages[0].msg_hdr.msg_name = (void *)0x2000;
	messages[0].msg_hdr.msg_namelen = 3;
	messages[0].msg_hdr.msg_iov = (void *)0x3000;
	messages[0].msg_hdr.msg_iovlen = 2;
	messages[0].msg_len = 12;
	messages[1].msg_hdr.msg_iov = (void *)0x4000;
	messages[1].msg_hdr.msg_iovlen = 1;
	messages[1].msg_len = 1;
	messages_once(messages, 2 * sizeof(*messages), 300, 2);
	check_shown("sendmmsg(3, [{msg_hdr={msg_name={sa_family=AF_UNIX, "
		    "sun_path=\"a\"}, msg_namelen=3, "
		    "msg_iov=[{iov_base=\"abc\", iov_len=3}, "
		    "{iov_base=0x6000, iov_len=9}], msg_iovlen=2, "
		    "msg_controllen=0, msg_flags=0}, msg_len=12}, "
		    "{msg_hdr={msg_name=NULL, msg_namelen=0, "
		    "msg_iov=[{iov_base=\"d\", iov_len=1}], msg_iovlen=1, "
		    "msg_controllen=0, msg_flags=0}, msg_len=1}, ...], 3, 0) = "
		    "2\n");
	/* What was not sent is there, too. */
	begin();
	run(7, 7);
	messages[0].msg_hdr.msg_name = NULL;
	messages[0].msg_hdr.msg_namelen = 0;
	messages[0].msg_hdr.msg_iovlen = 0;
	messages[1].msg_hdr.msg_iovlen = 0;
	messages_once(messages, 2 * sizeof(*messages), 0, 1);
	check_shown("sendmmsg(3, [{msg_hdr={msg_name=NULL, msg_namelen=0, "
		    "msg_iov=[], msg_iovlen=0, msg_controllen=0, msg_flags=0}, "
		    "msg_len=12}, {msg_hdr={msg_name=NULL, msg_namelen=0, "
		    "msg_iov=[], msg_iovlen=0, msg_controllen=0, "
		    "msg_flags=0}}, ...], 3, 0) = 1\n");
}

/* An exec whose second argument could not be read: what came is its address, of @word bytes, at the end. */
static void exec_once(const char *system, const uint64_t *pointers, int nr,
		      uint32_t word, int64_t result)
{
	uint32_t enter = type_of(system, "sys_enter_execve",
				 "filename argv envp __cut __unread "
				 "__filename_val __argv_val");
	uint32_t exit =
		type_of(system, "sys_exit_execve", "ret __argv_val_pointers");
	struct record r = {0};
	uint8_t bytes[64];

	for (int i = 0; i < nr; i++)
		memcpy(bytes + i * word, &pointers[i], word);
	number(&r, 0x1000);
	number(&r, 0x2000);
	number(&r, 0);
	number(&r, 0);
	number(&r, 2);
	captured(&r, 2);
	memory(&r, "/x", 3);
	memory(&r, "a", 2);
	happen(enter, &r);
	r = (struct record){0};
	number(&r, result);
	captured(&r, 1);
	memory(&r, bytes, nr * word);
	happen(exit, &r);
}

TEST(arguments_of_an_exec)
{
	static const uint64_t pointers[] = {0x3000, 8, 16};

	for (int i = 0; i < 2; i++) {
		begin();
		run(7, 7);
		exec_once(i ? "compat_syscalls" : "syscalls", pointers, 3,
			  i ? 4 : 8, -EFAULT);
		/* If it has succeeded, they are gone. */
		exec_once(i ? "compat_syscalls" : "syscalls", pointers, 0, 8,
			  0);
		check_shown(
			"execve(\"/x\", [\"a\", 0x8, 0x10], NULL)    = -1 "
			"EFAULT (Bad address)\n"
			"execve(\"/x\", [\"a\", ...], NULL)          = 0\n");
	}
}

/* A call with an array of longs, of which @nr were captured. */
static void array_once(const char *name, const char *arguments,
		       const uint64_t *values, uint64_t address,
		       const uint64_t *longs, uint32_t nr, int64_t result)
{
	char text[64];
	uint32_t enter, exit;
	struct record r = {0};

	snprintf(text, sizeof(text), "sys_enter_%s", name);
	enter = type(text, arguments);
	snprintf(text, sizeof(text), "sys_exit_%s", name);
	exit = type(text, "ret");
	number(&r, values[0]);
	number(&r, address);
	number(&r, values[1]);
	captured(&r, 1);
	memory(&r, longs, nr * 8);
	happen(enter, &r);
	returns(exit, result);
}

/* What the program says of an array's size is not what there is of it. */
TEST(arrays)
{
	static const uint64_t longs[] = {1, 2, 3};
	static const uint64_t sizes[] = {
		0, 1, 2, 64, 65, 66, 130, 1000000, UINT64_MAX, UINT64_MAX - 61};
	static const struct ktrace_output_calls two = {.string_max = 2};
	static const char fields[] = "mode nmask maxnode __nmask_val";

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		begin();
		run(7, 7);
		for (uint32_t nr = 0; nr <= 3; nr++)
			array_once("set_mempolicy", fields,
				   (uint64_t[]){0, sizes[i]}, 0x1000, longs, nr,
				   0);
		free(shown(NULL));
	}
	begin();
	run(7, 7);
	array_once("set_mempolicy", fields, (uint64_t[]){2, 130}, 0x1000, longs,
		   3, 0);
	array_once("set_mempolicy", fields, (uint64_t[]){2, 130}, 0x1000, longs,
		   1, 0);
	array_once("set_mempolicy", fields, (uint64_t[]){2, 0}, 0x1000, longs,
		   0, 0);
	array_once("set_mempolicy", fields, (uint64_t[]){2, UINT64_MAX}, 0x1000,
		   longs, 3, 0);
	check_shown_with(
		&two,
		"set_mempolicy(MPOL_BIND, [0000000000000001, 0000000000000002, "
		"...], 130) = 0\n"
		"set_mempolicy(MPOL_BIND, [0000000000000001, ...], 130) = 0\n"
		"set_mempolicy(MPOL_BIND, [], 0)         = 0\n"
		"set_mempolicy(MPOL_BIND, 0x1000, 18446744073709551615) = 0\n");
}

/* Programs of 32 bits have longs of 32 bits, also if calls.tab has no line of its own for them. */
TEST(narrow_arrays)
{
	static const uint32_t longs[] = {1, 2};
	uint32_t enter, exit;
	struct record r = {0};

	begin();
	run(7, 7);
	enter = type_of("compat_syscalls", "sys_enter_set_mempolicy",
			"mode nmask maxnode __nmask_val");
	exit = type_of("compat_syscalls", "sys_exit_set_mempolicy", "ret");
	number(&r, 2);
	number(&r, 0x1000);
	number(&r, 65);
	captured(&r, 1);
	memory(&r, longs, sizeof(longs));
	happen(enter, &r);
	returns(exit, 0);
	check_shown("set_mempolicy(MPOL_BIND, [00000001, 00000002], 65) = 0\n");
}

/* A program may say that there is room without end. */
TEST(room_without_end)
{
	static const uint64_t rooms[] = {5, 4, UINT64_MAX};
	uint32_t enter, exit;
	struct record r;

	begin();
	run(7, 7);
	enter = type("sys_enter_getxattr", "pathname name value size");
	exit = type("sys_exit_getxattr", "ret __value_val");
	for (size_t i = 0; i < 3; i++) {
		r = (struct record){0};
		number(&r, 0);
		number(&r, 0);
		number(&r, 0x1000);
		number(&r, rooms[i]);
		happen(enter, &r);
		r = (struct record){0};
		number(&r, 5);
		captured(&r, 1);
		memory(&r, "hello", 5);
		happen(exit, &r);
	}
	check_shown(
		"getxattr(NULL, NULL, \"hello\", 5)        = 5\n"
		"getxattr(NULL, NULL, \"hell\", 4)         = 5\n"
		"getxattr(NULL, NULL, \"hello\", 18446744073709551615) = 5\n");
}

/* What the entry of a call with a command could not read, the exit has tried again. */
TEST(read_again)
{
	static const int one = 1;
	uint32_t enter, exit;
	struct record r = {0};

	begin();
	run(7, 7);
	enter = type("sys_enter_ioctl",
		     "fd cmd arg __cut __unread __arg_val_D");
	exit = type("sys_exit_ioctl", "ret __arg_val_again");
	number(&r, 3);
	number(&r, FIONBIO);
	number(&r, 0x1000);
	number(&r, 0);
	number(&r, 1);
	captured(&r, 1);
	memory(&r, "", 0);
	happen(enter, &r);
	r = (struct record){0};
	number(&r, 0);
	captured(&r, 1);
	memory(&r, &one, sizeof(one));
	happen(exit, &r);
	check_shown("ioctl(3, FIONBIO, [1])                  = 0\n");
}

/* Of what ptrace says of a system call, as much as there was room for. */
TEST(syscall_info)
{
	uint32_t enter, exit;
	struct __ptrace_syscall_info info;
	struct record r;

	begin();
	run(7, 7);
	enter = type("sys_enter_ptrace", "request pid addr data");
	exit = type("sys_exit_ptrace", "ret __data_val_part");
	memset(&info, 0xff, sizeof(info));
	for (unsigned int op = 0; op < 5; op++) {
		info.op = op;
		for (uint32_t size = 0; size <= sizeof(info); size++) {
			r = (struct record){0};
			number(&r, PTRACE_GET_SYSCALL_INFO);
			number(&r, 8);
			number(&r, size);
			number(&r, 0x1000);
			happen(enter, &r);
			r = (struct record){0};
			number(&r, sizeof(info) * (size % 3));
			captured(&r, 1);
			memory(&r, &info, size);
			happen(exit, &r);
		}
	}
	free(shown(NULL));
	info = (struct __ptrace_syscall_info){
		.op = PTRACE_SYSCALL_INFO_ENTRY,
		.arch = AUDIT_ARCH_X86_64,
		.instruction_pointer = 0x10,
		.stack_pointer = 0x20,
		.entry = {.nr = 1, .args = {2, 3}},
	};
	begin();
	run(7, 7);
	enter = type("sys_enter_ptrace", "request pid addr data");
	exit = type("sys_exit_ptrace", "ret __data_val_part");
	for (uint32_t size = 23; size < 48; size += 24) {
		r = (struct record){0};
		number(&r, PTRACE_GET_SYSCALL_INFO);
		number(&r, 8);
		number(&r, size);
		number(&r, 0x1000);
		happen(enter, &r);
		r = (struct record){0};
		number(&r, sizeof(info));
		captured(&r, 1);
		memory(&r, &info, size);
		happen(exit, &r);
	}
	check_shown("ptrace(PTRACE_GET_SYSCALL_INFO, 8, 23, "
		    "{op=PTRACE_SYSCALL_INFO_ENTRY, arch=AUDIT_ARCH_X86_64, "
		    "instruction_pointer=0x10}) = 88\n"
		    "ptrace(PTRACE_GET_SYSCALL_INFO, 8, 47, "
		    "{op=PTRACE_SYSCALL_INFO_ENTRY, arch=AUDIT_ARCH_X86_64, "
		    "instruction_pointer=0x10, stack_pointer=0x20, "
		    "entry={nr=__NR_write, args=[0x2]}}) = 88\n");
	/* Other processors have other numbers. */
	info.arch = AUDIT_ARCH_I386;
	begin();
	run(7, 7);
	enter = type("sys_enter_ptrace", "request pid addr data");
	exit = type("sys_exit_ptrace", "ret __data_val_part");
	r = (struct record){0};
	number(&r, PTRACE_GET_SYSCALL_INFO);
	number(&r, 8);
	number(&r, 32);
	number(&r, 0x1000);
	happen(enter, &r);
	r = (struct record){0};
	number(&r, sizeof(info));
	captured(&r, 1);
	memory(&r, &info, 32);
	happen(exit, &r);
	check_shown("ptrace(PTRACE_GET_SYSCALL_INFO, 8, 32, "
		    "{op=PTRACE_SYSCALL_INFO_ENTRY, arch=AUDIT_ARCH_I386, "
		    "instruction_pointer=0x10, stack_pointer=0x20, "
		    "entry={nr=1}}) = 88\n");
}

/* With all of its members, a struct has those that are left out otherwise. */
TEST(unabbreviated)
{
	static const struct ktrace_output_calls all = {.string_max = 32,
						       .unabbreviated = true};
	uint64_t usage[3] = {1, 2, 3};

	for (int i = 0; i < 2; i++) {
		uint32_t enter, exit;
		struct record r = {0};

		begin();
		layout("rusage", sizeof(usage),
		       "{\"name\":\"ru_maxrss\",\"offset\":8,\"size\":8},"
		       "{\"name\":\"ru_nivcsw\",\"offset\":16,\"size\":8}");
		run(7, 7);
		enter = type("sys_enter_getrusage", "who ru");
		exit = type("sys_exit_getrusage", "ret __ru_val");
		number(&r, 0);
		number(&r, 0x1000);
		happen(enter, &r);
		r = (struct record){0};
		number(&r, 0);
		captured(&r, 1);
		memory(&r, usage, sizeof(usage));
		happen(exit, &r);
		check_shown_with(
			i ? &all : NULL,
			i ? "getrusage(RUSAGE_SELF, {ru_maxrss=2, "
			    "ru_nivcsw=3}) = 0\n"
			  : "getrusage(RUSAGE_SELF, {...})           = "
			    "0\n");
	}
}

/* What a return has captured is there in exports, too, if nobody has its begin. */
TEST(returns_without_begin)
{
	static const char *const kinds[] = {"chrome", "firefox", "text"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct record some = {0}, none = {0};
		uint32_t id;
		char *text;

		begin();
		run(7, 7);
		id = type("sys_exit_read", "ret __cut __unread __buf_val");
		number(&some, 3);
		number(&some, 0);
		number(&some, 0);
		none = some;
		captured(&some, 1);
		memory(&some, "\x0c\x0d\x0e", 3);
		captured(&none, 1);
		memory(&none, "", 0);
		happen(id, &some);
		happen(id, &none);
		text = shown_as(kinds[i], (struct ktrace_output_options){0});
		CHECK(strstr(text, "0c0d0e"));
		/* And nothing is there that was not captured. */
		CHECK(!strstr(strstr(text, "__buf_val") + 1, "__buf_val"));
		free(text);
	}
}

/* An empty string was captured; of a string that was not, not even its end. */
TEST(empty_strings)
{
	for (int captures = 0; captures < 2; captures++) {
		struct record r = {0};
		uint32_t id;
		char *text;

		begin();
		run(7, 7);
		id = type("sys_enter_chdir",
			  "filename __cut __unread __filename_val$");
		number(&r, 0x1000);
		number(&r, 0);
		number(&r, 0);
		captured(&r, 1);
		memory(&r, "", captures);
		happen(id, &r);
		text = shown_as("text", (struct ktrace_output_options){0});
		CHECK(strstr(text, "filename=0x1000") ||
		      strstr(text, "filename=4096"));
		CHECK_EQ(!strstr(text, " \"\""), !captures);
		free(text);
	}
}

CHECK_MAIN
