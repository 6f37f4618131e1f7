// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdint.h>
#include <string.h>

#include "return_address.h"
#include "symbol/section.h"

bool is_made_by_go(Elf *elf)
{
	GElf_Shdr header;

	return section_named(elf, ".gopclntab", &header) ||
	       section_named(elf, ".note.go.buildid", &header);
}

/* Is @name one of the strings of a section? */
static bool names_have(Elf *elf, const char *section, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *scn = section_named(elf, section, &header);
	Elf_Data *data = scn && header.sh_type == SHT_STRTAB
				 ? elf_rawdata(scn, NULL)
				 : NULL;

	/* With its NUL: not the beginning of another one. */
	return data && data->d_buf &&
	       memmem(data->d_buf, data->d_size, name, strlen(name) + 1);
}

/* Bytes that are left of a table. */
struct bytes {
	const uint8_t *at, *end;
};

/* LEB128 without a sign, of numbers below 2^63 (DWARF 5, 7.6).  False: it does not end. */
static bool number_read(struct bytes *bytes, uint64_t *number)
{
	*number = 0;
	for (unsigned int shift = 0; bytes->at < bytes->end && shift < 63;
	     shift += 7) {
		uint8_t byte = *bytes->at++;

		*number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/*
 * One function's table of cleanups begins with two encodings, of which neither is there (0xff): it
 * has no types of exceptions.  That of the call sites follows, and their size (Itanium C++ ABI:
 * Exception Handling Tables).  False: it is another one.
 */
static bool cleanups_skip(struct bytes *bytes)
{
	uint64_t size;

	if (bytes->end - bytes->at < 4 || bytes->at[0] != 0xff ||
	    bytes->at[1] != 0xff)
		return false;
	bytes->at += 3;
	if (!number_read(bytes, &size) ||
	    size > (uint64_t)(bytes->end - bytes->at))
		return false;
	bytes->at += size;
	return true;
}

/*
 * Does a function handle exceptions of some types?  C has cleanups alone: the C library's, for threads
 * that are cancelled.
 */
static bool has_handlers(Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *scn = section_named(elf, ".gcc_except_table", &header);
	Elf_Data *data = scn && header.sh_type == SHT_PROGBITS
				 ? elf_rawdata(scn, NULL)
				 : NULL;
	struct bytes bytes;

	if (!data || !data->d_buf)
		return false;
	bytes.at = data->d_buf;
	bytes.end = bytes.at + data->d_size;
	while (bytes.at < bytes.end) {
		/* Between two, there may be room. */
		if (!*bytes.at)
			bytes.at++;
		else if (!cleanups_skip(&bytes))
			return true;
	}
	return false;
}

/* Their compilers name it in the tables of a function that handles exceptions or cleans up. */
bool has_exceptions(Elf *elf)
{
	return names_have(elf, ".dynstr", "__gxx_personality_v0") ||
	       names_have(elf, ".strtab", "__gxx_personality_v0") ||
	       names_have(elf, ".strtab", "rust_eh_personality") ||
	       has_handlers(elf);
}
