// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What the strace view shows of a call, and how, as its options say. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>

#include "called.h"

static void begin_calls(void)
{
	begin();
	read_types();
	run(7, 7);
}

/* ---- constants ------------------------------------------------------------ */

static void socket_call(uint32_t enter, uint32_t exit, uint64_t type)
{
	struct record r = {0};

	number(&r, AF_UNIX);
	number(&r, type);
	number(&r, 0);
	happen(enter, &r);
	returns(exit, 3);
}

static void constants_happen(void)
{
	uint32_t open_enter, open_exit, socket_enter, socket_exit, map_enter,
		map_exit, kill_enter, kill_exit, bind_enter, bind_exit;
	static const uint8_t address[] = {2, 0, 0, 80, 127, 0, 0, 1,
					  0, 0, 0, 0,  0,   0, 0, 0};
	struct record r = {0};

	begin_calls();
	open_enter = type("sys_enter_openat",
			  "dfd filename flags mode __filename_val");
	open_exit = type("sys_exit_openat", "ret");
	socket_enter = type("sys_enter_socket", "family type protocol");
	socket_exit = type("sys_exit_socket", "ret");
	map_enter = type("sys_enter_mmap", "addr len prot flags fd off");
	map_exit = type("sys_exit_mmap", "ret");
	kill_enter = type("sys_enter_kill", "pid sig");
	kill_exit = type("sys_exit_kill", "ret");
	bind_enter = type("sys_enter_bind", "fd umyaddr addrlen __umyaddr_val");
	bind_exit = type("sys_exit_bind", "ret");
	number(&r, AT_FDCWD);
	number(&r, 0x1000);
	number(&r, O_CLOEXEC);
	number(&r, 0);
	captured(&r, 1);
	memory(&r, "a", 2);
	happen(open_enter, &r);
	returns(open_exit, -ENOENT);
	socket_call(socket_enter, socket_exit, SOCK_STREAM | SOCK_CLOEXEC);
	socket_call(socket_enter, socket_exit, SOCK_STREAM);
	r = (struct record){0};
	number(&r, 0);
	number(&r, 4096);
	number(&r, 0);
	number(&r, 0x10000032);
	number(&r, -1);
	number(&r, 0);
	happen(map_enter, &r);
	returns(map_exit, 0x7000);
	r = (struct record){0};
	number(&r, 7);
	number(&r, SIGTERM);
	happen(kill_enter, &r);
	returns(kill_exit, 0);
	r = (struct record){0};
	number(&r, 7);
	number(&r, 99);
	happen(kill_enter, &r);
	returns(kill_exit, -EINVAL);
	r = (struct record){0};
	number(&r, 3);
	number(&r, 0x1000);
	number(&r, sizeof(address));
	captured(&r, 1);
	memory(&r, address, sizeof(address));
	happen(bind_enter, &r);
	returns(bind_exit, 0);
}

