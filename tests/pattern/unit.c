// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Patterns: what they match and what not, and that fnmatch() agrees. */
#include <fnmatch.h>

#include "check.h"
#include "rnd.h"
#include "pattern.h"

void env_wake(struct kt_ring *ring)
{
}

void env_current_task(u32 *tid, u32 *tgid, char *comm)
{
}

static void check_glob(const char *pattern, const char *text, bool expected)
{
	if (kt_glob_match(pattern, text) != expected)
		check_fail("\"%s\" %s \"%s\"", pattern,
			   expected ? "should match" : "should not match",
			   text);
}

static void check_all(const char *pattern, const char *const *texts,
		      bool expected)
{
	for (; *texts; texts++)
		check_glob(pattern, *texts, expected);
}

#define MATCHES(pattern, ...) \
	check_all(pattern, (const char *const[]){__VA_ARGS__, NULL}, true)
#define REFUSES(pattern, ...) \
	check_all(pattern, (const char *const[]){__VA_ARGS__, NULL}, false)

TEST(plain_text_is_matched_whole)
{
	MATCHES("sched", "sched");
	REFUSES("sched", "", "sche", "sched_", "xsched", "Sched");
	MATCHES("", "");
	REFUSES("", "a");
}

TEST(a_star_takes_anything)
{
	MATCHES("*", "", "a", "a/b:c", "\xff\n");
	MATCHES("sched*", "sched", "sched_switch");
	REFUSES("sched*", "sche", "xsched");
	MATCHES("*_enter_*", "sys_enter_", "sys_enter_read", "_enter__enter_x");
	REFUSES("*_enter_*", "sys_exit_read", "_enter");
	MATCHES("a*b*c", "abc", "aXbYc", "abbbcc", "abcbc");
	REFUSES("a*b*c", "acb", "abcd", "ab");
	MATCHES("**a**", "a", "ba", "ab");
}

TEST(a_question_mark_takes_one)
{
	MATCHES("cpu?", "cpu0", "cpu?", "cpu/");
	REFUSES("cpu?", "cpu", "cpu10");
	MATCHES("??*", "ab", "abc");
	REFUSES("??*", "", "a");
}

TEST(sets)
{
	MATCHES("[abc]", "a", "b", "c");
	REFUSES("[abc]", "", "d", "ab", "[abc]");
	MATCHES("x[0-9a-f]", "x0", "x9", "xa", "xf");
	REFUSES("x[0-9a-f]", "x", "xg", "x/", "x:", "x-");
	MATCHES("[!0-9]", "a", "!");
	REFUSES("[!0-9]", "", "0", "9");
	MATCHES("[^0-9]", "a", "^");
	REFUSES("[^0-9]", "5");
	/* Characters that are special in other places. */
	MATCHES("[]a]", "]", "a");
	MATCHES("[!]a]", "b", "[");
	REFUSES("[!]a]", "]", "a");
	MATCHES("[a-]", "a", "-");
	REFUSES("[a-]", "b");
	MATCHES("[*?]", "*", "?");
	REFUSES("[*?]", "a", "");
	REFUSES("[z-a]", "z", "a", "m");
	MATCHES("[\\]]", "]");
	REFUSES("[\\]]", "\\");
	/* Bytes beyond ASCII are not negative. */
	MATCHES("[a-\xff]", "\x80", "\xff", "z");
	REFUSES("[a-\xff]", "A");
}

TEST(classes)
{
	MATCHES("[[:digit:]]", "0", "9");
	REFUSES("[[:digit:]]", "a", ":", "[");
	MATCHES("[_[:alpha:]]", "a", "Z", "_");
	REFUSES("[_[:alpha:]]", "0", "@");
	MATCHES("[![:space:]]", "a");
	REFUSES("[![:space:]]", " ", "\t", "\n");
	REFUSES("[[:nothing:]]", "n", ":", "a");
	/* It is no class, but the characters `[' and `:'. */
	MATCHES("[[:]", "[", ":");
}

TEST(an_open_bracket_means_itself)
{
	MATCHES("[", "[");
	MATCHES("[abc", "[abc");
	REFUSES("[abc", "a", "[ab");
	MATCHES("a[]", "a[]");
	MATCHES("[!", "[!");
	MATCHES("*[x", "a[x");
}

TEST(a_backslash_takes_the_meaning)
{
	MATCHES("\\*", "*");
	REFUSES("\\*", "a", "\\*", "");
	MATCHES("\\[a]", "[a]");
	REFUSES("\\[a]", "a");
	MATCHES("\\a", "a");
	/* A backslash at the end has nothing to quote. */
	REFUSES("\\", "", "\\");
	REFUSES("a\\", "a", "a\\");
}

TEST(many_stars_take_no_time)
{
	char pattern[401] = "", text[10001];

	for (int i = 0; i < 200; i++)
		strcat(pattern, "a*");
	pattern[398] = 'b';
	pattern[399] = '\0';
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	/* A search that tries all possibilities would never end. */
	check_glob(pattern, text, false);
}

