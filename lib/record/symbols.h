/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The names of the kernel's functions, as a trace has them. */
#ifndef KT_LIB_RECORD_SYMBOLS_H
#define KT_LIB_RECORD_SYMBOLS_H

#include <ktrace/session.h>
#include <ktrace/writer.h>

/*
 * As ktrace_writer_symbols(), but with the help of a session it is fast.  *@told is what that
 * says of functions which come and go, for free(): if it is the same again, nothing is written.
 */
int symbols_write(struct ktrace_session *session, struct ktrace_writer *writer,
		  char **told);

#endif /* KT_LIB_RECORD_SYMBOLS_H */
