// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build_id.h"

/* Each note is padded to 4 bytes. */
bool build_id_read(const char *path, struct build_id *id)
{
	ssize_t size, at = 0;
	char notes[4096];
	Elf64_Nhdr note;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	size = read(fd, notes, sizeof(notes));
	close(fd);
	while (size - at > (ssize_t)sizeof(note)) {
		size_t name, bytes;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		bytes = name + ((note.n_namesz + 3ul) & ~3ul);
		if (bytes + note.n_descsz > (size_t)size)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4) &&
		    note.n_descsz <= sizeof(id->bytes)) {
			memcpy(id->bytes, notes + bytes, note.n_descsz);
			id->size = note.n_descsz;
			return id->size;
		}
		at = bytes + ((note.n_descsz + 3ul) & ~3ul);
	}
	return false;
}

bool build_id_module(const char *module, struct build_id *id)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id",
		 module);
	return build_id_read(path, id);
}