/* As strace 6.1 has them. */
TEST(constants)
{
	static const char *const wants[] = {
		[KTRACE_CONSTANTS_NAMES] =
			"openat(AT_FDCWD, \"a\", O_RDONLY|O_CLOEXEC) = -1 "
			"ENOENT (No such file or directory)\n"
			"socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 3\n"
			"socket(AF_UNIX, SOCK_STREAM, 0) = 3\n"
			"mmap(NULL, 4096, PROT_NONE, "
			"MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS|4<<MAP_HUGE_SHIFT, -1, "
			"0) = 0x7000\n"
			"kill(7, SIGTERM) = 0\n"
			"kill(7, 99) = -1 EINVAL (Invalid argument)\n"
			"bind(3, {sa_family=AF_INET, sin_port=htons(80), "
			"sin_addr=inet_addr(\"127.0.0.1\")}, 16) = 0\n",
		[KTRACE_CONSTANTS_NUMBERS] =
			"openat(-100, \"a\", 0x80000) = -1 ENOENT (No such "
			"file or directory)\n"
			"socket(0x1, 0x1|0x80000, 0) = 3\n"
			"socket(0x1, 0x1, 0) = 3\n"
			"mmap(NULL, 4096, 0, 0x10000032, -1, 0) = 0x7000\n"
			"kill(7, 15) = 0\n"
			"kill(7, 99) = -1 EINVAL (Invalid argument)\n"
			"bind(3, {sa_family=0x2, sin_port=\"\\x00\\x50\", "
			"sin_addr=\"\\x7f\\x00\\x00\\x01\"}, 16) = 0\n",
		[KTRACE_CONSTANTS_BOTH] =
			"openat(-100 /* AT_FDCWD */, \"a\", 0x80000 /* "
			"O_RDONLY|O_CLOEXEC */) = -1 ENOENT (No such file or "
			"directory)\n"
			"socket(0x1 /* AF_UNIX */, 0x1 /* SOCK_STREAM "
			"*/|0x80000 /* SOCK_CLOEXEC */, 0) = 3\n"
			"socket(0x1 /* AF_UNIX */, 0x1 /* SOCK_STREAM */, 0) = "
			"3\n"
			"mmap(NULL, 4096, 0 /* PROT_NONE */, 0x10000032 /* "
			"MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS|4<<MAP_HUGE_SHIFT */, "
			"-1, 0) = 0x7000\n"
			"kill(7, 15 /* SIGTERM */) = 0\n"
			"kill(7, 99) = -1 EINVAL (Invalid argument)\n"
			"bind(3, {sa_family=0x2 /* AF_INET */, "
			"sin_port=\"\\x00\\x50\" /* htons(80) */, "
			"sin_addr=\"\\x7f\\x00\\x00\\x01\" /* "
			"inet_addr(\"127.0.0.1\") */}, 16) = 0\n",
	};

	for (size_t i = 0; i < sizeof(wants) / sizeof(*wants); i++) {
		const struct ktrace_output_calls options = {
			.string_max = 32,
			.column = 1,
			.constants = i,
		};

		constants_happen();
		check_shown_with(&options, wants[i]);
	}
}

/* ---- threads apart -------------------------------------------------------- */

struct separated {
	char text[2][512]; /* of the threads 7 and 8 */
	char lost[512];
	int left; /* so many lines are taken */
};

static int separate(void *data, uint32_t tid, const char *text, size_t size)
{
	struct separated *to = data;

	if (!to->left--)
		return -ENOSPC;
	strncat(tid ? to->text[tid - 7] : to->lost, text, size);
	return 0;
}

/* Each call is in one line, also if others come between its begin and its end. */
TEST(separate_lines)
{
	struct separated to = {.left = INT32_MAX};
	const struct ktrace_output_calls options = {
		.string_max = 32,
		.column = 1,
		.pids = true,
		.separate = separate,
		.data = &to,
	};

	begin_calls();
	read_begins(3);
	run(8, 8);
	read_begins(4);
	run(7, 7);
	read_ends("a");
	read_begins(5);
	run(8, 8);
	read_ends("b");
	check_shown_with(&options, "");
	CHECK_STR(to.text[0], "read(3, \"a\", 100) = 1\n"
			      "read(5,  <detached ...>\n");
	CHECK_STR(to.text[1], "read(4, \"b\", 100) = 1\n");
	CHECK_STR(to.lost, "");
}

/* What is lost belongs to no thread, and the open calls may have returned meanwhile. */
TEST(separate_losses)
{
	struct separated to = {.left = INT32_MAX};
	const struct ktrace_output_calls options = {
		.string_max = 32,
		.column = 1,
		.separate = separate,
		.data = &to,
	};
	const struct maker_plain plain = {1, 0};
	uint64_t before;

	begin_calls();
	read_begins(3);
	run(8, 8);
	read_begins(4);
	before = maker_lost(maker, 0);
	maker_stall(maker, 0, true);
	while (maker_lost(maker, 0) == before)
		maker_event(maker, 0, MAKER_PLAIN, &plain, sizeof(plain));
	maker_stall(maker, 0, false);
	read_begins(5);
	check_shown_with(&options, "");
	CHECK(!strncmp(to.lost, "*** cpu 0: ", 11));
	CHECK_STR(to.text[0], "read(3,  <unfinished ...>\n");
	CHECK_STR(to.text[1], "read(4,  <unfinished ...>\n"
			      "read(5,  <detached ...>\n");
}

TEST(separate_refused)
{
	struct ktrace_output_calls calls = {.separate = separate, .json = true};
	struct ktrace_output_options options = {.size = sizeof(options),
						.calls = &calls};
	struct separated to = {.left = 1};
	struct ktrace_cursor *cursor;
	struct ktrace_output *output;
	struct ktrace *trace;

	begin_calls();
	for (int i = 0; i < 2; i++) {
		read_begins(3);
		read_ends("a");
	}
	free(shown(NULL));
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK_EQ(ktrace_output_create(trace, "strace", &options, &output),
		 -EINVAL);
	calls.json = false;
	calls.data = &to;
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(ktrace_output_create(trace, "strace", &options, &output), 0);
	CHECK_EQ(ktrace_output_run(output, cursor, NULL, NULL), -ENOSPC);
	CHECK(strstr(ktrace_last_error(), "thread 7"));
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
}

