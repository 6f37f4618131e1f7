// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The strace view of traces that no kernel made: calls as they would be recorded, and
 * descriptions that are wrong on purpose.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/socket.h>

#include "called.h"
#include "strace/thread.h"

/* ---- descriptions that are wrong ------------------------------------------ */

static void poll_once(void)
{
	const struct pollfd fds[2] = {{3, POLLIN, 0}, {4, POLLOUT, 0}};
	const struct pollfd after[2] = {{3, POLLIN, POLLIN}, {4, POLLOUT, 0}};
	uint32_t enter =
		type("sys_enter_poll", "ufds nfds timeout_msecs __ufds_val");
	uint32_t exit = type("sys_exit_poll", "ret __ufds_val");
	struct record r = {0};

	number(&r, 0x1000);
	number(&r, 2);
	number(&r, 1000);
	captured(&r, 1);
	memory(&r, fds, sizeof(fds));
	happen(enter, &r);
	r = (struct record){0};
	number(&r, 1);
	captured(&r, 1);
	memory(&r, after, sizeof(after));
	happen(exit, &r);
}

static const char poll_members[] =
	"{\"name\":\"fd\",\"offset\":0,\"size\":4,\"signed\":true},"
	"{\"name\":\"events\",\"offset\":4,\"size\":2},"
	"{\"name\":\"revents\",\"offset\":6,\"size\":2}";

TEST(poll)
{
	begin();
	layout("pollfd", 8, poll_members);
	run(7, 7);
	poll_once();
	check_shown("poll([{fd=3, events=POLLIN}, {fd=4, events=POLLOUT}], 2, "
		    "1000) = 1 ([{fd=3, revents=POLLIN}])\n");
}

TEST(struct_smaller_than_its_members)
{
	begin();
	layout("pollfd", 1, "{\"name\":\"fd\",\"offset\":0,\"size\":1}");
	run(7, 7);
	poll_once();
	free(shown(NULL));
}

TEST(struct_larger_than_its_members)
{
	begin();
	layout("pollfd", 65536, poll_members);
	run(7, 7);
	poll_once();
	free(shown(NULL));
}

TEST(member_without_room)
{
	uint8_t stat[144] = {0};
	uint32_t enter, exit;
	struct record r = {0};

	begin();
	layout("stat", sizeof(stat),
	       "{\"name\":\"st_mode\",\"offset\":144,\"size\":0}");
	run(7, 7);
	enter = type("sys_enter_newfstat", "fd statbuf");
	exit = type("sys_exit_newfstat", "ret __statbuf_val");
	number(&r, 3);
	number(&r, 0x1000);
	happen(enter, &r);
	r = (struct record){0};
	number(&r, 0);
	captured(&r, 1);
	memory(&r, stat, sizeof(stat));
	happen(exit, &r);
	free(shown(NULL));
}

/* Has the mode a meaning?  The flags say so, of which there are only some bytes. */
TEST(flags_without_room)
{
	uint32_t enter, exit;
	struct record r = {0};

	begin();
	layout("open_how", 1, "{\"name\":\"mode\",\"offset\":0,\"size\":1}");
	run(7, 7);
	enter = type("sys_enter_openat2",
		     "dfd filename how usize __how_val __filename_val");
	exit = type("sys_exit_openat2", "ret");
	number(&r, 3);
	number(&r, 0x1000);
	number(&r, 0x2000);
	number(&r, 1);
	captured(&r, 2);
	memory(&r, "", 1);
	/* With the byte before, they would be O_TMPFILE. */
	memory(&r, "\0A", 2);
	happen(enter, &r);
	returns(exit, -EINVAL);
	check_shown("openat2(3, \"\", {}, 1)                   = -1 EINVAL "
		    "(Invalid argument)\n");
}

TEST(option_of_no_bytes)
{
	uint32_t enter, exit;
	struct record r = {0};
	uint32_t length = 8;

	begin();
	run(7, 7);
	enter = type("sys_enter_getsockopt",
		     "fd level optname optval optlen __optlen_val");
	exit = type("sys_exit_getsockopt", "ret __optval_val __optlen_val");
	number(&r, 3);
	number(&r, SOL_SOCKET);
	number(&r, SO_LINGER);
	number(&r, 0x1000);
	number(&r, 0x2000);
	captured(&r, 1);
	memory(&r, &length, sizeof(length));
	happen(enter, &r);
	r = (struct record){0};
	number(&r, 0);
	captured(&r, 2);
	memory(&r, "", 0);
	memory(&r, &length, sizeof(length));
	happen(exit, &r);
	check_shown("getsockopt(3, SOL_SOCKET, SO_LINGER, {}, [8]) = 0\n");
}

