// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Preloaded: opening a file whose path ends with SLOW_FILE takes three seconds, as on a
 * slow network file system.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int open(const char *path, int flags, ...)
{
	int (*next)(const char *, int, ...) =
		(int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	const char *slow = getenv("SLOW_FILE");
	size_t length = slow ? strlen(slow) : 0, all = strlen(path);
	va_list args;
	int mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, int) : 0;
	va_end(args);
	if (length && all >= length && !strcmp(path + all - length, slow))
		sleep(3);
	return next(path, flags, mode);
}
