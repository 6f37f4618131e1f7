/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Conditions on the arguments of functions: function_condition.c. */
#ifndef KT_LIB_SESSION_FUNCTION_CONDITION_H
#define KT_LIB_SESSION_FUNCTION_CONDITION_H

#include "base/text.h"
#include "session.h"

struct function_condition {
	const char *text;
	/* Functions that lack an argument that it names. */
	size_t nr_faults;
	struct text faults;
};

/* The condition as the kernel has it, of this function; or a fault. */
void function_condition_write(struct function_condition *condition,
			      struct text *line, const char *function,
			      const struct function_fields *fields);
/* When all have been written: do all functions have what it names?  Ends it. */
int function_condition_check(struct function_condition *condition);

#endif /* KT_LIB_SESSION_FUNCTION_CONDITION_H */
