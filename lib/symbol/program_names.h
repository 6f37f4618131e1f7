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

/* Of a recording that goes on: what has names already, and what may get one later. */
struct program_names_early;

struct program_names_early *program_names_early_create(
	void); /* NULL: no memory */
void program_names_early_destroy(struct program_names_early *early);

/*
 * Calls @put with an entry for each frame that had none before; @bytes are entries that have come
 * since, without the file's head.  Files stay open for the next call, and code that programs make
 * is asked for once a second.  0, -ENOMEM, or what @put returned.
 */
int program_names_early(struct program_names_early *early,
			struct program_tables *tables, const void *bytes,
			size_t size,
			int (*put)(void *data, const void *bytes, size_t size),
			void *data);

#endif /* KT_LIB_SYMBOL_PROGRAM_NAMES_H */
