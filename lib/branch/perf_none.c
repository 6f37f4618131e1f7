// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* In the place of perf_branches.c and perf_live.c, when there is no libipt to build with. */
#include <errno.h>

#include <ktrace/branches.h>

#include "base/error.h"
#include "contexts.h"

int ktrace_branches_open_recorded(const char *path,
				  const struct ktrace_branches_options *options,
				  struct ktrace_branches **branches)
{
	return error_set(-ENOSYS,
			 "%s: ktrace was built without libipt, by which "
			 "packets of Intel's PT are decoded",
			 path);
}

const char *ktrace_branches_without_pt(void)
{
	return "ktrace was built without libipt, by which packets of Intel's "
	       "PT are decoded";
}

int perf_live_open(const struct ktrace_branches_options *options,
		   struct ktrace_branches **branches)
{
	return error_set(-ENOSYS, "%s", ktrace_branches_without_pt());
}
