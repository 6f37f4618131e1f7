/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef KT_LIB_RECORD_TASKS_H
#define KT_LIB_RECORD_TASKS_H

#include <ktrace/session.h>
#include <ktrace/writer.h>

/*
 * Writes the tasks that began between the first listing and the start, which
 * have neither a line nor a record.  Tasks in @before, the text of the first
 * listing, keep their line: if they were renamed since, there is a record.
 */
int tasks_complete(struct ktrace_session *session, struct ktrace_writer *writer,
		   const char *before);

#endif /* KT_LIB_RECORD_TASKS_H */