/* The kernel returns an error as a number of 32 bits without a sign. */
TEST(results_that_are_no_errors)
{
	uint32_t enter, exit;
	struct record r = {0};

	begin();
	run(7, 7);
	enter = type("sys_enter_modify_ldt", "func ptr bytecount");
	exit = type("sys_exit_modify_ldt", "ret");
	number(&r, 17);
	number(&r, 0);
	number(&r, 0);
	happen(enter, &r);
	returns(exit, (uint32_t)-ENOSYS);
	happen(enter, &r);
	returns(exit, INT32_MIN);
	check_shown("modify_ldt(17, NULL, 0)                 = 4294967258 "
		    "ENOSYS (Function not implemented)\n"
		    "modify_ldt(17, NULL, 0)                 = -2147483648\n");
}

/* More fields than __cut has bits. */
TEST(many_captured_fields)
{
	char fields[BUFFER] = "fd buf count __cut";
	uint32_t enter, exit;
	struct record r = {0};

	begin();
	for (int i = 0; i < 80; i++)
		strcat(fields, " __none_val");
	strcat(fields, " __buf_val");
	enter = type("sys_enter_write", fields);
	exit = type("sys_exit_write", "ret");
	run(7, 7);
	number(&r, 1);
	number(&r, 0x1000);
	number(&r, 5);
	number(&r, UINT64_MAX);
	captured(&r, 81);
	for (int i = 0; i < 80; i++)
		memory(&r, "", 0);
	memory(&r, "hello", 5);
	happen(enter, &r);
	returns(exit, 5);
	check_shown("write(1, \"hello\", 5)                    = 5\n");
}

TEST(name_of_a_call)
{
	uint32_t enter, exit;
	struct record r = {0};

	begin();
	enter = type("sys_enter_a\\u001b]0;b\\u0007\\\"c", "fd");
	exit = type("sys_exit_a\\u001b]0;b\\u0007\\\"c", "ret");
	run(7, 7);
	number(&r, 1);
	happen(enter, &r);
	returns(exit, 0);
	check_shown("a\\x1b]0;b\\x07\"c(1)                      = 0\n");
}

/* ---- threads -------------------------------------------------------------- */

static uint32_t exit_enter;

static void call_types(void)
{
	read_types();
	exit_enter = type("sys_enter_exit_group", "error_code");
}

static void process_ends(int status)
{
	struct record r = {0};

	number(&r, status);
	happen(exit_enter, &r);
}

TEST(open_at_the_end)
{
	begin();
	call_types();
	run(7, 7);
	read_begins(3);
	read_ends("abc");
	read_begins(4);
	check_shown("read(3, \"abc\", 100)                     = 3\n"
		    "read(4,  <detached ...>\n");
}

TEST(open_at_the_end_of_several)
{
	begin();
	call_types();
	run(7, 7);
	read_begins(3);
	run(8, 8);
	read_begins(4);
	check_shown("[pid     7] read(3,  <unfinished ...>\n"
		    "[pid     8] read(4,  <detached ...>\n");
}

TEST(open_at_the_end_in_json)
{
	const struct ktrace_output_calls options = {.string_max = 32,
						    .json = true};
	char *text;

	begin();
	call_types();
	run(8, 8);
	read_begins(3);
	run(7, 7);
	read_begins(4);
	read_ends("abc");
	read_begins(5);
	text = shown(&options);
	CHECK(strstr(text, "\"call\":\"read\",\"args\":[\"4\","
			   "\"\\\"abc\\\"\",\"100\"],\"result\":3,"));
	CHECK(strstr(text, "\"tid\":8,\"call\":\"read\",\"args\":[\"3\"]}\n"));
	CHECK(strstr(text, "\"tid\":7,\"call\":\"read\",\"args\":[\"5\"]}\n"));
	CHECK(strstr(text, "\"tid\":8") < strstr(text, "[\"5\"]"));
	free(text);
}

/* The exit of a call and the entry of the next are lost: what is left is no pair. */
TEST(loss)
{
	const struct ktrace_output_calls json = {.string_max = 32,
						 .json = true};
	const struct maker_plain plain = {1, 0};
	uint64_t before;
	char *text;

	for (int i = 0; i < 2; i++) {
		begin();
		call_types();
		run(7, 7);
		read_begins(3);
		before = maker_lost(maker, 0);
		maker_stall(maker, 0, true);
		while (maker_lost(maker, 0) == before)
			maker_event(maker, 0, MAKER_PLAIN, &plain,
				    sizeof(plain));
		maker_stall(maker, 0, false);
		read_ends("of another");
		read_begins(5);
		read_ends("its own");
		text = shown(i ? &json : NULL);
		CHECK(!strstr(text, "of another"));
		CHECK(strstr(text, "its own"));
		/* The call whose result is lost is there, without one. */
		if (i)
			CHECK(strstr(strstr(text, "\"call\":\"read\"") + 1,
				     "\"call\":\"read\""));
		if (!i)
			CHECK(strstr(text, "read(3,  <unfinished ...>\n*** cpu "
					   "0: "));
		free(text);
	}
}

