// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "build_id.h"
#include "debug_file.h"
#include "kernel_file.h"
#include "program_file.h"

/* By release.  What a package has without a link by build id, and a build. */
static const char *const places[] = {
	"/usr/lib/debug/boot/vmlinux-%s",
	"/usr/lib/debug/lib/modules/%s/vmlinux",
	"/usr/lib/debug/boot/vmlinux-%s.debug",
	"/lib/modules/%s/build/vmlinux",
	"/boot/vmlinux-%s",
};

static bool is_wanted(int fd, const struct build_id *id)
{
	const void *bytes;
	ssize_t size;
	Elf *elf;
	bool is;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	size = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : -1;
	is = size > 0 && (size_t)size == id->size &&
	     !memcmp(bytes, id->bytes, size);
	elf_end(elf);
	return is;
}

/* The file, if it is wanted; else it is closed. */
static int file_check(int fd, const struct build_id *id)
{
	if (fd < 0 || is_wanted(fd, id))
		return fd;
	close(fd);
	return -ENOENT;
}

int kernel_file_open(void)
{
	struct utsname system;
	struct build_id id;
	char path[PATH_MAX];
	int fd;

	if (!build_id_read("/sys/kernel/notes", &id) || uname(&system))
		return -ENOENT;
	fd = file_check(debug_file_open_id(id.bytes, id.size), &id);
	for (size_t i = 0; fd < 0 && i < sizeof(places) / sizeof(*places);
	     i++) {
		if (too_many_open(fd))
			return fd;
		snprintf(path, sizeof(path), places[i], system.release);
		fd = file_check(debug_file_open(path), &id);
	}
	return fd;
}
