// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "eh_frame.h"
#include "unwind_file.h"
#include "unwind_rows.h"
#include "unwind_table.h"

#define SECTION_MAX (512u << 20) /* bytes */

#define SIZE_MAX_OF_TABLE                                               \
	(sizeof(struct kt_unwind_header) + KT_UNWIND_RULES_MAX * 8ull + \
	 (KT_UNWIND_BUCKETS_MAX + 1ull) * 4 + KT_UNWIND_ROWS_MAX * 3ull)

/*
 * Text is looked at only between functions, but there are many.  So the file is read by pieces;
 * all of the text at once would take longer than everything else.
 */
struct text_source {
	int fd; /* -1: the file is an image in memory */
	const uint8_t *image;
	size_t image_size;
	uint64_t offset;
	size_t size;
	uint8_t window[65536];
};

static bool text_read(void *data, uint64_t offset, void *to, size_t size)
{
	struct text_source *source = data;
	ssize_t n;

	if (source->fd < 0) {
		if (offset > source->image_size ||
		    size > source->image_size - offset)
			return false;
		memcpy(to, source->image + offset, size);
		return true;
	}
	if (offset < source->offset || offset + size < offset ||
	    offset + size > source->offset + source->size) {
		n = pread(source->fd, source->window, sizeof(source->window),
			  offset);
		source->offset = offset;
		source->size = n > 0 ? n : 0;
		if (source->size < size)
			return false;
	}
	memcpy(to, source->window + (offset - source->offset), size);
	return true;
}

static bool section_get(Elf *elf, const GElf_Shdr *header,
			struct eh_frame *frame)
{
	const Elf_Data *data;

	/* It may be anybody's file. */
	if (header->sh_size > SECTION_MAX)
		return false;
	/* Of ELF_T_BYTE, so that it is as in memory. */
	data = elf_getdata_rawchunk(elf, header->sh_offset, header->sh_size,
				    ELF_T_BYTE);
	if (!data || !data->d_buf)
		return false;
	frame->bytes = data->d_buf;
	frame->size = data->d_size;
	frame->address = header->sh_addr;
	return true;
}

static bool section_find(Elf *elf, struct eh_frame *frame)
{
	Elf_Scn *section = NULL;
	const char *name;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    header.sh_type == SHT_NOBITS ||
		    !(header.sh_flags & SHF_ALLOC))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, ".eh_frame"))
			return section_get(elf, &header, frame);
	}
	return false;
}

static bool texts_find(Elf *elf, struct eh_frame *frame)
{
	GElf_Phdr segment;
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr && frame->nr_texts < EH_FRAME_TEXTS_MAX;
	     i++) {
		if (!gelf_getphdr(elf, i, &segment) ||
		    segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		frame->texts[frame->nr_texts++] = (struct eh_frame_text){
			segment.p_vaddr, segment.p_filesz, segment.p_offset};
	}
	return frame->nr_texts;
}

static uint64_t sum(const struct kt_unwind_header *header, size_t size)
{
	const uint8_t *bytes = (const uint8_t *)header;
	uint64_t hash = 0xcbf29ce484222325ull, word; /* FNV-1a, by words */
	size_t at, rest;

	for (at = 0; at < size; at += sizeof(word)) {
		rest = size - at;
		word = 0;
		memcpy(&word, bytes + at,
		       rest < sizeof(word) ? rest : sizeof(word));
		if (at == offsetof(struct kt_unwind_header, sum))
			continue;
		hash = (hash ^ word) * 0x100000001b3ull;
		hash ^= hash >> 32;
	}
	return hash;
}

static int table_make(Elf *elf, struct text_source *source,
		      struct unwind_bytes *table)
{
	struct eh_frame frame = {.read = text_read, .source = source};
	struct unwind_rows rows = {0};
	struct unwind_bytes made;
	const void *id = NULL;
	GElf_Ehdr header;
	ssize_t id_size;
	int err;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    header.e_machine != EM_X86_64 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64)
		return -ENOEXEC;
	if (!section_find(elf, &frame) || !texts_find(elf, &frame))
		return -ENODATA;
	frame.entry = header.e_entry;
	id_size = dwelf_elf_gnu_build_id(elf, &id);
	err = eh_frame_rows(&frame, &rows);
	if (!err)
		err = unwind_rows_finish(&rows, id, id_size > 0 ? id_size : 0,
					 &made.bytes, &made.size);
	unwind_rows_free(&rows);
	if (err)
		return err;
	((struct kt_unwind_header *)made.bytes)->sum =
		sum(made.bytes, made.size);
	*table = made;
	return 0;
}

