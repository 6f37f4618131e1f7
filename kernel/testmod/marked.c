// SPDX-License-Identifier: GPL-2.0-only
/*
 * Markers in a module, hit on request.  For tests only; never installed.
 *
 *	echo COUNT >/sys/module/ktrace_marked/parameters/same
 *
 * hits the markers of same.c COUNT times, in rounds 0 .. COUNT - 1.
 */
#include <linux/module.h>

#include <ktrace/marker.h>

#include "same.h"

static int same_set(const char *value, const struct kernel_param *param)
{
	unsigned int count, round;
	int err = kstrtouint(value, 0, &count);

	if (err)
		return err;
	for (round = 0; round < count; round++)
		same_hit(round);
	return 0;
}

static const struct kernel_param_ops same_ops = {.set = same_set};
module_param_cb(same, &same_ops, NULL, 0200);
MODULE_PARM_DESC(same, "hit the markers of same.c so many times");

/* Two places with one name, and one of the same name with other arguments. */
static noinline void places_hit(int number)
{
	KTRACE(place, "number %d", number);
	KTRACE(place, "number %d", -number);
	KTRACE(place, "number %d text %s", number, "refused");
}

static int places_set(const char *value, const struct kernel_param *param)
{
	int number, err = kstrtoint(value, 0, &number);

	if (!err)
		places_hit(number);
	return err;
}

static const struct kernel_param_ops places_ops = {.set = places_set};
module_param_cb(places, &places_ops, NULL, 0200);
MODULE_PARM_DESC(places, "hit all places once, with this number");

/* Without its marker, this function would be one instruction: a return. */
noinline void ktrace_marked_off(int number);
noinline void ktrace_marked_off(int number)
{
	KTRACE(off, "number %d", number);
}

static int off_set(const char *value, const struct kernel_param *param)
{
	int number, err = kstrtoint(value, 0, &number);

	if (!err)
		ktrace_marked_off(number);
	return err;
}

static const struct kernel_param_ops off_ops = {.set = off_set};
module_param_cb(off, &off_ops, NULL, 0200);

static int __init marked_init(void)
{
	KTRACE(init, "the module %s begins", THIS_MODULE->name);
	return 0;
}

static void __exit marked_exit(void)
{
	KTRACE(exit, "it ends");
}

module_init(marked_init);
module_exit(marked_exit);
MODULE_DESCRIPTION("Markers that are hit when asked, for tests");
MODULE_LICENSE("GPL");
