// SPDX-License-Identifier: GPL-2.0-only OR MIT
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

/* What their compilers name in the tables of a function that handles exceptions or cleans up. */
bool has_exceptions(Elf *elf)
{
	return names_have(elf, ".dynstr", "__gxx_personality_v0") ||
	       names_have(elf, ".strtab", "__gxx_personality_v0") ||
	       names_have(elf, ".strtab", "rust_eh_personality");
}