static int elf_make(Elf *elf, struct text_source *source,
		    struct unwind_bytes *table)
{
	int err = elf ? table_make(elf, source, table) : -ENOEXEC;

	elf_end(elf);
	return err;
}

int unwind_make(int fd, struct unwind_bytes *table)
{
	struct text_source source;

	source.fd = fd;
	source.offset = source.size = 0;
	elf_version(EV_CURRENT);
	/* It is not mapped: whoever may write to it could take pages away. */
	return elf_make(elf_begin(fd, ELF_C_READ, NULL), &source, table);
}

int unwind_make_image(const void *image, size_t size,
		      struct unwind_bytes *table)
{
	struct text_source source;

	source.fd = -1;
	source.image = image;
	source.image_size = size;
	elf_version(EV_CURRENT);
	return elf_make(elf_memory((char *)image, size), &source, table);
}

/* The largest segment of text counts.  Others, if they are elsewhere, have wrong rows. */
static int delta_find(Elf *elf, uint64_t *delta)
{
	struct eh_frame frame = {0};
	const struct eh_frame_text *largest = NULL;

	if (!elf || !texts_find(elf, &frame))
		return -ENOEXEC;
	for (size_t i = 0; i < frame.nr_texts; i++) {
		if (!largest || frame.texts[i].size > largest->size)
			largest = &frame.texts[i];
	}
	*delta = largest->offset - largest->address;
	return *delta & ((1 << KT_UNWIND_BUCKET_SHIFT) - 1) ? -ENOEXEC : 0;
}

int unwind_by_offset(int fd, struct unwind_bytes *table)
{
	struct kt_unwind_header *header = table->bytes;
	uint64_t delta;
	Elf *elf;
	int err;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	err = delta_find(elf, &delta);
	elf_end(elf);
	if (err)
		unwind_bytes_free(table);
	else
		header->base += delta;
	return err;
}

/* Takes over @elf, which may be NULL. */
static size_t elf_build_id(Elf *elf, unsigned char id[KT_UNWIND_ID_MAX])
{
	const void *found;
	ssize_t size;

	size = elf ? dwelf_elf_gnu_build_id(elf, &found) : 0;
	if (size < 0 || size > KT_UNWIND_ID_MAX)
		size = 0;
	if (size)
		memcpy(id, found, size);
	elf_end(elf);
	return size;
}

size_t unwind_build_id(int fd, unsigned char id[KT_UNWIND_ID_MAX])
{
	elf_version(EV_CURRENT);
	return elf_build_id(elf_begin(fd, ELF_C_READ, NULL), id);
}

size_t unwind_build_id_image(const void *image, size_t size,
			     unsigned char id[KT_UNWIND_ID_MAX])
{
	elf_version(EV_CURRENT);
	return elf_build_id(elf_memory((char *)image, size), id);
}

int unwind_read(int fd, struct unwind_bytes *table)
{
	const struct kt_unwind_header *header;
	struct kt_unwind_table checked;
	size_t size;
	char *bytes;
	int err;

	err = file_read_fd(fd, SIZE_MAX_OF_TABLE, &bytes, &size);
	if (err)
		return err;
	header = (const struct kt_unwind_header *)bytes;
	err = kt_unwind_table_open(&checked, bytes, size);
	if (!err && header->sum != sum(header, size))
		err = -EBADMSG;
	if (err) {
		free(bytes);
		return err;
	}
	*table = (struct unwind_bytes){bytes, size};
	return 0;
}

int unwind_write(int fd, const struct unwind_bytes *table)
{
	return file_write(fd, table->bytes, table->size);
}

void unwind_bytes_free(struct unwind_bytes *table)
{
	free(table->bytes);
	*table = (struct unwind_bytes){0};
}
