/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the linker has put into a file, so that its debug file can be found. */
#ifndef KT_LIB_SYMBOL_BUILD_ID_H
#define KT_LIB_SYMBOL_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

struct build_id {
	unsigned char bytes[64];
	size_t size;
};

/*
 * That of a file of ELF notes, as the kernel's (/sys/kernel/notes).  False: @path has none.
 */
bool build_id_read(const char *path, struct build_id *id);
/* That of a module that is loaded. */
bool build_id_module(const char *module, struct build_id *id);

#endif /* KT_LIB_SYMBOL_BUILD_ID_H */
