// SPDX-License-Identifier: GPL-2.0-only
/* Part of the module ktrace-printed: a file with a forced marker. */
#include <linux/kernel.h>

#define KTRACE_FORCED
#include <ktrace/marker.h>

#include "forced.h"

void ktrace_forced_hit(void)
{
	KTRACE(forced, "number %d", 42);
}
