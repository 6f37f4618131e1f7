/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The files with debug information: where they are searched, and which are
 * read.
 */
#ifndef KT_LIB_SYMBOL_DEBUG_FILE_H
#define KT_LIB_SYMBOL_DEBUG_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/*
 * All: -EMFILE or -ENFILE: it is not known (too_many_open()).
 *
 * -EPERM: it is another user's, who may have made it to mislead.
 */
int debug_file_open(const char *path);
/*
 * That of the program with this build id; -ENOENT: there is none.  Whether it has the same build
 * id is not checked.
 */
int debug_file_open_id(const unsigned char *id, size_t size);
/*
 * That which the @program, of this path and with this build id (@size 0: none), has a link to, if
 * it belongs to it; -ENOENT: there is none.
 */
int debug_file_open_link(Elf *program, const char *path,
			 const unsigned char *id, size_t size);
/* May its owner make us read what takes much memory? */
bool debug_file_trusted(int fd);
/* For Dwfl_Callbacks. */
int debug_file_find(Dwfl_Module *module, void **data, const char *name,
		    Dwarf_Addr base, const char *program, const char *link,
		    GElf_Word crc, char **found);

#endif /* KT_LIB_SYMBOL_DEBUG_FILE_H */
