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

#include "maker.h"
#include "scratch.h"
#include "shown.h"
#include "strace/thread.h"

#define BUFFER 4096

static struct maker *maker;
static FILE *lines; /* of the metadata, in addition to the maker's */
static char *lines_text;
static size_t lines_size;
static uint32_t next_id;
static uint64_t clock_now;

static void begin(void)
{
	scratch_make();
	maker = maker_create(directory, 1, 64, false, 9);
	CHECK(maker);
	lines = open_memstream(&lines_text, &lines_size);
	next_id = 100;
	clock_now = 5000000000000ull;
}

/* The arguments of a call, and the memory that was captured. */
struct record {
	uint8_t bytes[BUFFER];
	uint32_t size;
	uint32_t loc; /* of the next captured field */
};

/*
 * Defines an event of the system syscalls.  @fields are separated by spaces: numbers, and
 * captured fields, which begin with two underscores.  Returns its id.
 */
static uint32_t type(const char *name, const char *fields)
{
	uint32_t offset = 0;
	bool dynamic = false;

	fprintf(lines,
		"{\"type\":\"event\",\"id\":%u,\"system\":\"syscalls\","
		"\"name\":\"%s\",\"fields\":[",
		next_id, name);
	while (*fields) {
		int n = strcspn(fields, " ");
		bool captured = !strncmp(fields, "__", 2) &&
				strncmp(fields, "__cut", 5);

		fprintf(lines,
			"%s{\"name\":\"%.*s\",\"ctype\":\"x\",\"kind\":\"%s\","
			"\"offset\":%u,\"size\":%u}",
			offset ? "," : "", n, fields,
			captured		     ? "dynbytes"
			: !strncmp(fields, "ret", 3) ? "int"
						     : "uint",
			offset, captured ? 4 : 8);
		dynamic |= captured;
		offset += captured ? 4 : 8;
		fields += n;
		fields += strspn(fields, " ");
	}
	fprintf(lines, "],\"size\":%u,\"dynamic\":%s}\n", offset,
		dynamic ? "true" : "false");
	return next_id++;
}

static void layout(const char *name, uint32_t size, const char *members)
{
	fprintf(lines,
		"{\"type\":\"struct\",\"name\":\"%s\",\"size\":%u,"
		"\"members\":[%s]}\n",
		name, size, members);
}

static void number(struct record *r, uint64_t value)
{
	memcpy(r->bytes + r->size, &value, sizeof(value));
	r->size += sizeof(value);
}

/* To be called after all numbers: @captured fields follow. */
static void captured(struct record *r, unsigned int fields)
{
	r->loc = r->size;
	r->size += 4 * fields;
}

static void memory(struct record *r, const void *bytes, uint32_t size)
{
	uint32_t loc = size << 16 | r->size;

	memcpy(r->bytes + r->loc, &loc, sizeof(loc));
	memcpy(r->bytes + r->size, bytes, size);
	r->loc += sizeof(loc);
	r->size += size;
}

static void happen(uint32_t id, const struct record *r)
{
	maker_time(maker, clock_now += 2500);
	CHECK(maker_raw(maker, 0, id, r->bytes, r->size, r->loc));
}

static void returns(uint32_t id, int64_t result)
{
	struct record r = {0};

	number(&r, result);
	happen(id, &r);
}

static void run(uint32_t tid, uint32_t tgid)
{
	maker_run(maker, 0, tid, tgid, "program");
}

/* The output; the caller frees it. */
static char *shown(const struct ktrace_output_calls *options)
{
	struct ktrace *trace;
	char path[512], *text;
	FILE *f;

	CHECK_EQ(maker_finish(maker, false), 0);
	fclose(lines);
	path_of(path, "metadata");
	f = fopen(path, "a");
	CHECK(f);
	fwrite(lines_text, 1, lines_size, f);
	fclose(f);
	free(lines_text);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	text = shown_of(trace, "strace", options, NULL);
	CHECK(!ktrace_warning(trace, 0));
	ktrace_close(trace);
	return text;
}

static void check_shown(const char *want)
{
	char *text = shown(NULL);

	CHECK_STR(text, want);
	free(text);
}

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

static uint32_t read_enter, read_exit, exit_enter;

static void call_types(void)
{
	read_enter = type("sys_enter_read", "fd buf count");
	read_exit = type("sys_exit_read", "ret __buf_val");
	exit_enter = type("sys_enter_exit_group", "error_code");
}

static void read_begins(int fd)
{
	struct record r = {0};

	number(&r, fd);
	number(&r, 0x1000);
	number(&r, 100);
	happen(read_enter, &r);
}

static void read_ends(const char *text)
{
	struct record r = {0};

	number(&r, strlen(text));
	captured(&r, 1);
	memory(&r, text, strlen(text));
	happen(read_exit, &r);
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
