// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <dirent.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "build_id.h"
#include "debug_file.h"
#include "kernel_file.h"
#include "program_file.h"
#include "section.h"

/* By release.  What a package has without a link by build id, and a build. */
static const char *const places[] = {
	"/usr/lib/debug/boot/vmlinux-%s",
	"/usr/lib/debug/lib/modules/%s/vmlinux",
	"/usr/lib/debug/usr/lib/modules/%s/vmlinux",
	"/usr/lib/debug/boot/vmlinux-%s.debug",
	"/lib/modules/%s/build/vmlinux",
	"/boot/vmlinux-%s",
};

/* Modules have theirs in the same folders as the modules. */
static const char *const module_places[] = {
	"/usr/lib/debug/lib/modules/%s/%s",
	"/usr/lib/debug/lib/modules/%s/%s.debug",
	"/usr/lib/debug/usr/lib/modules/%s/%s",
	"/lib/modules/%s/%s",
};

/* What the file itself says.  False: nothing. */
static bool file_id(int fd, struct build_id *id)
{
	const void *bytes;
	ssize_t size;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	size = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : -1;
	id->size = size > 0 && (size_t)size <= sizeof(id->bytes) ? size : 0;
	if (id->size)
		memcpy(id->bytes, bytes, id->size);
	elf_end(elf);
	return id->size;
}

static bool id_equals(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

/* A stripped file has the same build id. */
static bool has_debug_info(int fd)
{
	GElf_Shdr header;
	bool found;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	found = elf && section_named(elf, ".debug_info", &header);
	elf_end(elf);
	return found;
}

/* The file, if it is wanted; else it is closed. */
static int file_check(int fd, const struct build_id *id)
{
	struct build_id own;

	if (fd < 0 || (file_id(fd, &own) && id_equals(&own, id)))
		return fd;
	close(fd);
	return -ENOENT;
}

/* A file may have been stripped, and another one have what is wanted. */
static int source_file_check(int fd, const struct build_id *id)
{
	fd = file_check(fd, id);
	if (fd < 0 || has_debug_info(fd))
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
	fd = source_file_check(debug_file_open_id(id.bytes, id.size), &id);
	for (size_t i = 0; fd < 0 && i < sizeof(places) / sizeof(*places);
	     i++) {
		if (too_many_open(fd))
			return fd;
		snprintf(path, sizeof(path), places[i], system.release);
		fd = source_file_check(debug_file_open(path), &id);
	}
	return fd;
}

/* ---- modules ---------------------------------------------------------------- */

/* "kernel/fs/ext4/ext4.ko", of a line "PATH: ..." of modules.dep.  False: it is another one's. */
static bool path_take(char *line, const char *name)
{
	char *end = strchr(line, ':'), *base;
	size_t length = strlen(name);

	if (!end)
		return false;
	*end = '\0';
	base = strrchr(line, '/');
	base = base ? base + 1 : line;
	for (size_t i = 0; i < length; i++)
		if ((base[i] == '-' ? '_' : base[i]) != name[i])
			return false;
	if (strncmp(base + length, ".ko", 3))
		return false;
	/* It may be packed there, but not where its debug file is. */
	base[length + 3] = '\0';
	return true;
}

/* Where it is in the folder of modules.  False: it is not there. */
static bool module_path(const char *release, const char *name, char **path)
{
	char list[PATH_MAX], *line = NULL;
	bool found = false;
	size_t room = 0;
	FILE *file;

	snprintf(list, sizeof(list), "/lib/modules/%s/modules.dep", release);
	file = fopen(list, "re");
	while (file && !found && getline(&line, &room, file) > 0)
		found = path_take(line, name);
	if (file)
		fclose(file);
	if (!found)
		free(line);
	else
		*path = line;
	return found;
}

int module_file_open(const char *module)
{
	struct utsname system;
	struct build_id id;
	char path[PATH_MAX], *own;
	int fd;

	if (!build_id_module(module, &id) || uname(&system))
		return -ENOENT;
	fd = source_file_check(debug_file_open_id(id.bytes, id.size), &id);
	if (fd >= 0 || too_many_open(fd) ||
	    !module_path(system.release, module, &own))
		return fd;
	for (size_t i = 0; fd < 0 && !too_many_open(fd) &&
			   i < sizeof(module_places) / sizeof(*module_places);
	     i++) {
		snprintf(path, sizeof(path), module_places[i], system.release,
			 own);
		fd = source_file_check(debug_file_open(path), &id);
	}
	free(own);
	return fd;
}

/* ---- files that are said ------------------------------------------------------- */

/* The loaded module that has the build id.  False: none. */
static bool module_find(const struct build_id *id, char *name, size_t size)
{
	DIR *modules = opendir("/sys/module");
	const struct dirent *entry;
	struct build_id own;
	bool found = false;

	while (modules && !found && (entry = readdir(modules))) {
		found = *entry->d_name != '.' && strlen(entry->d_name) < size &&
			build_id_module(entry->d_name, &own) &&
			id_equals(&own, id);
		if (found)
			strcpy(name, entry->d_name);
	}
	if (modules)
		closedir(modules);
	return found;
}

static const char *id_text(const struct build_id *id, char text[129])
{
	for (size_t i = 0; i < id->size && i < 64; i++)
		sprintf(text + 2 * i, "%02x", id->bytes[i]);
	return text;
}

int kernel_file_said(const char *path, char *module, size_t size)
{
	char id_said[129] = "none", id_kernel[129] = "none";
	struct build_id said = {.size = 0}, kernel;
	int fd = program_file_open(path);

	if (fd < 0 && errno == ENOENT && !access(path, F_OK))
		return error_set(-EINVAL,
				 "%s: it is no regular file, or too large",
				 path);
	if (fd < 0)
		return error_set(-errno, "%s: %s", path, strerror(errno));
	file_id(fd, &said);
	if (said.size && !has_debug_info(fd)) {
		close(fd);
		return error_set(-EINVAL,
				 "%s has no debugging information: it was "
				 "built without, or this was stripped",
				 path);
	}
	if (!build_id_read("/sys/kernel/notes", &kernel))
		kernel.size = 0;
	*module = '\0';
	if (said.size && kernel.size && id_equals(&said, &kernel))
		return fd;
	if (said.size && module_find(&said, module, size))
		return fd;
	close(fd);
	return error_set(-EINVAL,
			 "%s is not of this kernel, nor of a module that is "
			 "loaded: its build id is %s, the kernel's is %s",
			 path, id_text(&said, id_said),
			 id_text(&kernel, id_kernel));
}
