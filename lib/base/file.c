// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

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
