/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Values that need more than a copy: with names, quotes or a base. */
#ifndef KT_SHOW_VALUE_H
#define KT_SHOW_VALUE_H

#include <ktrace/trace.h>

#include "output.h"

/*
 * Writes an integer with its names, or in its base.  Flags: the names of those
 * that are set, then the rest in hexadecimal.  Calls output_room() itself, for
 * at most OUTPUT_ROOM.
 */
void value_integer(struct output *output, const struct ktrace *trace,
		   const struct ktrace_field *field, uint64_t value, bool json);

/* Writes an element of an array, which is at @s. */
void value_element(struct output *output, const struct ktrace *trace,
		   const struct ktrace_field *array, const uint8_t *s,
		   bool json);

/* Writes a value of any other kind. */
void value_other(struct output *output, const struct ktrace *trace,
		 const struct ktrace_event *event,
		 const struct ktrace_field *field, bool json);

#endif /* KT_SHOW_VALUE_H */
