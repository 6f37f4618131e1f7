/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Sections of a file, by their names. */
#ifndef KT_LIB_SYMBOL_SECTION_H
#define KT_LIB_SYMBOL_SECTION_H

#include <gelf.h>

/* The first of this name, and its header.  NULL: there is none. */
Elf_Scn *section_named(Elf *elf, const char *name, GElf_Shdr *header);

#endif /* KT_LIB_SYMBOL_SECTION_H */
