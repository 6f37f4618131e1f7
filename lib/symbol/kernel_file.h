/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The file with the debug information of the running kernel. */
#ifndef KT_LIB_SYMBOL_KERNEL_FILE_H
#define KT_LIB_SYMBOL_KERNEL_FILE_H

/*
 * It is where packages and builds put it, and has the kernel's build id.  -ENOENT: there is none;
 * others: as debug_file_open().
 */
int kernel_file_open(void);

#endif /* KT_LIB_SYMBOL_KERNEL_FILE_H */
