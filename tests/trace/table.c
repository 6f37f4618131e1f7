// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The hash table, compared with an array. */
#include <stdbool.h>

#include "check.h"
#include "rnd.h"

#include "base/table.h"

#define VALUES 600

static char values[VALUES];
static bool present[VALUES];

static uint64_t number_of(const char *value, unsigned int numbers)
{
	return (value - values) % numbers;
}

/* With only @numbers different hash numbers, many values have the same one. */
static void check_all(const struct table *table, unsigned int numbers)
{
	bool seen[VALUES] = {false};
	size_t at = 0, nr = 0;
	char *value;

	for (unsigned int i = 0; i < numbers; i++) {
		struct table_slot *slot = NULL;
		unsigned int found = 0, expected = 0;

		while ((slot = table_next(table, i, slot))) {
			value = slot->value;
			CHECK(present[value - values]);
			CHECK(number_of(value, numbers) == i);
			found++;
		}
		for (unsigned int v = i; v < VALUES; v += numbers)
			expected += present[v];
		CHECK_EQ(found, expected);
	}
	while ((value = table_each(table, &at))) {
		CHECK(present[value - values] && !seen[value - values]);
		seen[value - values] = true;
		nr++;
	}
	CHECK_EQ(nr, table->nr);
}

static void check_changes(unsigned int numbers)
{
	struct table table = {0};

	memset(present, 0, sizeof(present));
	for (unsigned int i = 0; i < 20000; i++) {
		unsigned int v = rnd(VALUES);

		/* The table fills and empties in turns. */
		if (!present[v] && (i / 2000 % 2 == 0 || rnd(4) == 0)) {
			CHECK(!table_add(&table, number_of(&values[v], numbers),
					 &values[v]));
			present[v] = true;
		} else if (present[v] && (i / 2000 % 2 || rnd(4) == 0)) {
			table_remove(&table, number_of(&values[v], numbers),
				     &values[v]);
			present[v] = false;
		}
		if (i % 100 == 0)
			check_all(&table, numbers);
	}
	check_all(&table, numbers);
	table_free(&table);
	CHECK(!table.slots && !table.nr);
}

TEST(numbers_that_one_has)
{
	check_changes(VALUES);
}

TEST(numbers_that_many_have)
{
	check_changes(100);
	check_changes(3);
	check_changes(1);
}

TEST(empty)
{
	struct table table = {0};
	size_t at = 0;

	CHECK(!table_find(&table, 0));
	CHECK(!table_next(&table, 7, NULL));
	CHECK(!table_each(&table, &at));
	table_free(&table);
}

/* Numbers that differ only in high bits must not all begin at one slot. */
TEST(high_bits_count)
{
	struct table table = {0};
	size_t begins = 0;

	for (uint64_t i = 1; i <= 100; i++)
		CHECK(!table_add(&table, i << 40, values));
	for (uint64_t i = 1; i <= 100; i++) {
		bool again = false;

		for (uint64_t j = 1; j < i; j++)
			again |= table_begin(&table, i << 40) ==
				 table_begin(&table, j << 40);
		begins += !again;
		CHECK(table_find(&table, i << 40) == values);
	}
	table_free(&table);
	CHECK(begins > 50);
}

/* The longest stretch of slots that are taken. */
static size_t stretch_of(const struct table *table)
{
	size_t longest = 0, now = 0;

	for (size_t i = 0; i < table->size; i++) {
		now = table->slots[i].value ? now + 1 : 0;
		longest = now > longest ? now : longest;
	}
	return longest;
}

/* Numbers that one factor would bring to the same place, and those of threads. */
TEST(chosen_numbers_are_spread)
{
	/* 0x9e3779b97f4a7c15 times this is 1. */
	static const uint64_t steps[] = {0xf1de83e19937733d, 1, 1 << 12,
					 1ull << 40};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct table table = {0};

		for (uint64_t n = 0; n < 20000; n++)
			CHECK(!table_add(&table, n * steps[i], values));
		CHECK(stretch_of(&table) < 2000);
		table_free(&table);
	}
}

TEST(hashes)
{
	CHECK(table_hash("", 0) != table_hash("a", 1));
	CHECK(table_hash("ab", 2) != table_hash("ba", 2));
	CHECK(table_hash("abc", 2) == table_hash("ab", 2));
}

/* Whoever knows how it is made can choose names of one hash: the first eight bytes make it 0. */
TEST(chosen_names_have_secret_hashes)
{
	static const char name[64] = "\xd5\x6b\xb9\x53\x42\x87\x08\x36";
	uint64_t factor = table_factor(), hashes[50];

	for (size_t i = 0; i < 50; i++) {
		CHECK_EQ(table_hash(name, 8 + i), 0);
		hashes[i] = table_hash_secret(name, 8 + i, factor);
		for (size_t k = 0; k < i; k++)
			CHECK(hashes[i] != hashes[k]);
	}
	CHECK(table_hash_secret("ab", 2, factor) !=
	      table_hash_secret("ba", 2, factor));
	CHECK(table_hash_secret("abc", 2, factor) ==
	      table_hash_secret("ab", 2, factor));
	CHECK(table_hash_secret("ab", 2, factor) !=
	      table_hash_secret("ab", 2, factor + 2));
}

CHECK_MAIN
