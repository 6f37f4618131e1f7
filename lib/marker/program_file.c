// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The section ktrace_markers is an array of addresses of struct ktrace_marker,
 * which is full of addresses itself.  In a file that can be loaded anywhere
 * there are two cases.  Either each address is zero, and a relocation
 * (R_X86_64_RELATIVE) says what it will be.  Or the address is there, and a bit
 * in .relr.dyn says that it has to be moved.  See the generic ABI and its
 * supplement for x86-64.  Addresses here are those of the file, as if it were
 * loaded at zero.
 *
 * The file is not trusted: every address is checked against what was read of
 * it.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program_file.h"
#include "order.h"

#define MARKERS_MAX 65536

struct moved {
	u64 at;
	u64 to;
};

struct file {
	Elf *elf;
	const char *name; /* without its folders */
	const char *path;
	char *bytes;
	size_t size;
	struct moved *moved; /* sorted */
	size_t nr_moved;
};

/* The bytes at an address; *@left: how many there are.  NULL: none. */
static const void *bytes_at(const struct file *f, u64 address, size_t *left)
{
	size_t nr;

	if (elf_getphdrnum(f->elf, &nr))
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(f->elf, i, &p) || p.p_type != PT_LOAD ||
		    address < p.p_vaddr || address - p.p_vaddr >= p.p_filesz)
			continue;
		if (p.p_offset > f->size || p.p_filesz > f->size - p.p_offset)
			return NULL;
		*left = p.p_filesz - (address - p.p_vaddr);
		return f->bytes + p.p_offset + (address - p.p_vaddr);
	}
	return NULL;
}

static const char *string_at(const struct file *f, u64 address)
{
	size_t left;
	const char *s = bytes_at(f, address, &left);

	return s && memchr(s, '\0', left) ? s : NULL;
}

static int moved_compare(const void *a, const void *b)
{
	u64 x = ((const struct moved *)a)->at,
	    y = ((const struct moved *)b)->at;

	return x < y ? -1 : x > y;
}

/* The address that is stored at @at; 0: none. */
static u64 address_at(const struct file *f, u64 at)
{
	const struct moved key = {.at = at}, *found = NULL;
	const void *bytes;
	size_t left;
	u64 address;

	if (f->nr_moved)
		found = bsearch(&key, f->moved, f->nr_moved, sizeof(key),
				moved_compare);
	if (found)
		return found->to;
	bytes = bytes_at(f, at, &left);
	if (!bytes || left < sizeof(address))
		return 0;
	memcpy(&address, bytes, sizeof(address));
	return address;
}

static int moved_read(struct file *f)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(f->elf, section))) {
		Elf_Data *data;
		size_t nr;

		if (!gelf_getshdr(section, &header) ||
		    header.sh_type != SHT_RELA || !header.sh_entsize)
			continue;
		data = elf_getdata(section, NULL);
		nr = data ? data->d_size / header.sh_entsize : 0;
		if (!nr)
			continue;
		f->moved = realloc(f->moved,
				   (f->nr_moved + nr) * sizeof(*f->moved));
		if (!f->moved)
			return -ENOMEM;
		for (size_t i = 0; i < nr; i++) {
			GElf_Rela rela;

			if (gelf_getrela(data, i, &rela) &&
			    GELF_R_TYPE(rela.r_info) == R_X86_64_RELATIVE)
				f->moved[f->nr_moved++] = (struct moved){
					rela.r_offset, rela.r_addend};
		}
	}
	if (f->nr_moved)
		qsort(f->moved, f->nr_moved, sizeof(*f->moved), moved_compare);
	return 0;
}

struct found {
	struct marker_description description;
	struct ktrace_argument arguments[11];
	bool forced;
};

