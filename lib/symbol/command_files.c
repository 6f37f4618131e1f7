// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See command_files.h. */
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <paths.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command_files.h"
#include "program_file.h"

/* A script may be interpreted by another one; the kernel follows no more (execve(2)). */
#define SCRIPTS_MAX 5
/* So much of its first line the kernel reads. */
#define SCRIPT_LINE 255

/* As execvp() searches, which goes on after what it may not run.  A descriptor, or -1. */
static int command_open(const char *command, char path[PATH_MAX])
{
	const char *from = getenv("PATH") ?: _PATH_STDPATH;
	int length, fd;

	if (strchr(command, '/')) {
		snprintf(path, PATH_MAX, "%s", command);
		return program_file_open(path);
	}
	for (bool more = true; more; from += length + 1) {
		length = strcspn(from, ":");
		more = from[length];
		snprintf(path, PATH_MAX, "%.*s/%s", length ? length : 1,
			 length ? from : ".", command);
		/* A folder is not opened as a program. */
		fd = access(path, X_OK) ? -1 : program_file_open(path);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* "#! PATH ARGUMENT"; false: it is no script. */
static bool script_interpreter(int fd, char path[PATH_MAX])
{
	char line[SCRIPT_LINE + 1];
	ssize_t n = pread(fd, line, SCRIPT_LINE, 0);
	const char *name;

	line[n > 0 ? n : 0] = '\0';
	if (strncmp(line, "#!", 2))
		return false;
	name = line + 2 + strspn(line + 2, " \t");
	snprintf(path, PATH_MAX, "%.*s", (int)strcspn(name, " \t\n"), name);
	return *path;
}

static bool segment_text(int fd, const GElf_Phdr *segment, char path[PATH_MAX])
{
	ssize_t n;

	if (segment->p_filesz >= PATH_MAX)
		return false;
	n = pread(fd, path, segment->p_filesz, segment->p_offset);
	path[n > 0 ? n : 0] = '\0';
	return *path;
}

/* PT_INTERP of elf(5); false: it has none, as what is linked statically. */
static bool program_linker(int fd, char path[PATH_MAX])
{
	GElf_Phdr segment;
	bool found = false;
	size_t nr = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_getphdrnum(elf, &nr))
		nr = 0;
	for (size_t i = 0; i < nr && !found; i++)
		found = gelf_getphdr(elf, i, &segment) &&
			segment.p_type == PT_INTERP &&
			segment_text(fd, &segment, path);
	elf_end(elf);
	return found;
}

void command_files(const char *command,
		   void (*use)(void *data, const char *path), void *data)
{
	char path[PATH_MAX];
	bool script = true;
	int fd = command_open(command, path);

	for (int scripts = 0; fd >= 0 && script && scripts <= SCRIPTS_MAX;
	     scripts++) {
		use(data, path);
		script = script_interpreter(fd, path);
		if (!script && program_linker(fd, path))
			use(data, path);
		close(fd);
		fd = script ? program_file_open(path) : -1;
	}
	if (fd >= 0)
		close(fd);
}
