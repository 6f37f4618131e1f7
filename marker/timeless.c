// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Asking whether the thread may read the time stamp counter; see timeless.h. */
#include "timeless.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread bool timeless;

bool timeless_ask(void)
{
	int mode = 0; /* valgrind does not know that the call fills it */

	/*
	 * Not through our own prctl(): a processor without the counter has no
	 * such syscall.
	 */
	timeless = !syscall(SYS_prctl, PR_GET_TSC, &mode, 0, 0, 0) &&
		   mode == PR_TSC_SIGSEGV;
	return timeless;
}
