/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every family includes first, in the order in which the compiler sees it: the headers
 * that kbuild puts before any source, then base.h.  Kbuild.prefix compiles this once for
 * all families.
 */
#ifndef KT_KERNEL_SOURCE_TRACEPOINT_PREFIX_BASE_H
#define KT_KERNEL_SOURCE_TRACEPOINT_PREFIX_BASE_H

#ifndef __LINUX_COMPILER_VERSION_H
#include <linux/compiler-version.h>
#endif
#include <linux/kconfig.h>
#include <linux/compiler_types.h>

#include "base.h"

/* Kbuild includes compiler-version.h again, and it must come first. */
#undef __LINUX_COMPILER_VERSION_H

#endif /* KT_KERNEL_SOURCE_TRACEPOINT_PREFIX_BASE_H */
