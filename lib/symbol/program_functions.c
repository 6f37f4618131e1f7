// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Functions of a program: program_functions.h. */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug_file.h"
#include "program_functions.h"
#include "section.h"

static const struct program_functions NONE = {.fd = -1, .debug_fd = -1};

/* A .gnu_debugdata has the functions of one file: some 1 % of its size. */
#define DEBUGDATA_MAX (64u << 20)
/* A table, or its names, in a stranger's file. */
#define STRANGER_SECTION_MAX (32u << 20)

static int function_compare(const void *a, const void *b)
{
	const struct program_function *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

/* libelf reads whole sections: the table, and its names. */
static bool is_small(const struct program_functions *f, Elf *elf,
		     const GElf_Shdr *table)
{
	bool stranger = f->fd >= 0 && !f->trusted;
	size_t max = stranger ? STRANGER_SECTION_MAX : PROGRAM_SECTION_MAX;
	Elf_Scn *names = elf_getscn(elf, table->sh_link);
	GElf_Shdr header;

	/* Neither is ever compressed; libelf would decompress the names, to any size. */
	return names && gelf_getshdr(names, &header) &&
	       !((table->sh_flags | header.sh_flags) & SHF_COMPRESSED) &&
	       table->sh_size <= max && header.sh_size <= max;
}

static void section_read(struct program_functions *f, Elf *elf,
			 Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data =
		is_small(f, elf, header) ? elf_getdata(section, NULL) : NULL;
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t nr = data && size ? header->sh_size / size : 0;
	struct program_function *more;
	GElf_Sym symbol;

	more = nr ? realloc(f->all, (f->nr + nr) * sizeof(*more)) : NULL;
	if (!more)
		return;
	f->all = more;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getsym(data, i, &symbol) || !symbol.st_value ||
		    (GELF_ST_TYPE(symbol.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC))
			continue;
		f->all[f->nr].name =
			elf_strptr(elf, header->sh_link, symbol.st_name);
		f->all[f->nr].begin = symbol.st_value;
		f->all[f->nr].size = symbol.st_size;
		f->all[f->nr].indirect =
			GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC;
		f->nr += f->all[f->nr].name != NULL;
	}
}

/* Adds those of the table of this kind.  A file has one, or is made to cost memory. */
static void symbols_read(struct program_functions *f, Elf *elf,
			 unsigned int kind)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != kind)
			continue;
		section_read(f, elf, section, &header);
		return;
	}
}

/* A trace may be of another kernel, which has another vDSO. */
static bool is_same_image(const struct program_file *file)
{
	unsigned char id[KT_UNWIND_ID_MAX];

	return program_image_id(id) == file->id_size &&
	       !memcmp(id, file->id, file->id_size);
}

/* A server may send anything: only what has the build id of the program is its debug file. */
static int served_open(const struct program_file *file,
		       struct debug_server *servers)
{
	int fd =
		debug_server_find(servers, file->path, file->id, file->id_size);
	struct stat st;

	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && st.st_size <= PROGRAM_FILE_MAX &&
	    program_file_same(file, fd))
		return fd;
	close(fd);
	debug_server_refuse(servers, file->path);
	return -ENOENT;
}

/* Root of a container is a stranger, too. */
static bool is_trusted(const struct program_file *file, int fd)
{
	return fd >= 0 && file->kept <= 0 && debug_file_trusted(fd);
}

int program_debug_open(const struct program_file *file, int fd, Elf *elf,
		       struct debug_server *servers, bool *served)
{
	int debug = debug_file_open_id(file->id, file->id_size);

	*served = false;
	if (debug >= 0 && !program_file_same(file, debug)) {
		close(debug);
		debug = -1;
	}
	if (too_many_open(debug))
		return debug;
	/* A stranger's link leads where he wants. */
	if (debug < 0 && is_trusted(file, fd))
		debug = debug_file_open_link(elf, file->path, file->id,
					     file->id_size);
	if (debug < 0 && !too_many_open(debug) && fd >= 0) {
		debug = served_open(file, servers);
		*served = debug >= 0;
	}
	return debug;
}

static void debug_open(struct program_functions *f,
		       const struct program_file *file)
{
	f->debug_fd = program_debug_open(
		file, f->fd, f->elf, f->asked ? NULL : f->servers, &f->served);
	f->asked = true;
	if (f->debug_fd >= 0)
		f->debug = elf_begin(f->debug_fd, ELF_C_READ, NULL);
	else if (too_many_open(f->debug_fd))
		f->err = f->debug_fd;
}

