/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Values that are more than a number or a string. */
#ifndef KT_SHOW_VALUE_H
#define KT_SHOW_VALUE_H

#include <ktrace/trace.h>

#include "output.h"

/*
 * An integer by its names, or as its base has it; asks for no more than
 * OUTPUT_ROOM, and asks first.  Of flags those that are set, and what is left in
 * hexadecimal.
 */
void value_integer(struct output *output, const struct ktrace *trace,
		   const struct ktrace_field *field, uint64_t value, bool json);

/* Any value, as its kind and base have it. */
void value_other(struct output *output, const struct ktrace *trace,
		 const struct ktrace_event *event,
		 const struct ktrace_field *field, bool json);

#endif /* KT_SHOW_VALUE_H */
