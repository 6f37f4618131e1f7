// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <string.h>

#include "section.h"

Elf_Scn *section_named(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	const char *found;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, header))
			continue;
		found = elf_strptr(elf, names, header->sh_name);
		if (found && !strcmp(found, name))
			return section;
	}
	return NULL;
}
