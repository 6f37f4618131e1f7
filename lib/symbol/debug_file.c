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

/* Files of other users are not read, because they may be made to mislead. */
static bool debug_file_trusted(int fd)
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
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
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
	ssize_t n;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^
				   (table[i] & 1 ? 0xedb88320u : 0);
	}
	for (off_t at = 0; (n = pread(fd, bytes, sizeof(bytes), at)) > 0;
	     at += n)
		for (ssize_t i = 0; i < n; i++)
			crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
	return !n && ~crc == expected;
}

/* Does it belong to the program?  Compares the build ids, or the checksum. */
static bool file_matches(Dwfl_Module *module, int fd, GElf_Word crc)
{
	const unsigned char *wanted;
	const void *bytes;
	GElf_Addr address;
	bool matches;
	ssize_t size;
	Elf *elf;
	int len = dwfl_module_build_id(module, &wanted, &address);

	if (len <= 0)
		return crc && crc_matches(fd, crc);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	size = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : -1;
	matches = size == len && !memcmp(bytes, wanted, len);
	elf_end(elf);
	return matches;
}

/*
 * Follows the link in the program: beside it, or in the folder for such files.
 */
static int linked_find(Dwfl_Module *module, const char *program,
		       const char *link, GElf_Word crc, char **found)
{
	static const char *const places[] = {"", "/.debug", NULL};
	const char *slash = strrchr(program, '/');
	int len = slash ? slash - program : 0, fd;
	char *path;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (asprintf(&path, "%s%.*s%s/%s",
			     places[i] ? "" : "/usr/lib/debug", len, program,
			     places[i] ?: "", link) < 0)
			return -1;
		fd = debug_file_open(path);
		if (fd >= 0 && file_matches(module, fd, crc)) {
			*found = path;
			return fd;
		}
		if (fd >= 0)
			close(fd);
		free(path);
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

static int build_id_find(Dwfl_Module *module, char **found)
{
	const unsigned char *id;
	GElf_Addr address;
	int len = dwfl_module_build_id(module, &id, &address), fd;
	char path[ID_PATH];

	if (len < 0 || !id_path(path, id, len))
		return -1;
	fd = debug_file_open(path);
	if (fd < 0)
		return -1;
	*found = file_matches(module, fd, 0) ? strdup(path) : NULL;
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
	int fd = build_id_find(module, found);

	if (fd >= 0)
		return fd;
	/* A name, not a path. */
	if (!program || !link || !*link || strchr(link, '/'))
		return -1;
	return linked_find(module, program, link, crc, found);
}
