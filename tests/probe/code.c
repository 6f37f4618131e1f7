// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Prints the instructions of a file, as lib/probe reads them: code FILE <FUNCTIONS, where each line of
 * FUNCTIONS is "ADDRESS SIZE", and both are hexadecimal.  A line is "ADDRESS LENGTH TEXT".
 */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "probe/instruction.h"

static Elf *elf;
static int fd;

static bool offset_find(uint64_t address, uint64_t *offset)
{
	GElf_Phdr segment;
	size_t nr = 0;

	elf_getphdrnum(elf, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &segment) ||
		    segment.p_type != PT_LOAD ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}

static void function_print(uint64_t address, uint64_t size)
{
	uint8_t *code = malloc(size + 1);
	uint64_t offset;
	struct instruction in;

	if (!code || !offset_find(address, &offset) ||
	    pread(fd, code, size, offset) != (ssize_t)size)
		exit(1);
	for (uint64_t at = 0; at < size; at += in.length) {
		bool returns;

		instruction_read(code + at, size - at, false, address + at,
				 true, &in);
		if (in.is_code &&
		    instruction_length(code + at, size - at, false, &returns) !=
			    in.length)
			exit(1);
		printf("%" PRIx64 " %u %s\n", address + at, in.length, in.text);
	}
	free(code);
}

int main(int argc, char **argv)
{
	uint64_t address, size;

	elf_version(EV_CURRENT);
	fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || !instructions_known())
		return 1;
	while (scanf("%" SCNx64 " %" SCNx64, &address, &size) == 2)
		function_print(address, size);
	elf_end(elf);
	return 0;
}
