// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The code of programs: program_code.h. */
#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "instruction.h"
#include "program_code.h"

bool code_offset(const struct program_functions *f, uint64_t address, bool code,
		 uint64_t *offset)
{
	Elf *elf = f->elf;
	GElf_Phdr segment;
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &segment) ||
		    segment.p_type != PT_LOAD ||
		    (code && !(segment.p_flags & PF_X)) ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}

/* So many names may one function have whose size is found. */
#define ALIASES_MAX 64

/* Sizes of functions that are written in assembly may be missing. */
uint64_t code_size(const struct program_functions *f, size_t i)
{
	uint64_t begin = f->all[i].begin;
	size_t end = i + ALIASES_MAX;

	if (f->all[i].size)
		return f->all[i].size;
	while (++i < f->nr && i < end)
		if (f->all[i].begin > begin)
			return f->all[i].begin - begin;
	return 0;
}

uint64_t code_size_at(const struct program_functions *f, uint64_t address)
{
	size_t low = 0, high = f->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (f->all[middle].begin < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->nr && f->all[low].begin == address ? code_size(f, low)
							   : 0;
}

bool code_section(const struct program_functions *f, uint64_t address,
		  uint64_t *begin)
{
	Elf *elf = f->elf;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    !(header.sh_flags & SHF_EXECINSTR) ||
		    address - header.sh_addr >= header.sh_size)
			continue;
		*begin = header.sh_addr;
		return true;
	}
	return false;
}

/* Why no probe can be there. */
static int instruction_refuse(const struct place *place, uint64_t begin,
			      size_t before, size_t behind)
{
	const char *name = *place->function ? place->function : "";

	if (*name) {
		begin = 0;
	} else if (!behind) {
		return error_set(-EINVAL, "what is before it is no code");
	}
	if (!behind)
		return error_set(-EINVAL,
				 "within %s is something that is no code: a "
				 "probe can be where it begins",
				 name);
	return error_set(-EINVAL,
			 "no instruction begins there: one does at "
			 "%s%s0x%" PRIx64 " and %s%s0x%" PRIx64,
			 name, *name ? "+" : "", begin + before, name,
			 *name ? "+" : "", begin + behind);
}

int code_check(const struct program_functions *f, const char *path,
	       const struct place *place)
{
	uint64_t address = place->address + place->offset, begin, offset;
	size_t at, size, before, behind;
	uint8_t *code;
	ssize_t nr;
	int err = 0;

	/* A function, or what its author has marked. */
	if (place->is_usdt || place->at_return ||
	    (*place->function && !place->offset))
		return 0;
	begin = place->address;
	if (!*place->function && !code_section(f, address, &begin))
		return error_set(-EINVAL,
				 "nobody knows what is there: it is in "
				 "no section with code");
	at = address - begin;
	if (!code_offset(f, begin, true, &offset) || at > CODE_MAX)
		return error_set(-EINVAL, "it is too far from what is known");
	size = at + INSTRUCTION_MAX;
	code = malloc(size);
	if (!code)
		return error_set(-ENOMEM, "out of memory");
	nr = pread(f->fd, code, size, offset);
	if (nr < (ssize_t)at)
		err = error_set(-EIO, "%s cannot be read", path);
	else if (!instruction_begins(code, nr, place->is_32, at, &before,
				     &behind))
		err = instruction_refuse(place, begin, before, behind);
	free(code);
	return err;
}

bool code_is_taken(const struct program_functions *f, bool is_32,
		   uint64_t offset)
{
	uint8_t code[INSTRUCTION_MAX];
	ssize_t nr = pread(f->fd, code, sizeof(code), offset);

	return nr > 0 && instruction_is_probed(code, nr, is_32);
}