/* The wall clock, as in strace. */
TEST(times)
{
	static const struct {
		enum ktrace_output_times times;
		const char *text;
	} wants[] = {
		{KTRACE_TIMES_NONE, "read(4,  <detached ...>\n"},
		{KTRACE_TIMES_SECONDS, "22:13:32 read(4,  <detached ...>\n"},
		{KTRACE_TIMES_MICROSECONDS,
		 "22:13:32.000001 read(4,  <detached ...>\n"},
		{KTRACE_TIMES_EPOCH,
		 "1700000012.000001 read(4,  <detached ...>\n"},
	};

	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		const struct ktrace_output_calls options = {
			.string_max = 32,
			.times = wants[i].times,
		};
		char *text;

		begin();
		call_types();
		run(7, 7);
		read_begins(4);
		text = shown(&options);
		CHECK_STR(text, wants[i].text);
		free(text);
	}
}

/* A line's time is after that of the line before, also if that one was half a call. */
TEST(times_after_each_other)
{
	struct ktrace_output_calls options = {
		.string_max = 32,
		.column = 1,
		.relative = true,
	};

	setenv("TZ", "UTC", 1);
	for (int i = 0; i < 2; i++) {
		begin();
		call_types();
		run(7, 7);
		read_begins(3);
		read_ends("a");
		clock_now += 30000000000; /* 12 s */
		read_begins(4);
		run(8, 8);
		read_begins(5);
		read_ends("b");
		options.times = i ? KTRACE_TIMES_SECONDS : KTRACE_TIMES_NONE;
		check_shown_with(&options,
				 i ? "22:13:32 (+     0.000000) read(3, \"a\", "
				     "100) = 1\n"
				     "[pid     7] 22:13:44 (+    12.000002) "
				     "read(4,  <unfinished ...>\n"
				     "[pid     8] 22:13:44 (+     0.000001) "
				     "read(5, \"b\", 100) = 1\n"
				   : "     0.000000 read(3, \"a\", 100) = 1\n"
				     "[pid     7]     12.000002 read(4,  "
				     "<unfinished ...>\n"
				     "[pid     8]      0.000001 read(5, "
				     "\"b\", 100) = 1\n");
	}
}

/* A call that is shown at its return has the time of its begin, and the next line is not after that. */
TEST(times_do_not_go_back)
{
	const struct ktrace_output_calls options = {
		.string_max = 32,
		.column = 1,
		.relative = true,
		.returns = KTRACE_RETURNS_OK,
	};

	begin();
	call_types();
	run(7, 7);
	read_begins(3);
	for (int i = 0; i < 2; i++) {
		run(8, 8);
		clock_now += 5000000000; /* 2 s */
		read_begins(4);
		read_ends("b");
		if (i)
			continue;
		run(7, 7);
		read_ends("a");
	}
	check_shown_with(&options,
			 "[pid     8]      0.000000 read(4, \"b\", 100) = 1\n"
			 "[pid     7]      0.000000 read(3, \"a\", 100) = 1\n"
			 "[pid     8]      2.000003 read(4, \"b\", 100) = 1\n");
}

TEST(hexadecimal)
{
	static const char *const wants[] = {
		"read(3, \"a\\t\\n\", 100) = 3\n"
		"read(3, \"a\\1\\n\", 100) = 3\n"
		"read(3, \"a\\177\", 100) = 2\n",
		"read(3, \"a\\t\\n\", 100) = 3\n"
		"read(3, \"\\x61\\x01\\x0a\", 100) = 3\n"
		"read(3, \"\\x61\\x7f\", 100) = 2\n",
		"read(3, \"\\x61\\x09\\x0a\", 100) = 3\n"
		"read(3, \"\\x61\\x01\\x0a\", 100) = 3\n"
		"read(3, \"\\x61\\x7f\", 100) = 2\n",
	};
	static const char *const texts[] = {"a\t\n", "a\1\n", "a\177"};

	for (size_t i = 0; i < 3; i++) {
		const struct ktrace_output_calls options = {
			.string_max = 32,
			.column = 1,
			.strings = i,
		};

		begin();
		call_types();
		run(7, 7);
		for (size_t j = 0; j < 3; j++) {
			read_begins(3);
			read_ends(texts[j]);
		}
		check_shown_with(&options, wants[i]);
	}
}

