// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

bool file_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Without /proc, there is only the name, which may mean another file by now. */
static int file_open_again(int dir, const char *path, int flags,
			   const struct stat *seen)
{
	int fd = openat(dir, path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && file_is_same(&st, seen))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

int file_reopen(int seen, int flags)
{
	int fd = -1, why = EINVAL;
	struct stat st;
	char again[40];

	if (seen < 0)
		return -1;
	if (!fstat(seen, &st) && S_ISREG(st.st_mode)) {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", seen);
		fd = open(again, flags | O_NONBLOCK | O_CLOEXEC);
		why = errno;
	}
	close(seen);
	errno = why;
	return fd;
}

int file_open_plain(int dir, const char *path, int flags)
{
	int seen = openat(dir, path, O_PATH | O_NOFOLLOW | O_CLOEXEC), fd;
	struct stat st = {0};

	if (seen >= 0)
		fstat(seen, &st);
	fd = file_reopen(seen, flags);
	if (fd < 0 && S_ISLNK(st.st_mode))
		errno = ELOOP;
	else if (fd < 0 && errno == ENOENT && S_ISREG(st.st_mode))
		fd = file_open_again(dir, path, flags, &st);
	return fd;
}

int file_read_fd(int fd, size_t max, char **text, size_t *size)
{
	size_t room = 16384, len = 0;
	char *buf, *more;
	struct stat st;
	ssize_t n;
	int err;

	/*
	 * With a known size, one read takes all and one more byte of room sees
	 * the end.
	 */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    (size_t)st.st_size <= max && (size_t)st.st_size + 2 > room)
		room = st.st_size + 2;
	buf = malloc(room);
	if (!buf)
		return -ENOMEM;
	for (;;) {
		n = read(fd, buf + len, room - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err = -errno;
			goto err_free;
		}
		if (!n)
			break;
		len += n;
		if (len > max) {
			err = -EFBIG;
			goto err_free;
		}
		if (room - len > 1)
			continue;
		more = realloc(buf, room * 2);
		if (!more) {
			err = -ENOMEM;
			goto err_free;
		}
		buf = more;
		room *= 2;
	}
	buf[len] = '\0';
	*text = buf;
	if (size)
		*size = len;
	return 0;

err_free:
	free(buf);
	return err;
}

int file_read(int dir, const char *path, char **text, size_t *size)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = file_read_fd(fd, SIZE_MAX, text, size);
	close(fd);
	return err;
}

int file_write(int fd, const void *data, size_t size)
{
	const char *s = data;

	while (size) {
		ssize_t n = write(fd, s, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		s += n;
		size -= n;
	}
	return 0;
}
