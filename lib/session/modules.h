/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the rest of the control side knows of modules. */
#ifndef KT_LIB_SESSION_MODULES_H
#define KT_LIB_SESSION_MODULES_H

#include <stdbool.h>
#include <stddef.h>

/* Where the control tree is mounted. */
extern const char session_root_default[];

bool module_is_loaded(const char *name);
/* How far the kernel is locked down; -ENOENT: not at all. */
int module_lockdown(char *mode, size_t size);

#endif /* KT_LIB_SESSION_MODULES_H */
