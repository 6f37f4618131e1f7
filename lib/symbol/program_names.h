/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What frames of programs are called: entries KT_STACK_NAME of a trace's stacks
 * (include/uapi/ktrace.h), made from the symbols of the files.
 */
#ifndef KT_LIB_SYMBOL_PROGRAM_NAMES_H
#define KT_LIB_SYMBOL_PROGRAM_NAMES_H

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

#endif /* KT_LIB_SYMBOL_PROGRAM_NAMES_H */
