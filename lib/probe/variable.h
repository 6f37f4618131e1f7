/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the names in a probe's expressions mean: parameters, registers, results, the stack. */
#ifndef KT_LIB_PROBE_VARIABLE_H
#define KT_LIB_PROBE_VARIABLE_H

#include <bpf/btf.h>
#include <stdbool.h>

#include "debug_location.h"
#include "place.h"
#include "session/expression.h"

/* Where they are meant. */
struct scope {
	const struct place *place;
	const struct btf *btf;
	const struct btf_type *proto; /* of the function; NULL: not known */
	bool bare; /* set by a name that is a word of which no more is known */
	bool sourceless; /* set by one that debugging information might know, which is not read */
};

/* An expression_name; @scope is the data. */
int variable_begin(void *scope, const char *name, struct expression *e);

/* The instruction, for debugging information, which there must be. */
struct debug_where variable_where(const struct scope *scope);

/* Are parameters known at the place?  -EINVAL, with why not; @name is for the message. */
int parameters_check(const struct scope *scope, const char *name);
/* The error if the function's type is not known. */
int parameters_unknown(const struct scope *scope, const char *name);

/* Of the @index-th, from 0 on.  "": it has none. */
const char *parameter_name(const struct scope *scope, int index);
/* Where it is: *@nr words from *@word on.  False: nobody knows. */
bool parameter_find(const struct scope *scope, int index, unsigned int *word,
		    unsigned int *nr);
int parameter_begin(struct scope *scope, int index, struct expression *e);

/* Words that push the word @nr of all arguments. */
void argument_words(const struct place *place, unsigned int nr, char *words,
		    size_t size);

#endif /* KT_LIB_PROBE_VARIABLE_H */