/* ---- calls that do not return -------------------------------------------- */

/* Each in another thread, and so many that a table has them in order only by chance. */
static void open_happen(void)
{
	for (int i = 0; i < 8; i++) {
		run(7 + i * 13 % 8, 7);
		read_begins(i);
	}
}

/* In the order in which they began. */
TEST(detached)
{
	const struct ktrace_output_calls options = {
		.string_max = 32,
		.column = 1,
		.pids = true,
		.statuses = KTRACE_STATUS_DETACHED,
	};

	begin_calls();
	open_happen();
	check_shown_with(&options, "[pid     7] read(0,  <detached ...>\n"
				   "[pid    12] read(1,  <detached ...>\n"
				   "[pid     9] read(2,  <detached ...>\n"
				   "[pid    14] read(3,  <detached ...>\n"
				   "[pid    11] read(4,  <detached ...>\n"
				   "[pid     8] read(5,  <detached ...>\n"
				   "[pid    13] read(6,  <detached ...>\n"
				   "[pid    10] read(7,  <detached ...>\n");
}

/* read() with a stack for which there was no room. */
static void stacked_begins(uint32_t id, int fd)
{
	struct record r = {0};

	number(&r, fd);
	number(&r, 0x1000);
	number(&r, 100);
	r.size += sizeof(uint32_t);
	happen(id, &r);
}

/* Of a signal only number and code are known. */
static uint32_t signal_type(void)
{
	return type_of("signal", "signal_deliver", "sig code sa_handler");
}

static void killed_by(uint32_t id, int signal)
{
	struct record r = {0};

	number(&r, signal);
	number(&r, 0);
	number(&r, 0);
	happen(id, &r);
}

/* Who made a call that is open at the end, or in which its thread is killed, is shown then. */
TEST(stacks)
{
#define NO_STACK "\t(no stack: there was no room for it)\n"
	static const struct {
		uint32_t statuses;
		const char *want;
	} cases[] = {
		{0,
		 "[pid     7] read(3,  <unfinished ...>\n"
		 "[pid     8] read(4, \"a\", 100) = 1\n" NO_STACK
		 "[pid     9] read(6,  <unfinished ...>\n"
		 "[pid     9] <... read resumed> <unfinished ...>) = ?\n" NO_STACK
		 "[pid     9] +++ killed by SIGKILL +++\n"
		 "[pid     7] <... read resumed> <detached ...>\n" NO_STACK
		 "[pid     8] read(5,  <detached ...>\n" NO_STACK},
		{KTRACE_STATUS_DETACHED,
		 "[pid     9] +++ killed by SIGKILL +++\n"
		 "[pid     7] read(3,  <detached ...>\n" NO_STACK
		 "[pid     8] read(5,  <detached ...>\n" NO_STACK},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct ktrace_output_calls calls = {
			.string_max = 32,
			.column = 1,
			.pids = true,
			.statuses = cases[i].statuses,
		};
		uint32_t id, signal;
		char *text;

		begin();
		signal = signal_type();
		id = next_id++;
		fprintf(lines,
			"{\"type\":\"event\",\"id\":%u,\"system\":\"syscalls\","
			"\"name\":\"sys_enter_read\",\"fields\":[",
			id);
		for (int field = 0; field < 3; field++)
			fprintf(lines,
				"{\"name\":\"%s\",\"ctype\":\"x\","
				"\"kind\":\"uint\",\"offset\":%d,\"size\":8},",
				(const char *[]){"fd", "buf", "count"}[field],
				field * 8);
		fprintf(lines, "{\"name\":\"__user_stack\",\"ctype\":\"u32\","
			       "\"kind\":\"uint\",\"offset\":24,\"size\":4}],"
			       "\"size\":28,\"dynamic\":false}\n");
		read_exit = type("sys_exit_read", "ret __buf_val");
		run(7, 7);
		stacked_begins(id, 3);
		run(8, 7);
		stacked_begins(id, 4);
		read_ends("a");
		run(9, 9);
		stacked_begins(id, 6);
		killed_by(signal, SIGKILL);
		run(8, 7);
		stacked_begins(id, 5);
		text = shown_where((struct ktrace_output_options){
			.calls = &calls, .stacks = true});
		CHECK_STR(text, cases[i].want);
		free(text);
	}
}

