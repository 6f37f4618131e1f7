// SPDX-License-Identifier: GPL-2.0-only
/*
 * Markers with arguments of every kind.  This file is compiled into the module
 * ktrace-marked and into the program tests/marker/same.  Both must record equal bytes.
 */
#ifdef __KERNEL__
#include <linux/kernel.h>
#else
#include <stdbool.h>
#include <stddef.h>
#endif

#include <ktrace/marker.h>

#include "same.h"

enum colour { RED = 1, GREEN = 70000 };
enum small { LESS = -1, MORE = 1 };

static void strings_hit(unsigned int round)
{
	char array[8] = {'a', 'r', 'r', 'a', 'y', 'A' + round % 26, 'x', 'y'};
	const char *none = NULL;
	char *text = array + 1;
	char large[1500];

	for (unsigned int i = 0; i < sizeof(large); i++)
		large[i] = 'a' + (i + round) % 26;
	large[sizeof(large) - 1] = '\0';
	array[7] = '\0';
	KTRACE(string, "text %s", text);
	KTRACE(strings, "literal %s none %s array %s round %u", "literal", none,
	       array, round);
	KTRACE(large, "first %s second %s third %s", large, large + 1,
	       large + 2);
	KTRACE(empty, "empty %s", "");
}

/* A function name of more than the maximum length must still identify its markers. */
static void
numbers_and_enumerations_of_a_function_with_a_name_longer_than_names_are_hit(
	unsigned int round)
{
	signed char c = -(int)round;
	unsigned char uc = round;
	short s = -2 * (int)round;
	unsigned short us = 2 * round;
	long l = -3l * round;
	unsigned long ul = 3ul * round << 32;
	long long ll = -4ll * round;
	bool odd = round & 1;
	enum colour colour = odd ? RED : GREEN;
	enum small small = odd ? LESS : MORE;

	KTRACE(nothing, "no argument, 100%%");
	KTRACE(one, "round %u", round);
	KTRACE(two, "c %d uc %u", c, uc);
	KTRACE(shorts, "s %d us %u c %d", s, us, c);
	KTRACE(longs, "l %ld ul %lu ll %lld", l, ul, ll);
	KTRACE(mixed, "c %d l %ld us %u odd %d", c, l, us, odd);
	KTRACE(enums, "colour %d small %d", colour, small);
	KTRACE(pointers, "where %p nowhere %p", (void *)(unsigned long)round,
	       (int *)NULL);
	KTRACE(ten, "%d %d, %d %d %d a %d a %d 9x %d %d %d", c, uc, s, us,
	       round, c, uc, s, us, round);
}

static void bytes_hit(unsigned int round)
{
	unsigned char address[6] = {2, 0, 0, 0, round >> 8, round};
	unsigned char longer[19] = {round, 1, 2, 3, 4};

	KTRACE(bytes, "address %p longer %p round %u", address, longer, round);
	KTRACE(both, "address %p name %s", address, "eth0");
}

void same_hit(unsigned int round)
{
	numbers_and_enumerations_of_a_function_with_a_name_longer_than_names_are_hit(
		round);
	strings_hit(round);
	bytes_hit(round);
}
