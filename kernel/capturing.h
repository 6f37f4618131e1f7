/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sessions capture: the programs (core/capture.h) that they have attached to
 * events.  An event with a program has fields of its own in that session.
 */
#ifndef KT_KERNEL_CAPTURING_H
#define KT_KERNEL_CAPTURING_H

#include "capture.h"
#include "event.h"

struct kt_session;
struct seq_file;

/* Constant once it is made. */
struct kt_capturing {
	struct kt_class class; /* the event's, with the program's fields */
	struct kt_capture program;
	char *text; /* as written */
};

void kt_capturing_free(struct kt_capturing *capturing);

/* The fields that the event has in a session; @enabled may be NULL. */
const struct kt_class *kt_capture_class(const struct kt_entry *entry,
					const struct kt_enabled *enabled);

/* The session's file `capture', under kt_mutex. */
void kt_capture_show(struct seq_file *m, struct kt_session *session);
int kt_capture_write(struct kt_session *session, char *text);

#endif /* KT_KERNEL_CAPTURING_H */
