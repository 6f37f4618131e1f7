/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The code of a program's file: where it is, and where its instructions begin. */
#ifndef KT_LIB_PROBE_PROGRAM_CODE_H
#define KT_LIB_PROBE_PROGRAM_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "place.h"
#include "symbol/program_functions.h"

/* So much code may be read to see where instructions begin. */
#define CODE_MAX (256u << 20)

/* In which bytes of the file is what is at the address?  @code: it is run.  False: in none. */
bool code_offset(const struct program_functions *f, uint64_t address, bool code,
		 uint64_t *offset);
/* How many bytes the @i-th function has; 0: not known. */
uint64_t code_size(const struct program_functions *f, size_t i);
/* Of the function that begins there; 0: none does, or not known. */
uint64_t code_size_at(const struct program_functions *f, uint64_t address);
/* Where the section of code begins that has the address.  False: none has. */
bool code_section(const struct program_functions *f, uint64_t address,
		  uint64_t *begin);
/*
 * The kernel would put its breakpoint into the middle of an instruction, which becomes another one
 * then.  So this goes through all instructions from one that is known to that of the place.
 * -EINVAL, with a message; @path is for that.
 */
int code_check(const struct program_functions *f, const char *path,
	       const struct place *place);
/* Would the kernel have a uprobe on the instruction? */
bool code_is_taken(const struct program_functions *f, bool is_32,
		   uint64_t offset);

#endif /* KT_LIB_PROBE_PROGRAM_CODE_H */