/* The call of a thread that was killed in it; pause() has no arguments that a return would add. */
static void killed_happen(void)
{
	uint32_t signal, pause_enter;
	struct record r = {0};

	begin_calls();
	signal = signal_type();
	pause_enter = type("sys_enter_pause", "");
	read_begins(3);
	run(8, 8);
	happen(pause_enter, &r);
	killed_by(signal, SIGKILL);
	run(7, 7);
	killed_by(signal, SIGKILL);
}

TEST(killed)
{
	const struct ktrace_output_calls options = {
		.string_max = 32,
		.column = 1,
		.pids = true,
		.statuses = KTRACE_STATUS_UNFINISHED,
	};

	killed_happen();
	check_shown_with(&options,
			 "[pid     8] pause() = ?\n"
			 "[pid     8] +++ killed by SIGKILL +++\n"
			 "[pid     7] read(3,  <unfinished ...>) = ?\n"
			 "[pid     7] +++ killed by SIGKILL +++\n");
}

TEST(killed_objects)
{
	static const char call[] = "\"call\":\"pause\",\"args\":[]}\n",
			  read[] = "\"call\":\"read\",\"args\":[\"3\"]}\n";

	for (uint32_t statuses = 0; statuses < KTRACE_STATUS_ALL; statuses++) {
		const struct ktrace_output_calls options = {
			.string_max = 32,
			.json = true,
			.statuses = statuses,
		};
		bool want = !statuses || statuses & KTRACE_STATUS_UNFINISHED;
		const char *at;
		char *text;

		killed_happen();
		text = shown(&options);
		CHECK_EQ(!!strstr(text, call), want);
		CHECK_EQ(!!strstr(text, read), want);
		/* Once, and before the signal. */
		at = strstr(text, "\"tid\":8");
		CHECK(at && !strncmp(at,
				     want ? "\"tid\":8,\"call\""
					  : "\"tid\":8,\"signal\"",
				     strlen("\"tid\":8,\"call\"")));
		at = strstr(text, call);
		CHECK(!at || !strstr(at + 1, call));
		free(text);
	}
}

/* ---- names of threads ----------------------------------------------------- */

TEST(names)
{
	const struct ktrace_output_calls options = {
		.string_max = 32,
		.column = 1,
		.pids = true,
		.comms = true,
	};
	uint32_t kill_enter, kill_exit, fork_enter, fork_exit, exec_enter,
		exec_exit;
	struct record r = {0};

	begin_calls();
	kill_enter = type("sys_enter_kill", "pid sig");
	kill_exit = type("sys_exit_kill", "ret");
	fork_enter = type("sys_enter_fork", "");
	fork_exit = type("sys_exit_fork", "ret");
	exec_enter = type("sys_enter_execve", "filename argv envp");
	exec_exit = type("sys_exit_execve", "ret");
	maker_task(maker, 0, 7, 7, 1, "program");
	happen(fork_enter, &r);
	returns(fork_exit, 9);
	maker_task(maker, 0, 9, 9, 7, "program");
	number(&r, 9);
	number(&r, 0);
	happen(kill_enter, &r);
	returns(kill_exit, 0);
	maker_run(maker, 0, 9, 9, "program");
	r = (struct record){0};
	for (int i = 0; i < 3; i++)
		number(&r, 0);
	happen(exec_enter, &r);
	maker_task(maker, 0, 9, 9, 7, "a<b>");
	returns(exec_exit, 0);
	r = (struct record){0};
	happen(fork_enter, &r);
	returns(fork_exit, -EAGAIN);
	maker_run(maker, 0, 7, 7, "program");
	for (int i = 0; i < 3; i++) {
		static const uint64_t pids[] = {9, 10, -9};

		r = (struct record){0};
		number(&r, pids[i]);
		number(&r, 0);
		happen(kill_enter, &r);
		returns(kill_exit, 0);
	}
	check_shown_with(&options,
			 "[pid     7<program>] fork() = 9<program>\n"
			 "[pid     7<program>] kill(9<program>, 0) = 0\n"
			 "[pid     9<program>] execve(NULL, NULL, NULL) = 0\n"
			 "[pid     9<a\\74b\\76>] fork() = -1 EAGAIN "
			 "(Resource temporarily unavailable)\n"
			 "[pid     7<program>] kill(9<a\\74b\\76>, 0) = 0\n"
			 "[pid     7<program>] kill(10, 0) = 0\n"
			 "[pid     7<program>] kill(-9, 0) = 0\n");
}

