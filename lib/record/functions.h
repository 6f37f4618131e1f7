/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The types of functions' records: for the metadata, or for whoever follows. */
#ifndef KT_LIB_RECORD_FUNCTIONS_H
#define KT_LIB_RECORD_FUNCTIONS_H

#include <ktrace/writer.h>

#include "session/session.h"

/* All zero at first. */
struct functions {
	uint32_t next; /* that is not written */
	struct session_functions *asked;
};

/*
 * Writes those of the functions that were chosen since the last time.  Sets *@symbols if a
 * record has the address of a function.
 */
int functions_write(struct functions *functions, struct ktrace_session *session,
		    struct ktrace_writer *writer, bool *symbols);
/* Nobody reads what is written: @types ask for those that a record has. */
int functions_ask(struct functions *functions, struct ktrace_session *session,
		  struct ktrace_types *types);
/* Before the types are destroyed. */
void functions_free(struct functions *functions);

#endif /* KT_LIB_RECORD_FUNCTIONS_H */