/* The names of calls in a table of counts, in its order. */
static void check_order(enum ktrace_output_sort sort, bool calls_too,
			const char *expected)
{
	const struct ktrace_output_calls options = {
		.string_max = 32,
		.summary = !calls_too,
		.counts = calls_too,
		.sort = sort,
	};
	char names[256] = "", *all = shown(&options), *next = all, *line;
	int calls = 0;

	while ((line = strsep(&next, "\n"))) {
		const char *name = strrchr(line, ' ');

		calls += strstr(line, ") ") != NULL;
		if (name && strlen(line) > 50 && line[3] != 'i' &&
		    line[0] != '-' && !strchr(line, '('))
			strcat(names, name);
	}
	CHECK_STR(names, expected);
	CHECK_EQ(calls, calls_too ? 7 : 0);
	free(all);
}

TEST(counts)
{
	static const struct {
		enum ktrace_output_sort sort;
		const char *names;
	} wants[] = {
		{KTRACE_SORT_TIME, " dup read close total"},
		{KTRACE_SORT_CALLS, " read close dup total"},
		{KTRACE_SORT_ERRORS, " close dup read total"},
		{KTRACE_SORT_NAME, " close dup read total"},
		{KTRACE_SORT_NONE, " read close dup total"},
	};

	for (size_t i = 0; i < 2 * sizeof(wants) / sizeof(*wants); i++) {
		uint32_t close_enter, close_exit, dup_enter, dup_exit;
		struct record r = {0};

		begin();
		call_types();
		close_enter = type("sys_enter_close", "fd");
		close_exit = type("sys_exit_close", "ret");
		dup_enter = type("sys_enter_dup", "fildes");
		dup_exit = type("sys_exit_dup", "ret");
		run(7, 7);
		number(&r, 9);
		for (int j = 0; j < 4; j++) {
			read_begins(3);
			clock_now += j ? 0 : 100000;
			read_ends("a");
		}
		for (int j = 0; j < 2; j++) {
			happen(close_enter, &r);
			returns(close_exit, j ? -EBADF : 0);
		}
		happen(dup_enter, &r);
		clock_now += 1000000;
		returns(dup_exit, 10);
		check_order(wants[i / 2].sort, i % 2, wants[i / 2].names);
	}
}

/* Thread numbers are reused, and many threads have ended. */
TEST(many_threads)
{
	char *text, *line, *next;
	int calls = 0, exits = 0;

	begin();
	call_types();
	for (int round = 0; round < 2; round++) {
		for (int tid = 100; tid < 5100; tid++) {
			run(tid, tid);
			read_begins(tid);
			read_ends("x");
			if (tid % 3)
				process_ends(tid % 256);
		}
	}
	text = shown(NULL);
	for (next = text; (line = strsep(&next, "\n"));) {
		calls += strstr(line, "read(") && strstr(line, "\"x\", 100)");
		exits += strstr(line, "+++ exited with") != NULL;
	}
	CHECK_EQ(calls, 10000);
	CHECK_EQ(exits, 2 * 3334);
	free(text);
}

/*
 * The first thread of a process ends, and as many others as are remembered.  Then another
 * thread of the process calls exec, and continues under the number of the first.
 */
TEST(first_thread_comes_back)
{
	uint32_t enter, exit, ends;
	struct record r = {0};
	char *text;

	begin();
	enter = type("sys_enter_execve", "filename argv envp");
	exit = type("sys_exit_execve", "ret");
	ends = type("sys_enter_exit", "error_code");
	/* A switch record has the thread; its task record has the process. */
	CHECK(maker_task(maker, 0, 100, 100, 1, "program"));
	CHECK(maker_task(maker, 0, 101, 100, 1, "program"));
	run(100, 100);
	returns(ends, 0);
	for (int tid = 1000; tid < 1000 + THREADS_ENDED - 1; tid++) {
		run(tid, tid);
		returns(ends, 0);
	}
	run(101, 100);
	number(&r, 0);
	number(&r, 0);
	number(&r, 0);
	happen(enter, &r);
	run(100, 100);
	returns(exit, 0);
	text = shown(NULL);
	CHECK(strstr(
		text,
		"[pid   100] +++ superseded by execve in pid 101 +++\n"
		"[pid   100] <... execve resumed>)                   = 0\n"));
	free(text);
}

CHECK_MAIN
