/* SPDX-License-Identifier: GPL-2.0-only */
/* The session's file `capture': see captures.c.  All functions are called under kt_mutex. */
#ifndef KT_KERNEL_SESSION_CAPTURES_H
#define KT_KERNEL_SESSION_CAPTURES_H

struct kt_capturing;
struct kt_class;
struct kt_session;
struct seq_file;

/*
 * A program for probes of this class, whose own part of a payload has the class's size.
 * @name is for messages.  NULL: refused, with *@err.
 */
struct kt_capturing *kt_capturing_make(struct kt_session *session,
				       const char *name,
				       const struct kt_class *class,
				       const char *text, int *err);

void kt_capture_show(struct seq_file *m, struct kt_session *session);
int kt_capture_write(struct kt_session *session, char *text);

#endif /* KT_KERNEL_SESSION_CAPTURES_H */
