/* SPDX-License-Identifier: GPL-2.0-only */
/* Events defined at run time: see define.c.  All under kt_mutex. */
#ifndef KT_KERNEL_SOURCE_DEFINE_H
#define KT_KERNEL_SOURCE_DEFINE_H

struct kt_session;
struct seq_file;

/* The control tree's file `define'; refusals go to @session. */
void kt_define_show(struct seq_file *m);
int kt_define_write(struct kt_session *session, char *text);
void kt_define_clear(void);

#endif /* KT_KERNEL_SOURCE_DEFINE_H */