/* Also where a clone stores the number, and of who is traced. */
TEST(names_in_arguments)
{
	const struct ktrace_output_calls options = {
		.string_max = 32,
		.column = 1,
		.comms = true,
	};
	uint32_t clone_enter, clone_exit, trace_enter, trace_exit;
	struct record r = {0};

	begin_calls();
	clone_enter = type("sys_enter_clone", "clone_flags newsp parent_tidptr "
					      "child_tidptr tls");
	clone_exit = type("sys_exit_clone", "ret");
	trace_enter = type("sys_enter_ptrace", "request pid addr data");
	trace_exit = type("sys_exit_ptrace", "ret");
	maker_task(maker, 0, 7, 7, 1, "program");
	number(&r, 0x100000 | SIGCHLD);
	for (int i = 0; i < 4; i++)
		number(&r, 0);
	happen(clone_enter, &r);
	returns(clone_exit, 9);
	r = (struct record){0};
	number(&r, PTRACE_ATTACH);
	number(&r, 9);
	number(&r, 0);
	number(&r, 0);
	happen(trace_enter, &r);
	returns(trace_exit, 0);
	check_shown_with(
		&options,
		"clone(child_stack=NULL, flags=CLONE_PARENT_SETTID|SIGCHLD, "
		"parent_tid=[9<program>]) = 9<program>\n"
		"ptrace(PTRACE_ATTACH, 9<program>) = 0\n");
}

/*
 * A child of vfork() may end before its parent's call returns: its name is that of its program, not
 * that of an earlier owner of the number.
 */
TEST(names_of_ended)
{
	const struct ktrace_output_calls options = {
		.string_max = 32,
		.column = 1,
		.pids = true,
		.comms = true,
	};
	uint32_t fork_enter, fork_exit, exec_enter, exec_exit, exit_enter,
		kill_enter, kill_exit;
	struct record none = {0}, three = {0}, one = {0}, kill = {0};

	begin_calls();
	fork_enter = type("sys_enter_vfork", "");
	fork_exit = type("sys_exit_vfork", "ret");
	exec_enter = type("sys_enter_execve", "filename argv envp");
	exec_exit = type("sys_exit_execve", "ret");
	exit_enter = type("sys_enter_exit_group", "error_code");
	kill_enter = type("sys_enter_kill", "pid sig");
	kill_exit = type("sys_exit_kill", "ret");
	for (int i = 0; i < 3; i++)
		number(&three, 0);
	number(&one, 0);
	number(&kill, 9);
	number(&kill, 0);
	maker_task(maker, 0, 7, 7, 1, "program");
	happen(fork_enter, &none);
	maker_task(maker, 0, 9, 9, 7, "program");
	maker_run(maker, 0, 9, 9, "program");
	happen(exec_enter, &three);
	maker_task(maker, 0, 9, 9, 7, "child");
	returns(exec_exit, 0);
	happen(exit_enter, &one);
	maker_run(maker, 0, 7, 7, "program");
	returns(fork_exit, 9);
	happen(kill_enter, &kill);
	returns(kill_exit, -ESRCH);
	/* The number is in use again. */
	happen(fork_enter, &none);
	returns(fork_exit, 9);
	check_shown_with(
		&options,
		"[pid     7<program>] vfork( <unfinished ...>\n"
		"[pid     9<program>] execve(NULL, NULL, NULL) = 0\n"
		"[pid     9<child>] exit_group(0) = ?\n"
		"[pid     9<child>] +++ exited with 0 +++\n"
		"[pid     7<program>] <... vfork resumed>) = 9<child>\n"
		"[pid     7<program>] kill(9<child>, 0) = -1 ESRCH (No such process)\n"
		"[pid     7<program>] vfork() = 9<program>\n");
}

/* ---- which calls ---------------------------------------------------------- */

