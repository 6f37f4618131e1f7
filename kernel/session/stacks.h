/* SPDX-License-Identifier: GPL-2.0-only */
/* The session's stacks and its file `stack': see stacks.c.  All is called under kt_mutex. */
#ifndef KT_KERNEL_SESSION_STACKS_H
#define KT_KERNEL_SESSION_STACKS_H

#include <linux/types.h>

struct kt_enabled;
struct kt_session;
struct seq_file;

void kt_stack_file_show(struct seq_file *m, struct kt_session *session);
int kt_stack_file_write(struct kt_session *session, char *text);

/* Bytes for stacks. */
int kt_stack_size_change(struct kt_session *session, u32 bytes);

/* The line of the file `overflow': events without the stack that they should have. */
void kt_stacks_show_missed(struct seq_file *m,
			   const struct kt_session *session);

/* The session's buffers are empty, and none of its probes is attached. */
void kt_stacks_forget(struct kt_session *session);

#endif /* KT_KERNEL_SESSION_STACKS_H */
