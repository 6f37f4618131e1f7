// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Preloaded: a file system that lacks what POOR says: `locks', or `room' for the line that tells readers how
 * far they may read.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fcntl64(int fd, int command, ...);

static int lacks(const char *what)
{
	const char *poor = getenv("POOR");

	return poor && !strcmp(poor, what);
}

int fcntl64(int fd, int command, ...)
{
	int (*next)(int, int, ...) =
		(int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl64");
	void *argument;
	va_list ap;

	va_start(ap, command);
	argument = va_arg(ap, void *);
	va_end(ap);
	if (lacks("locks") &&
	    (command == F_OFD_GETLK || command == F_OFD_SETLK)) {
		errno = ENOLCK;
		return -1;
	}
	return next(fd, command, argument);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	static const char point[] = "{\"type\":\"point\"";
	ssize_t (*next)(int, const void *, size_t) =
		(ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT,
							     "write");

	if (lacks("room") && size > sizeof(point) &&
	    !memcmp(bytes, point, sizeof(point) - 1)) {
		errno = ENOSPC;
		return -1;
	}
	return next(fd, bytes, size);
}
