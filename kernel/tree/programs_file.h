/* SPDX-License-Identifier: GPL-2.0-only */
/* The file `programs' of the control tree: see programs_file.c. */
#ifndef KT_KERNEL_TREE_PROGRAMS_FILE_H
#define KT_KERNEL_TREE_PROGRAMS_FILE_H

extern const struct kt_kind kt_programs_file;

#endif /* KT_KERNEL_TREE_PROGRAMS_FILE_H */
