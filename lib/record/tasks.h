/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef KT_LIB_RECORD_TASKS_H
#define KT_LIB_RECORD_TASKS_H

#include <ktrace/session.h>
#include <ktrace/writer.h>

/*
 * Tasks that began between the first look and the start have neither a line nor
 * a record.  Those that @before, the text of the first look, knows keep their first line:
 * a new name has a record.
 */
int tasks_complete(struct ktrace_session *session, struct ktrace_writer *writer,
		   const char *before);

#endif /* KT_LIB_RECORD_TASKS_H */
