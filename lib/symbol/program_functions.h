/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The functions of a program or library, by its tables of symbols. */
#ifndef KT_LIB_SYMBOL_PROGRAM_FUNCTIONS_H
#define KT_LIB_SYMBOL_PROGRAM_FUNCTIONS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program_tables.h"
#include "source_place.h"

struct program_function {
	uint64_t begin, size;
	const char *name;
	bool indirect; /* it says which function is to be called */
};

struct program_functions {
	int fd, debug_fd; /* negative: not open */
	bool trusted;	  /* the file is root's or ours, of our own mounts */
	int err;	  /* 0, or -errno: no more files could be opened */
	struct debug_server *servers;
	bool asked;  /* these, for this file */
	bool served; /* they have sent the debug file */
	Elf *elf;
	Elf *debug; /* its debug file, or its .gnu_debugdata */
	struct program_function *all; /* by begin */
	size_t nr;
	struct source_places *places; /* NULL: not known */
};

/*
 * @servers are asked for a debug file that is needed and not here; NULL: nobody is.  What is not
 * known is not there: functions without names, no places of the source.
 */
void program_functions_open(struct program_functions *f,
			    const struct program_file *file,
			    struct debug_server *servers);
void program_functions_close(struct program_functions *f);

/* Where the byte of the file is when it runs, but for what a loader adds.  False: nowhere. */
bool program_address(const struct program_functions *f, uint64_t offset,
		     uint64_t *address);
/*
 * @back: 1 behind a call, which may be the last instruction of its function; 0 for an
 * instruction itself.  NULL: not known.
 */
const char *program_function_find(const struct program_functions *f,
				  uint64_t offset, uint64_t back,
				  uint64_t *behind);

/*
 * The debug file of a program that is open as @fd (-1: it is no file) and as @elf; -1 or -errno:
 * it has none.  @servers are asked if it is not here; NULL: nobody is.  *@served: one of these has
 * sent it.
 */
int program_debug_open(const struct program_file *file, int fd, Elf *elf,
		       struct debug_server *servers, bool *served);

#endif /* KT_LIB_SYMBOL_PROGRAM_FUNCTIONS_H */
