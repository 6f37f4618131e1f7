/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capture programs of a session's functions (core/capture.h): what is copied from the memory
 * that arguments point to.  Thousands of functions may have the same program, so one exists
 * once, with a number.
 */
#ifndef KT_KERNEL_SOURCE_FUNCTION_PROGRAM_H
#define KT_KERNEL_SOURCE_FUNCTION_PROGRAM_H

#include <linux/types.h>

struct kt_capturing;
struct kt_session;

/* Does not change, and lives as long as the session's functions. */
struct function_program {
	u32 number;
	u8 words; /* of arguments, behind which the program writes */
	struct kt_capturing *capturing;
};

struct function_programs {
	struct function_program **all; /* by number */
	u32 nr;
	u32 room;
};

/*
 * The program of this text, for so many words; made if need be.  @name is for messages.
 * NULL: refused, with *@err.
 */
const struct function_program *program_get(struct function_programs *programs,
					   struct kt_session *session,
					   const char *name, const char *text,
					   u8 words, int *err);
const char *program_text(const struct function_program *program);
/* No function has those from number @nr on. */
void programs_cut(struct function_programs *programs, u32 nr);
void programs_free(struct function_programs *programs);

#endif /* KT_KERNEL_SOURCE_FUNCTION_PROGRAM_H */
