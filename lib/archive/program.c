// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A path in a trace leads to a file that may be another one by now, or to one of another
 * machine.  Only a file with the same build id is the same.  One without a build id is never
 * sure to be.
 */
#include <ctype.h>
#include <errno.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "read/trace.h"
#include "symbol/program_functions.h"

int program_of(const struct mapped_file *mapped, struct program_file *file)
{
	const char *hex = mapped->build_id ?: "";
	size_t size = strlen(hex);
	unsigned int byte;

	*file = (struct program_file){
		.number = mapped->number,
		.path = (char *)mapped->path,
		.id_size = size / 2,
	};
	if (size % 2 || size / 2 > sizeof(file->id))
		return -EINVAL;
	for (size_t i = 0; i < size; i += 2) {
		if (!isxdigit((unsigned char)hex[i]) ||
		    !isxdigit((unsigned char)hex[i + 1]) ||
		    sscanf(hex + i, "%2x", &byte) != 1)
			return -EINVAL;
		file->id[i / 2] = byte;
	}
	return 0;
}

int program_open(const struct program_file *file, const char **why)
{
	int fd;

	/* Two bytes: the first one names a folder. */
	if (file->id_size < 2) {
		*why = "it has no build id, so nobody knows whether it is the same";
		return -ENOENT;
	}
	errno = 0;
	fd = *file->path == '/' ? program_file_open(file->path) : -1;
	if (fd < 0 && too_many_open(-errno))
		return -errno;
	if (fd < 0) {
		*why = errno == EACCES ? "you may not read it"
				       : "there is no such file";
		return -ENOENT;
	}
	if (program_file_same(file, fd))
		return fd;
	*why = "it has changed since";
	close(fd);
	return -ENOENT;
}

int program_debug(const struct program_file *file, int fd,
		  struct debug_server *servers)
{
	Elf *elf;
	bool served;
	int debug;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	debug = elf ? program_debug_open(file, fd, elf, servers, &served) : -1;
	elf_end(elf);
	return debug;
}
