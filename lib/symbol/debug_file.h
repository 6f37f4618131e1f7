/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The files with debug information: where they are searched, and which are
 * read.
 */
#ifndef KT_LIB_SYMBOL_DEBUG_FILE_H
#define KT_LIB_SYMBOL_DEBUG_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* -EPERM: it is another user's, who may have made it to mislead. */
int debug_file_open(const char *path);
/*
 * That of the program with this build id; -ENOENT: there is none.  Whether it has the same build
 * id is not checked.
 */
int debug_file_open_id(const unsigned char *id, size_t size);
/* For Dwfl_Callbacks. */
int debug_file_find(Dwfl_Module *module, void **data, const char *name,
		    Dwarf_Addr base, const char *program, const char *link,
		    GElf_Word crc, char **found);

#endif /* KT_LIB_SYMBOL_DEBUG_FILE_H */
