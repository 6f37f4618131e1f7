// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Opens a trace by its path: a directory, or an archive. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive.h"
#include "base/error.h"

/* -ENOTDIR: the file does not begin as something that zstd has compressed. */
static int archive_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
	uint8_t begin[sizeof(magic)];
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    pread(fd, begin, sizeof(begin), 0) == sizeof(begin) &&
	    !memcmp(begin, magic, sizeof(magic)))
		return fd;
	close(fd);
	return -ENOTDIR;
}

int ktrace_open(const char *path, struct ktrace **result)
{
	struct ktrace *trace = trace_create(NULL);
	int fd, err;

	if (!trace)
		return error_set(-ENOMEM, "out of memory");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 || errno != ENOTDIR)
		return trace_open_directory(trace, fd < 0 ? -errno : fd, path,
					    result);
	fd = archive_open(path);
	if (fd < 0)
		return trace_open_directory(trace, fd, path, result);
	err = archive_read(trace, fd, path);
	close(fd);
	if (!err)
		err = trace_missing(trace);
	return trace_opened(trace, err, result);
}
