// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Many patterns at once mean what each of them means alone. */
#include <stdbool.h>

#include <ktrace/session.h>

#include "check.h"
#include "rnd.h"

#define PATTERNS 200

static const char *const words[] = {"sched", "switch", "a", "ab", "abc", "irq"};

static const char *word(void)
{
	return words[rnd(sizeof(words) / sizeof(*words))];
}

/* Half of them are names; some have a colon too many, as no event has. */
static void pattern_make(char *pattern, size_t size)
{
	static const char *const forms[] = {"%s:%s",  "%s:%s",	"%s:%s",
					    "%s*:%s", "%s:?%s", "%s:\\%s",
					    "%s",     "*%s",	"%s:%s:x"};

	snprintf(pattern, size, forms[rnd(sizeof(forms) / sizeof(*forms))],
		 word(), word());
}

struct seen {
	bool matched[PATTERNS];
	size_t nr, stop_at;
};

static bool see(size_t index, void *data)
{
	struct seen *seen = data;

	CHECK(index < PATTERNS && !seen->matched[index]);
	seen->matched[index] = true;
	return ++seen->nr == seen->stop_at;
}

TEST(a_set_agrees_with_its_patterns)
{
	static char patterns[PATTERNS][40];
	struct ktrace_patterns *set = ktrace_patterns_new();

	CHECK(set);
	for (size_t i = 0; i < PATTERNS; i++) {
		pattern_make(patterns[i], sizeof(patterns[i]));
		CHECK_EQ(ktrace_patterns_add(set, patterns[i]), 0);
	}
	for (int i = 0; i < 1000; i++) {
		const char *system = word(), *name = word();
		struct seen seen = {.stop_at = 0};
		size_t nr = 0;

		CHECK(!ktrace_patterns_match(set, system, name, see, &seen));
		for (size_t k = 0; k < PATTERNS; k++) {
			bool wanted =
				ktrace_pattern_match(patterns[k], system, name);

			CHECK_EQ(seen.matched[k], wanted);
			nr += wanted;
		}
		CHECK_EQ(ktrace_patterns_match(set, system, name, NULL, NULL),
			 nr > 0);
	}
	ktrace_patterns_free(set);
}

TEST(who_has_seen_enough_is_not_asked_again)
{
	struct ktrace_patterns *set = ktrace_patterns_new();
	struct seen seen = {.stop_at = 2};

	for (int i = 0; i < 3; i++)
		CHECK_EQ(ktrace_patterns_add(set, "sched:switch"), 0);
	CHECK_EQ(ktrace_patterns_add(set, "sched:*"), 0);
	CHECK(ktrace_patterns_match(set, "sched", "switch", see, &seen));
	CHECK_EQ(seen.nr, 2);
	ktrace_patterns_free(set);
}

TEST(a_name_may_be_of_any_system)
{
	struct ktrace_patterns *set = ktrace_patterns_new();

	CHECK_EQ(ktrace_patterns_add(set, "sched:switch"), 0);
	CHECK_EQ(ktrace_patterns_add(set, "irq:a*"), 0);
	CHECK(ktrace_patterns_match(set, NULL, "switch", NULL, NULL));
	CHECK(ktrace_patterns_match(set, NULL, "abc", NULL, NULL));
	CHECK(!ktrace_patterns_match(set, NULL, "irq", NULL, NULL));
	CHECK(!ktrace_patterns_match(set, "irq", "switch", NULL, NULL));
	ktrace_patterns_free(set);
}

TEST(an_empty_set_means_nothing)
{
	struct ktrace_patterns *set = ktrace_patterns_new();

	CHECK(!ktrace_patterns_match(set, "sched", "switch", NULL, NULL));
	ktrace_patterns_free(set);
	ktrace_patterns_free(NULL);
}

CHECK_MAIN
