/* SPDX-License-Identifier: GPL-2.0-only */
/* The session's file `capture': see captures.c.  Both functions are called under kt_mutex. */
#ifndef KT_KERNEL_SESSION_CAPTURES_H
#define KT_KERNEL_SESSION_CAPTURES_H

struct kt_session;
struct seq_file;

void kt_capture_show(struct seq_file *m, struct kt_session *session);
int kt_capture_write(struct kt_session *session, char *text);

#endif /* KT_KERNEL_SESSION_CAPTURES_H */
