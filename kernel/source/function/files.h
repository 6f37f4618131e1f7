/* SPDX-License-Identifier: GPL-2.0-only */
/* The source's files in the control tree. */
#ifndef KT_KERNEL_SOURCE_FUNCTION_FILES_H
#define KT_KERNEL_SOURCE_FUNCTION_FILES_H

struct kt_kind;

/* Lists that end with NULL. */
extern const struct kt_kind *const function_root_files[];
extern const struct kt_kind *const function_session_files[];

#endif /* KT_KERNEL_SOURCE_FUNCTION_FILES_H */