/* False: it has another version, or is damaged. */
static bool marker_read(const struct file *f, u64 at, struct found *found)
{
	struct marker_description *d = &found->description;
	struct ktrace_marker marker;
	const void *bytes;
	size_t left;

	bytes = bytes_at(f, at, &left);
	if (!bytes || left < sizeof(marker))
		return false;
	memcpy(&marker, bytes, sizeof(marker));
	if (marker.version != KTRACE_MARKER_VERSION)
		return false;
#define ADDRESS(field) address_at(f, at + offsetof(struct ktrace_marker, field))
	d->name.system = f->name;
	d->name.name = string_at(f, ADDRESS(name));
	d->name.file = string_at(f, ADDRESS(file));
	d->name.function = string_at(f, ADDRESS(function));
	d->format = string_at(f, ADDRESS(format));
	bytes = bytes_at(f, ADDRESS(arguments), &left);
#undef ADDRESS
	if (!d->name.name || !d->name.file || !d->name.function || !d->format ||
	    !bytes)
		return false;
	if (left > 10 * sizeof(*found->arguments))
		left = 10 * sizeof(*found->arguments);
	memset(found->arguments, 0, sizeof(found->arguments));
	memcpy(found->arguments, bytes,
	       left - left % sizeof(*found->arguments));
	d->line = marker.line;
	d->address = at;
	d->path = f->path;
	found->forced = marker.flags & KTRACE_FLAG_FORCED;
	return true;
}

static int found_order(struct found *all, size_t nr)
{
	struct marker_place *places = calloc(nr + 1, sizeof(*places));
	u32 *orders = calloc(nr + 1, sizeof(*orders));
	int err = places && orders ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < nr; i++)
		places[i] =
			(struct marker_place){all[i].description.name.file,
					      all[i].description.name.function,
					      all[i].description.line};
	if (!err)
		err = places_order(places, nr, orders);
	for (size_t i = 0; !err && i < nr; i++)
		all[i].description.name.order = orders[i];
	free(orders);
	free(places);
	return err;
}

static int section_each(const struct file *f, u64 begin, u64 size,
			int (*use)(void *data,
				   const struct marker_description *marker,
				   bool forced),
			void *data)
{
	size_t nr = size / sizeof(u64), nr_found = 0;
	struct found *all;
	int err = 0;

	if (nr > MARKERS_MAX)
		return -ENOEXEC;
	all = calloc(nr + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		nr_found +=
			marker_read(f, address_at(f, begin + i * sizeof(u64)),
				    &all[nr_found]);
	err = found_order(all, nr_found);
	for (size_t i = 0; i < nr_found && !err; i++) {
		all[i].description.arguments = all[i].arguments;
		err = use(data, &all[i].description, all[i].forced);
	}
	free(all);
	return err;
}

static int file_each(struct file *f,
		     int (*use)(void *data,
				const struct marker_description *marker,
				bool forced),
		     void *data)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Ehdr ehdr;
	size_t names;
	int err;

	if (!gelf_getehdr(f->elf, &ehdr) || ehdr.e_machine != EM_X86_64 ||
	    (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN) ||
	    elf_getshdrstrndx(f->elf, &names))
		return -ENOEXEC;
	f->bytes = elf_rawfile(f->elf, &f->size);
	if (!f->bytes)
		return -ENOEXEC;
	while ((section = elf_nextscn(f->elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(f->elf, names, header.sh_name);
		if (!name || strcmp(name, "ktrace_markers"))
			continue;
		err = moved_read(f);
		return err ? err
			   : section_each(f, header.sh_addr, header.sh_size,
					  use, data);
	}
	return 0;
}

int marker_elf_each_of(int fd, const char *path,
		       int (*use)(void *data,
				  const struct marker_description *marker,
				  bool forced),
		       void *data)
{
	const char *slash = strrchr(path, '/');
	struct file f = {.name = slash ? slash + 1 : path, .path = path};
	int err;

	elf_version(EV_CURRENT);
	f.elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!f.elf || elf_kind(f.elf) != ELF_K_ELF)
		err = -ENOEXEC;
	else
		err = file_each(&f, use, data);
	elf_end(f.elf);
	free(f.moved);
	return err;
}

int marker_elf_each(const char *path,
		    int (*use)(void *data,
			       const struct marker_description *marker,
			       bool forced),
		    void *data)
{
	struct stat st;
	int fd, err;

	/* The file may have been replaced by something else. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) || !S_ISREG(st.st_mode)
		      ? -ENOEXEC
		      : marker_elf_each_of(fd, path, use, data);
	close(fd);
	return err;
}
