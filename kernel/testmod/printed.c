// SPDX-License-Identifier: GPL-2.0-only
/*
 * Markers that are printed.  For tests only; never installed.
 *
 *	echo 1 >/sys/module/ktrace_printed/parameters/all	hits each once
 *	echo COUNT >/sys/module/ktrace_printed/parameters/many	hits one COUNT times
 */
#include <linux/module.h>
#include <linux/string.h>

#include <ktrace/marker.h>

#include "forced.h"

static void numbers_hit(void)
{
	unsigned char small = 200;
	short negative = -3;
	bool yes = true;

	KTRACE(numbers, "d %d u %u x %#x hhd %hhd hd %hd ld %ld llu %llu b %d",
	       -1, -1, 255, small, negative, -70000000000l, 1ull << 63, yes);
	KTRACE(widths, "|%5d|%-5d|%05d|%+d|%.3d|%*d|%-*d|", 1, 2, 3, 4, 5, 6, 7,
	       4, 8);
	KTRACE(nothing, "100%% of nothing");
}

static void strings_hit(void)
{
	const char *none = NULL, *bad = (const char *)8;
	char array[4] = {'a', 'b', 'c', 'd'}; /* without a NUL */
	static char large[1000];

	memset(large, 'x', sizeof(large) - 1);
	KTRACE(strings, "s %s none %s fault %s cut %.2s wide |%6s| array %s",
	       "text", none, bad, "cut", "wide", array);
	KTRACE(large, "large %s end", large);
	KTRACE(control, "two %s\n", "lines\nin\033one");
	KTRACE(letters, "%c%c", 'o', 'k');
}

static void bytes_hit(void)
{
	unsigned char mac[6] = {0x52, 0x54, 0, 0x12, 0x34, 0x56};
	unsigned char ip[4] = {192, 168, 0, 1};
	unsigned char *there = mac;
	void *bad = (void *)16;

	KTRACE(bytes, "mac %pM ip %pI4 plain %p dump %3ph short %pI6", mac, ip,
	       mac, mac, ip);
	KTRACE(pointers, "there %pM bad %pM raw %px file %pD", there, bad,
	       (void *)0x1234, (void *)NULL);
}

static int all_set(const char *value, const struct kernel_param *param)
{
	numbers_hit();
	strings_hit();
	bytes_hit();
	ktrace_forced_hit();
	return 0;
}

static const struct kernel_param_ops all_ops = {.set = all_set};
module_param_cb(all, &all_ops, NULL, 0200);

static int many_set(const char *value, const struct kernel_param *param)
{
	unsigned int count, i;
	int err = kstrtouint(value, 0, &count);

	for (i = 0; !err && i < count; i++)
		KTRACE(many, "number %u", i);
	return err;
}

static const struct kernel_param_ops many_ops = {.set = many_set};
module_param_cb(many, &many_ops, NULL, 0200);

MODULE_DESCRIPTION("Markers that are printed, for tests");
MODULE_LICENSE("GPL");
