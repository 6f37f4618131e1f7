/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What frames of programs are called: entries KT_STACK_NAME of a trace's stacks
 * (include/uapi/ktrace.h), made from the symbols of the files.
 */
#ifndef KT_LIB_SYMBOL_PROGRAM_NAMES_H
#define KT_LIB_SYMBOL_PROGRAM_NAMES_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program_tables.h"

/*
 * Calls @put with an entry for each frame of a file in @stacks, the bytes of a session's file
 * `stacks'.  0, -ENOMEM, or what @put returned; -EMFILE or -ENFILE: some names are missing, because
 * no more files could be opened.
 */
int program_names(struct program_tables *tables, const void *stacks,
		  size_t size,
		  int (*put)(void *data, const void *bytes, size_t size),
		  void *data);

/*
 * The debug file of a program that is open as @fd (-1: it is no file) and as @elf; -1 or -errno:
 * it has none.  @servers are asked if it is not here; NULL: nobody is.  *@served: one of these has
 * sent it.
 */
int program_debug_open(const struct program_file *file, int fd, Elf *elf,
		       struct debug_server *servers, bool *served);

#endif /* KT_LIB_SYMBOL_PROGRAM_NAMES_H */
