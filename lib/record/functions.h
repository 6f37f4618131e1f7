/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The types of functions' records, for the metadata. */
#ifndef KT_LIB_RECORD_FUNCTIONS_H
#define KT_LIB_RECORD_FUNCTIONS_H

#include <ktrace/writer.h>

#include "session/session.h"

/*
 * Writes those of the functions that were chosen since *@next, which is 0 at first.  Sets
 * *@symbols if a record has the address of a function.
 */
int functions_write(struct ktrace_session *session,
		    struct ktrace_writer *writer, uint32_t *next,
		    bool *symbols);

#endif /* KT_LIB_RECORD_FUNCTIONS_H */
