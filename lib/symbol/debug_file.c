// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Finds the file with a program's debug information on this machine, where
 * packages and builds put it, and nowhere else.  libdw would also ask servers
 * (debuginfod), which may never answer, while events wait.
 */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug_file.h"
#include "program_file.h"

/* Files of other users are not read, because they may be made to mislead. */
bool debug_file_trusted(int fd)
{
	const char *caller = geteuid() ? NULL : getenv("SUDO_UID");
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	return st.st_uid == geteuid() || !st.st_uid ||
	       (caller && st.st_uid == strtoul(caller, NULL, 10));
}

int debug_file_open(const char *path)
{
	int fd = program_file_open(path);

	if (fd < 0)
		return too_many_open(-errno) ? -errno : -ENOENT;
	if (!debug_file_trusted(fd)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/* As .gnu_debuglink has it. */
static bool crc_matches(int fd, GElf_Word expected)
{
	uint32_t table[256], crc = ~0u;
	unsigned char bytes[65536];
	struct stat st;
	ssize_t n;

	/* What has no size has no end either: it is made while it is read, as in /proc. */
	if (fstat(fd, &st) || !st.st_size)
		return false;
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^
				   (table[i] & 1 ? 0xedb88320u : 0);
	}
	for (off_t at = 0; at < st.st_size; at += n) {
		n = pread(fd, bytes, sizeof(bytes), at);
		if (n <= 0)
			return false;
		for (ssize_t i = 0; i < n; i++)
			crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
	}
	return ~crc == expected;
}

/* A program, and what tells which debug file is its own. */
struct wanted {
	const char *path;
	const unsigned char *id;
	size_t size; /* 0: it has no build id */
	const char *link;
	GElf_Word crc;
};

/* Does it belong to the program?  Compares the build ids, or the checksum. */
static bool file_matches(const struct wanted *wanted, int fd)
{
	const void *bytes;
	bool matches;
	ssize_t size;
	Elf *elf;

	if (!wanted->size)
		return wanted->crc && crc_matches(fd, wanted->crc);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	size = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : -1;
	matches = size > 0 && (size_t)size == wanted->size &&
		  !memcmp(bytes, wanted->id, size);
	elf_end(elf);
	return matches;
}

/*
 * Follows the link in the program: beside it, or in the folder for such files.
 */
static int linked_find(const struct wanted *wanted, char **found)
{
	static const char *const places[] = {"", "/.debug", NULL};
	const char *program = wanted->path, *slash;
	int len, fd;
	char *path;

	/* A name, not a path. */
	if (!program || !wanted->link || !*wanted->link ||
	    strchr(wanted->link, '/'))
		return -1;
	slash = strrchr(program, '/');
	len = slash ? slash - program : 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (asprintf(&path, "%s%.*s%s/%s",
			     places[i] ? "" : "/usr/lib/debug", len, program,
			     places[i] ?: "", wanted->link) < 0)
			return -1;
		fd = debug_file_open(path);
		if (fd >= 0 && file_matches(wanted, fd)) {
			*found = path;
			return fd;
		}
		if (fd >= 0)
			close(fd);
		free(path);
		if (too_many_open(fd))
			return fd;
	}
	return -1;
}

#define ID_MAX	64
#define ID_PATH sizeof("/usr/lib/debug/.build-id//.debug") + 2 * ID_MAX

/* In the folder for such files.  False: not a build id. */
static bool id_path(char path[ID_PATH], const unsigned char *id, size_t size)
{
	char *at = path;

	if (size < 2 || size > ID_MAX)
		return false;
	at += sprintf(at, "/usr/lib/debug/.build-id/%02x/", id[0]);
	for (size_t i = 1; i < size; i++)
		at += sprintf(at, "%02x", id[i]);
	strcpy(at, ".debug");
	return true;
}

int debug_file_open_id(const unsigned char *id, size_t size)
{
	char path[ID_PATH];

	return id_path(path, id, size) ? debug_file_open(path) : -ENOENT;
}

int debug_file_open_link(Elf *program, const char *path,
			 const unsigned char *id, size_t size)
{
	struct wanted wanted = {.path = path, .id = id, .size = size};
	char *found;
	int fd;

	wanted.link = dwelf_elf_gnu_debuglink(program, &wanted.crc);
	fd = linked_find(&wanted, &found);
	if (fd < 0)
		return too_many_open(fd) ? fd : -ENOENT;
	free(found);
	return fd;
}

static int build_id_find(const struct wanted *wanted, char **found)
{
	char path[ID_PATH];
	int fd;

	if (!id_path(path, wanted->id, wanted->size))
		return -1;
	fd = debug_file_open(path);
	if (fd < 0)
		return -1;
	*found = file_matches(wanted, fd) ? strdup(path) : NULL;
	if (*found)
		return fd;
	close(fd);
	return -1;
}

int debug_file_find(Dwfl_Module *module, void **data, const char *name,
		    Dwarf_Addr base, const char *program, const char *link,
		    GElf_Word crc, char **found)
{
	/*
	 * dwfl_build_id_find_debuginfo() is not used: it gives the file to the
	 * module before we can check who owns it.
	 */
	struct wanted wanted = {.path = program, .link = link, .crc = crc};
	GElf_Addr address;
	int size = dwfl_module_build_id(module, &wanted.id, &address), fd;

	wanted.size = size > 0 ? size : 0;
	fd = build_id_find(&wanted, found);
	return fd >= 0 ? fd : linked_find(&wanted, found);
}
