// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Files of modules that are not loaded: module_image.h. */
#include <bpf/btf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zstd.h>

#include "base/error.h"
#include "base/file.h"
#include "module_image.h"
#include "symbol/build_id.h"
#include "symbol/section.h"

/* Larger than any module, also with debugging information. */
#define IMAGE_MAX (1u << 30)

struct module_image {
	Dwfl *dwfl; /* knows what gzip, bzip2 and xz have compressed */
	Elf *elf;   /* the dwfl's */
};

/* ---- finding --------------------------------------------------------------- */

/* "kernel/fs/a-b.ko.xz: ..." is the module a_b. */
static bool line_means(const char *line, size_t length, const char *module)
{
	const char *slash = memrchr(line, '/', length);
	const char *at = slash ? slash + 1 : line;

	for (; *module; at++, module++)
		if (*at != *module && !(*at == '-' && *module == '_'))
			return false;
	return !strncmp(at, ".ko", 3) && strchr(".:", at[3]);
}

int module_path_find(const char *folder, const char *module, char *path,
		     size_t size)
{
	char own[PATH_MAX], *text, *next, *line;
	struct utsname system;
	size_t length;
	int err;

	if (!folder) {
		uname(&system);
		snprintf(own, sizeof(own), "/lib/modules/%s", system.release);
		folder = own;
	}
	snprintf(path, size, "%s/modules.dep", folder);
	err = file_read(AT_FDCWD, path, &text, NULL);
	if (err)
		return error_set(-ENOENT,
				 "the module %s is not loaded, and %s, which "
				 "would tell whether there is one, cannot be "
				 "read: %s",
				 module, path, strerror(-err));
	*path = '\0';
	for (next = text; !*path && (line = strsep(&next, "\n"));) {
		length = strcspn(line, ":");
		if (line[length] && line_means(line, length, module))
			snprintf(path, size, "%s%s%.*s",
				 *line == '/' ? "" : folder,
				 *line == '/' ? "" : "/", (int)length, line);
	}
	free(text);
	return *path ? 0
		     : error_set(-ENOENT,
				 "the module %s is not loaded, and this kernel "
				 "has none of that name (modules.dep in %s)",
				 module, folder);
}

/* ---- opening --------------------------------------------------------------- */

/* What is not linked has no addresses, and libdwfl gives it some. */
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* Returns a file in memory with these bytes, or -errno. */
static int memory_file(const void *bytes, size_t size)
{
	int fd = memfd_create("module", MFD_CLOEXEC);

	for (size_t at = 0; fd >= 0 && at < size;) {
		ssize_t n = write(fd, (const char *)bytes + at, size - at);

		if (n <= 0) {
			close(fd);
			return -EIO;
		}
		at += n;
	}
	return fd < 0 ? -errno : fd;
}

/* Returns a file in memory with the content, or -errno. */
static int zstd_expand(const char *packed, size_t size)
{
	unsigned long long length = ZSTD_getFrameContentSize(packed, size);
	char *content;
	int fd;

	/* Also if it is not said. */
	if (length > IMAGE_MAX)
		return -EFBIG;
	content = malloc(length + 1);
	if (!content)
		return -ENOMEM;
	fd = ZSTD_decompress(content, length, packed, size) == length
		     ? memory_file(content, length)
		     : -ENOEXEC;
	free(content);
	return fd;
}

/* Returns a descriptor, or -errno. */
static int file_open(const char *path)
{
	size_t length = strlen(path), size;
	char *packed;
	int fd, err;

	if (length < 4 || strcmp(path + length - 4, ".zst")) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	err = file_read(AT_FDCWD, path, &packed, &size);
	if (err)
		return err;
	fd = zstd_expand(packed, size);
	free(packed);
	return fd;
}

int module_image_open_file(const char *path, struct module_image **image)
{
	struct module_image *own = calloc(1, sizeof(*own));
	Dwfl_Module *module = NULL;
	int fd = own ? file_open(path) : -ENOMEM;
	GElf_Addr bias;

	if (fd < 0) {
		free(own);
		return error_set(fd == -ENOMEM ? fd : -ENOEXEC,
				 "%s cannot be read: %s", path, strerror(-fd));
	}
	own->dwfl = dwfl_begin(&callbacks);
	if (own->dwfl) {
		dwfl_report_begin(own->dwfl);
		/* Takes over the descriptor if it succeeds. */
		module = dwfl_report_offline(own->dwfl, "module", "module", fd);
		dwfl_report_end(own->dwfl, NULL, NULL);
	}
	if (!module)
		close(fd);
	else
		own->elf = dwfl_module_getelf(module, &bias);
	if (!own->elf) {
		module_image_close(own);
		return error_set(-ENOEXEC, "%s cannot be read: it is no module",
				 path);
	}
	*image = own;
	return 0;
}

int module_image_open(const char *module, struct module_image **image)
{
	char path[PATH_MAX];
	int err = module_path_find(NULL, module, path, sizeof(path));

	return err ?: module_image_open_file(path, image);
}

void module_image_close(struct module_image *image)
{
	if (!image)
		return;
	if (image->dwfl)
		dwfl_end(image->dwfl);
	free(image);
}

/* ---- what it has ------------------------------------------------------------ */

unsigned int module_image_functions(const struct module_image *image,
				    const char *name, uint64_t *size)
{
	GElf_Shdr header;
	Elf_Scn *section = section_named(image->elf, ".symtab", &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	unsigned int nr = 0;
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *own =
			elf_strptr(image->elf, header.sh_link, symbol.st_name);

		/* What it only calls is in no section of it. */
		if (!own || strcmp(own, name) ||
		    GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
		    symbol.st_shndx == SHN_UNDEF)
			continue;
		if (!nr++)
			*size = symbol.st_size;
	}
	return nr;
}

void module_image_build(const struct module_image *image, struct build_id *id)
{
	const void *bytes;
	ssize_t size = dwelf_elf_gnu_build_id(image->elf, &bytes);

	id->size = size > 0 && (size_t)size <= sizeof(id->bytes) ? size : 0;
	if (id->size)
		memcpy(id->bytes, bytes, id->size);
}

int module_image_types(const struct module_image *image, struct btf *kernel,
		       struct btf **types)
{
	GElf_Shdr header;
	Elf_Scn *section = section_named(image->elf, ".BTF", &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	struct btf *own = NULL;
	char path[40];
	int fd;

	if (!data || !data->d_buf)
		return error_set(-ENOENT, "it has no type information (BTF)");
	/* Then its numbers are not those of this kernel's types: it knows them only by name. */
	if (section_named(image->elf, ".BTF.base", &header))
		return error_set(-ENOENT, "its type information is not known "
					  "before it is loaded (.BTF.base)");
	/* Versions of libbpf that we have take it only from a file. */
	fd = memory_file(data->d_buf, data->d_size);
	if (fd >= 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		own = btf__parse_raw_split(path, kernel);
		close(fd);
	}
	if (!own)
		return error_set(-ENOENT,
				 "its type information (BTF) is broken");
	*types = own;
	return 0;
}
