// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Noticing that the time stamp counter is taken away; see timeless.h.
 *
 * The symbol prctl has no version.  With one, an object that was linked with
 * the C library alone would not find it.
 */
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include "marker.h"
#include "timeless.h"

__attribute__((visibility("default"))) int prctl(int option, ...)
{
	unsigned long a[4];
	bool before = timeless;
	va_list args;
	int result;

	va_start(args, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(args, unsigned long);
	va_end(args);
	/*
	 * Done before the counter is taken away, because signal handlers may
	 * have markers.
	 */
	if ((option == PR_SET_SECCOMP && a[0] == SECCOMP_MODE_STRICT) ||
	    (option == PR_SET_TSC && a[0] == PR_TSC_SIGSEGV)) {
		timeless = true;
		marker_leave_short();
	}
	result = syscall(SYS_prctl, option, a[0], a[1], a[2], a[3]);
	if (result < 0)
		timeless = before;
	else if (option == PR_SET_TSC && a[0] == PR_TSC_ENABLE)
		timeless = false;
	return result;
}
