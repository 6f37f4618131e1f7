// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with two tracepoints: one has the same name as one of ktrace-test's, the other
 * can refuse its probes.  For tests only; never installed.  Its parameters:
 *
 *	hit	COUNT: hits each tracepoint COUNT times
 *	refuse	1: test_choosy refuses probes
 */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "ktrace_twin.h"

static bool refuse;
module_param(refuse, bool, 0600);

int kt_twin_begin(void)
{
	return refuse ? -EAGAIN : 0;
}

void kt_twin_end(void)
{
}

static int hit_set(const char *value, const struct kernel_param *param)
{
	unsigned int count, i;
	int err = kstrtouint(value, 0, &count);

	for (i = 0; !err && i < count; i++) {
		trace_test_hit("a twin's");
		trace_test_choosy(i);
	}
	return err;
}

static const struct kernel_param_ops hit_ops = {.set = hit_set};
module_param_cb(hit, &hit_ops, NULL, 0200);

MODULE_DESCRIPTION("A tracepoint with another's name, for ktrace's tests");
MODULE_LICENSE("GPL");