/* Calls of each end: 3 returns in two lines or one, 4 fails, 5 is open, exit_group() does not return. */
static void ends_happen(void)
{
	uint32_t exit_enter, close_enter, close_exit;
	struct record r = {0};

	begin_calls();
	exit_enter = type("sys_enter_exit_group", "error_code");
	close_enter = type("sys_enter_close", "fd");
	close_exit = type("sys_exit_close", "ret");
	read_begins(3);
	run(8, 8);
	number(&r, 4);
	happen(close_enter, &r);
	returns(close_exit, -EBADF);
	read_begins(5);
	run(7, 7);
	read_ends("a");
	r = (struct record){0};
	number(&r, 0);
	happen(exit_enter, &r);
}

TEST(statuses)
{
	static const char ok[] = "[pid     7] read(3, \"a\", 100) = 1\n",
			  failed[] = "[pid     8] close(4) = -1 EBADF (Bad "
				     "file descriptor)\n",
			  unfinished[] = "[pid     7] exit_group(0) = ?\n",
			  end[] = "[pid     7] +++ exited with 0 +++\n",
			  detached[] = "[pid     8] read(5,  <detached ...>\n";

	for (uint32_t statuses = 1; statuses < KTRACE_STATUS_ALL; statuses++) {
		const struct ktrace_output_calls options = {
			.string_max = 32,
			.column = 1,
			.pids = true,
			.statuses = statuses,
		};
		char want[512];

		snprintf(want, sizeof(want), "%s%s%s%s%s",
			 statuses & KTRACE_STATUS_FAILED ? failed : "",
			 statuses & KTRACE_STATUS_OK ? ok : "",
			 statuses & KTRACE_STATUS_UNFINISHED ? unfinished : "",
			 end,
			 statuses & KTRACE_STATUS_DETACHED ? detached : "");
		ends_happen();
		check_shown_with(&options, want);
	}
}

static void open_call(uint32_t enter, uint32_t exit, const char *path,
		      const char *opened)
{
	struct record r = {0};

	number(&r, AT_FDCWD);
	number(&r, 0x1000);
	number(&r, 0);
	number(&r, 0);
	captured(&r, 2);
	memory(&r, path, strlen(path) + 1);
	memory(&r, "/etc", 5);
	happen(enter, &r);
	r = (struct record){0};
	number(&r, *opened ? 3 : -ENOENT);
	captured(&r, 1);
	memory(&r, opened, strlen(opened) + 1);
	happen(exit, &r);
}

/* By the path that the program has given, and by that of a descriptor. */
TEST(touching)
{
	static const char *const paths[] = {"/etc", "/etc/passwd", NULL};
	uint32_t open_enter, open_exit, close_enter, close_exit;

	for (int hidden = 0; hidden < 2; hidden++) {
		const struct ktrace_output_calls options = {
			.string_max = 32,
			.column = 1,
			.touching = paths,
			.paths_hidden = hidden,
		};

		begin_calls();
		open_enter = type("sys_enter_openat",
				  "dfd filename flags mode __filename_val "
				  "__dfd_path");
		open_exit = type("sys_exit_openat", "ret __ret_path");
		close_enter = type("sys_enter_close", "fd __fd_path");
		close_exit = type("sys_exit_close", "ret");
		open_call(open_enter, open_exit, "/etc/passwd", "");
		open_call(open_enter, open_exit, "passwd", "/etc/passwd");
		open_call(open_enter, open_exit, "passwd-", "/etc/passwd-");
		for (int i = 0; i < 3; i++) {
			static const char *const files[] = {
				"/etc/passwd (deleted)", "/etc/passwd/x", ""};
			struct record r = {0};

			number(&r, 3);
			captured(&r, 1);
			memory(&r, files[i], strlen(files[i]) + 1);
			happen(close_enter, &r);
			returns(close_exit, 0);
		}
		read_begins(3);
		read_ends("/etc/passwd");
		check_shown_with(&options,
				 hidden ? "openat(AT_FDCWD, \"/etc/passwd\", "
					  "O_RDONLY) = -1 ENOENT (No such file "
					  "or directory)\n"
					  "openat(AT_FDCWD, \"passwd\", "
					  "O_RDONLY) = 3\n"
					  "close(3) = 0\n"
					: "openat(AT_FDCWD</etc>, "
					  "\"/etc/passwd\", O_RDONLY) = -1 "
					  "ENOENT (No such file or "
					  "directory)\n"
					  "openat(AT_FDCWD</etc>, \"passwd\", "
					  "O_RDONLY) = 3</etc/passwd>\n"
					  "close(3</etc/passwd>(deleted)) = "
					  "0\n");
	}
}

CHECK_MAIN