/*
 * Opens a file's .gnu_debugdata: a compressed ELF file that has only the functions which are not
 * in the table for the dynamic linker.  libdw decompresses it, to any size: so not one of a
 * stranger.
 */
static void debugdata_open(struct program_functions *f)
{
	GElf_Shdr header;
	Elf_Scn *section =
		f->trusted ? section_named(f->elf, ".gnu_debugdata", &header)
			   : NULL;
	Elf_Data *data = section && header.sh_size <= DEBUGDATA_MAX
				 ? elf_rawdata(section, NULL)
				 : NULL;
	ssize_t size = data ? data->d_size : 0;

	if (size <= 0)
		return;
	f->debug_fd = memfd_create("debugdata", MFD_CLOEXEC);
	if (f->debug_fd < 0 && too_many_open(-errno))
		f->err = -errno;
	if (f->debug_fd >= 0 && write(f->debug_fd, data->d_buf, size) == size)
		f->debug = dwelf_elf_begin(f->debug_fd);
}

static void debug_close(struct program_functions *f)
{
	elf_end(f->debug);
	if (f->debug_fd >= 0)
		close(f->debug_fd);
	f->debug = NULL;
	f->debug_fd = -1;
}

/* The full table, of the file or of its debug file; or what the dynamic linker needs. */
static void functions_read(struct program_functions *f,
			   const struct program_file *file)
{
	symbols_read(f, f->elf, SHT_SYMTAB);
	if (!f->nr) {
		debug_open(f, file);
		symbols_read(f, f->debug, SHT_SYMTAB);
	}
	if (!f->nr) {
		debug_close(f);
		debugdata_open(f);
		symbols_read(f, f->debug, SHT_SYMTAB);
		symbols_read(f, f->elf, SHT_DYNSYM);
	}
	if (f->nr)
		qsort(f->all, f->nr, sizeof(*f->all), function_compare);
}

/*
 * Of a file or of its debug file, whichever has them.  libdw was not made for files of
 * strangers: it would open whatever path the section .gnu_debugaltlink names.
 */
static void places_open(struct program_functions *f,
			const struct program_file *file)
{
	GElf_Shdr header;

	if (!f->trusted)
		return;
	f->places = source_places_open(f->elf);
	if (!f->places && f->debug_fd < 0)
		debug_open(f, file);
	if (!f->places && f->debug &&
	    !(f->served &&
	      section_named(f->debug, ".gnu_debugaltlink", &header)))
		f->places = source_places_open(f->debug);
}

void program_functions_open(struct program_functions *f,
			    const struct program_file *file,
			    struct debug_server *servers)
{
	char *vdso = (char *)getauxval(AT_SYSINFO_EHDR);

	*f = NONE;
	f->servers = servers;
	elf_version(EV_CURRENT);
	if (!strcmp(file->path, "[vdso]")) {
		f->elf = vdso && is_same_image(file)
				 ? elf_memory(vdso, sysconf(_SC_PAGESIZE))
				 : NULL;
	} else {
		f->fd = file->kept > 0 ? fcntl(file->kept, F_DUPFD_CLOEXEC, 0)
				       : program_file_open(file->path);
		if (f->fd < 0 && too_many_open(-errno))
			f->err = -errno;
		f->trusted = is_trusted(file, f->fd);
		if (f->fd >= 0 && program_file_same(file, f->fd))
			f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	}
	if (!f->elf)
		return;
	functions_read(f, file);
	places_open(f, file);
}

void program_functions_close(struct program_functions *f)
{
	source_places_close(f->places);
	debug_close(f);
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->all);
}

bool program_address(const struct program_functions *f, uint64_t offset,
		     uint64_t *address)
{
	GElf_Phdr segment;
	size_t nr;

	if (!f->elf || elf_getphdrnum(f->elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(f->elf, i, &segment) ||
		    segment.p_type != PT_LOAD ||
		    offset - segment.p_offset >= segment.p_filesz)
			continue;
		*address = offset - segment.p_offset + segment.p_vaddr;
		return true;
	}
	return false;
}

const char *program_function_find(const struct program_functions *f,
				  uint64_t offset, uint64_t back,
				  uint64_t *behind)
{
	size_t low = 0, high = f->nr;
	uint64_t address;

	if (!program_address(f, offset - back, &address))
		return NULL;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (f->all[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - f->all[low - 1].begin >= f->all[low - 1].size)
		return NULL;
	*behind = address + back - f->all[low - 1].begin;
	return f->all[low - 1].name;
}
