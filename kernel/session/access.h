/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of rights, beyond the permissions of the control tree's files: see access.c. */
#ifndef KT_KERNEL_SESSION_ACCESS_H
#define KT_KERNEL_SESSION_ACCESS_H

#include <linux/types.h>

struct file;
struct kt_kind;
struct kt_session;

/* To be asked when a file of the tree is opened.  0, or the error of a locked-down kernel. */
int kt_access_open(void);
/* Called before and after a write is carried out: the rights of who opened @file count. */
void kt_access_begin(const struct file *file);
void kt_access_end(void);
/* The file that is being written. */
const struct file *kt_access_file(void);
/* May the writer read any kernel memory?  If not, refuses with a reason. */
int kt_access_kernel(struct kt_session *session);
/* May the writer have probes in programs?  Otherwise refuses, with the reason. */
int kt_access_programs(struct kt_session *session);
/* The same of a file that is about to be written to; not under kt_mutex. */
bool kt_access_programs_of(const struct file *file);

/* May the writer see which branches programs take?  Otherwise refuses, with the reason. */
int kt_access_branches(struct kt_session *session);

/* May the writer do to the kernel's code what a module could? */
bool kt_access_code(void);

/* The root's file `kernel_reads'. */
extern const struct kt_kind kt_kernel_reads_file;

#endif /* KT_KERNEL_SESSION_ACCESS_H */
