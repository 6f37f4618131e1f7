/* SPDX-License-Identifier: GPL-2.0-only */
/* What rights are asked for beyond those to the control tree's files: see access.c. */
#ifndef KT_KERNEL_SESSION_ACCESS_H
#define KT_KERNEL_SESSION_ACCESS_H

struct file;
struct kt_kind;
struct kt_session;

/* Asked when a file of the tree is opened: 0, or a locked-down kernel's refusal. */
int kt_access_open(void);
/* Around what a write does: who opened @file is the one whose rights count. */
void kt_access_begin(const struct file *file);
void kt_access_end(void);
/* May who writes read any kernel memory?  Refuses with a reason. */
int kt_access_kernel(struct kt_session *session);

/* The root's file `kernel_reads'. */
extern const struct kt_kind kt_kernel_reads_file;

#endif /* KT_KERNEL_SESSION_ACCESS_H */
