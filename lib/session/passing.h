/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where a call passes its arguments, and its result: passing.c. */
#ifndef KT_LIB_SESSION_PASSING_H
#define KT_LIB_SESSION_PASSING_H

#include <bpf/btf.h>
#include <stdbool.h>

/* How a value is passed. */
enum passing_class {
	PASSING_NOTHING, /* it has no bytes */
	PASSING_WORDS,	 /* in one register, or in two that follow each other */
	PASSING_MEMORY, /* on the stack; a result, where a hidden argument points to */
	PASSING_UNKNOWN,
};

enum passing_class passing_class(const struct btf *btf, __u32 id);

/* Words 0 to 5 are the registers, in the order of arguments; further ones are on the stack. */
#define PASSING_REGISTERS 6

/* What the arguments so far have taken. */
struct passing {
	unsigned int registers;
	unsigned int stack;
	bool lost; /* since an argument that is passed in a way that is not known */
};

/* @result: type of the result; it decides where the first argument is. */
void passing_begin(struct passing *passing, const struct btf *btf,
		   __u32 result);
/*
 * The next argument has *@nr words from *@word on.  False: it is not known where it is.
 */
bool passing_next(struct passing *passing, const struct btf *btf, __u32 id,
		  unsigned int *word, unsigned int *nr);

#endif /* KT_LIB_SESSION_PASSING_H */
