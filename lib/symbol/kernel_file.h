/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The files with the debug information of the running kernel and of its modules. */
#ifndef KT_LIB_SYMBOL_KERNEL_FILE_H
#define KT_LIB_SYMBOL_KERNEL_FILE_H

#include <stddef.h>

/*
 * It is where packages and builds put it, and has the kernel's build id.  -ENOENT: there is none;
 * others: as debug_file_open().
 */
int kernel_file_open(void);
/* The same of a module that is loaded; its own file, if that has the information. */
int module_file_open(const char *module);

/*
 * A file that somebody has named: that of the kernel, then *@module is "", or of a module that is
 * loaded, by its build id.  Returns it open.  -EINVAL: it is of none; -errno.  With a message.
 */
int kernel_file_said(const char *path, char *module, size_t size);

#endif /* KT_LIB_SYMBOL_KERNEL_FILE_H */
