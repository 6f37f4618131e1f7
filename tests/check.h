/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A test program in one header.
 *
 *	#include "check.h"
 *
 *	TEST(sums_are_exact)
 *	{
 *		CHECK(sum(2, 3) == 5);
 *		CHECK_EQ(sum(2, 3), 5);		shows both values
 *		CHECK_STR(name(5), "five");
 *	}
 *
 *	CHECK_MAIN
 *
 * A check that fails ends its test; the others still run.  The output is TAP,
 * the exit status 1 if a test failed.  Arguments select tests by a part of
 * their name.  check_note() prints a comment for readers of the log.
 */
#ifndef KT_TESTS_CHECK_H
#define KT_TESTS_CHECK_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check_test {
	const char *name;
	void (*run)(void);
	struct check_test *next;
};

static struct check_test *check_first, **check_last = &check_first;
static jmp_buf check_escape;

static inline void check_add(struct check_test *test)
{
	*check_last = test;
	check_last = &test->next;
}

#define TEST(test_name)                                                \
	static void test_##test_name(void);                            \
	static struct check_test check_##test_name = {                 \
		.name = #test_name, .run = test_##test_name};          \
	__attribute__((constructor)) static void add_##test_name(void) \
	{                                                              \
		check_add(&check_##test_name);                         \
	}                                                              \
	static void test_##test_name(void)

#define check_note(...) (printf("# " __VA_ARGS__), putchar('\n'))

#define check_fail(...)                                                \
	(printf("# %s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), \
	 putchar('\n'), fflush(stdout), longjmp(check_escape, 1))

#define CHECK(condition)                                   \
	do {                                               \
		if (!(condition))                          \
			check_fail("not so: " #condition); \
	} while (0)

#define CHECK_EQ(got, want)                                                   \
	do {                                                                  \
		long long check_got = (long long)(got);                       \
		long long check_want = (long long)(want);                     \
                                                                              \
		if (check_got != check_want)                                  \
			check_fail(#got " is %lld (%#llx), not %lld (%#llx)", \
				   check_got, check_got, check_want,          \
				   check_want);                               \
	} while (0)

#define CHECK_STR(got, want)                                            \
	do {                                                            \
		const char *check_got = (got);                          \
		const char *check_want = (want);                        \
                                                                        \
		if (!check_got || strcmp(check_got, check_want))        \
			check_fail(#got " is\n#   '%s', not\n#   '%s'", \
				   check_got ? check_got : "(null)",    \
				   check_want);                         \
	} while (0)

static inline int check_selected(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strstr(name, argv[i]))
			return 1;
	return argc < 2;
}

static inline int check_run(int argc, char **argv)
{
	static struct check_test *test;
	static int number, failed;

	for (test = check_first; test; test = test->next) {
		if (!check_selected(test->name, argc, argv))
			continue;
		number++;
		if (!setjmp(check_escape)) {
			test->run();
			printf("ok %d - %s\n", number, test->name);
		} else {
			printf("not ok %d - %s\n", number, test->name);
			failed++;
		}
		fflush(stdout);
	}
	printf("1..%d\n", number);
	return failed || !number;
}

#define CHECK_MAIN                            \
	int main(int argc, char **argv)       \
	{                                     \
		return check_run(argc, argv); \
	}

#endif /* KT_TESTS_CHECK_H */
