/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* For the rest of lib/session: questions about modules and the kernel. */
#ifndef KT_LIB_SESSION_MODULES_H
#define KT_LIB_SESSION_MODULES_H

#include <stdbool.h>
#include <stddef.h>

/* Where the control tree is mounted by default. */
extern const char session_root_default[];

bool module_is_loaded(const char *name);
/* Is it a part of the kernel, so that it can never be loaded?  False, too: nothing tells. */
bool module_is_builtin(const char *name);
/* The kernel's lockdown mode.  -ENOENT: it is not locked down. */
int module_lockdown(char *mode, size_t size);

#endif /* KT_LIB_SESSION_MODULES_H */
