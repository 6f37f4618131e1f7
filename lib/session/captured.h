/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The fields that a capture program adds to a record: captured.c. */
#ifndef KT_LIB_SESSION_CAPTURED_H
#define KT_LIB_SESSION_CAPTURED_H

#include "base/arena.h"
#include "prototype.h"

/* Two masks, and a field for each of the program's. */
#define CAPTURED_FIELDS 18

/*
 * What the @program puts behind @offset bytes.  Names are put into @arena, or are those of
 * @p, which may be NULL.  Returns the number of fields; 0: out of memory.
 */
unsigned int captured_fields(struct prototypes *p, const char *program,
			     uint32_t offset,
			     struct ktrace_field fields[CAPTURED_FIELDS],
			     struct arena *arena);
/* Bytes that are always there (core/capture.h). */
uint32_t captured_size(unsigned int nr_fields);

#endif /* KT_LIB_SESSION_CAPTURED_H */