/*
 * Compares with the C library's matcher, on short strings of the letters that
 * have a meaning.  "a]" closes what is open, because glibc does not always find
 * an open bracket behind a star.  A class that does not exist makes glibc
 * refuse everything; here no character belongs to it.
 */
TEST(fnmatch_agrees)
{
	static const char letters[] = "ab*?[]!-\\:", plain[] = "ab[]-:\\";
	unsigned int matched = 0;

	for (int i = 0; i < 2000000; i++) {
		char pattern[11] = "", text[6] = "";
		uint32_t n = rnd(9), m = rnd(sizeof(text));
		bool expected;

		for (uint32_t j = 0; j < n; j++)
			pattern[j] = letters[rnd(sizeof(letters) - 1)];
		if (strchr(pattern, '['))
			strcat(pattern, "a]");
		if (strstr(pattern, "[:"))
			continue;
		for (uint32_t j = 0; j < m; j++)
			text[j] = plain[rnd(sizeof(plain) - 1)];
		expected = !fnmatch(pattern, text, 0);
		matched += expected;
		check_glob(pattern, text, expected);
	}
	/* Otherwise the test would prove little. */
	CHECK(matched > 10000);
}

TEST(events)
{
	CHECK(kt_event_match("sched:sched_switch", "sched", "sched_switch"));
	CHECK(!kt_event_match("sched:sched_switch", "sched", "sched_wakeup"));
	CHECK(!kt_event_match("sched:sched_switch", "irq", "sched_switch"));
	CHECK(kt_event_match("sched:*", "sched", "sched_switch"));
	CHECK(!kt_event_match("sched:*", "xsched", "sched_switch"));
	CHECK(!kt_event_match("sched:*", "sched_", "sched_switch"));
	CHECK(kt_event_match("*:sys_enter", "raw_syscalls", "sys_enter"));
	/* One word is a system or an event. */
	CHECK(kt_event_match("sched", "sched", "sched_switch"));
	CHECK(kt_event_match("sched_*", "sched", "sched_switch"));
	CHECK(!kt_event_match("switch", "sched", "sched_switch"));
	/* Each part is matched by itself. */
	CHECK(!kt_event_match("s*h", "sched:x", "h:x"));
	CHECK(!kt_event_match("a[x:y]b", "axb", "axb"));
	CHECK(!kt_event_match(":", "sched", "sched_switch"));
	CHECK(kt_event_match(":", "", ""));
	CHECK(!kt_event_match("", "sched", "sched_switch"));
}

TEST(an_event_has_no_longest_system)
{
	char pattern[1003], system[1001];

	memset(system, 's', sizeof(system) - 1);
	system[sizeof(system) - 1] = '\0';
	snprintf(pattern, sizeof(pattern), "%s:*", system);
	CHECK(kt_event_match(pattern, system, "e"));
	CHECK(!kt_event_match(pattern, system + 1, "e"));
}

static const struct kt_marker_name done = {
	.system = "queue",
	.name = "done",
	.file = "src/queue.c",
	.function = "queue_run",
	.order = 12,
};

TEST(markers)
{
	static const char *const good[] = {
		"done",
		"queue:done",
		"src/queue.c",
		"src/queue.c:queue_run",
		"src/queue.c:queue_run:12",
		"*",
		"d*",
		"queue:*",
		"*:done",
		"src/*",
		"*.c",
		"*queue_run",
		"*:12",
		"src/queue.c:*",
		"src*run:1?",
		"q*e",
		"*:queue_run:12",
		"que?e:[d]one",
	};
	static const char *const bad[] = {
		"",
		"don",
		"donee",
		"queue",
		"queue:",
		":done",
		"queue_run",
		"queue.c",
		"src/queue.c:",
		"src/queue.c:queue_run:1",
		"src/queue.c:queue_run:120",
		"src/queue.c:queue_run:012",
		"src/queue.c:12",
		"queue:done:12",
		"!done",
		"queue:queue_run",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (!kt_marker_match(good[i], &done))
			check_fail("\"%s\" should match", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (kt_marker_match(bad[i], &done))
			check_fail("\"%s\" should not match", bad[i]);
}

TEST(numbers_of_markers)
{
	static const u32 orders[] = {0, 1, 9, 10, 4294967295u};

	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		struct kt_marker_name name = done;
		char pattern[64];

		name.order = orders[i];
		snprintf(pattern, sizeof(pattern), "src/queue.c:queue_run:%u",
			 orders[i]);
		CHECK(kt_marker_match(pattern, &name));
	}
}

TEST(parts_may_be_empty)
{
	const struct kt_marker_name empty = {"", "", "", "", 1};

	CHECK(kt_marker_match("", &empty));
	CHECK(kt_marker_match(":", &empty));
	CHECK(kt_marker_match("::1", &empty));
	CHECK(!kt_marker_match("a", &empty));
}

CHECK_MAIN
