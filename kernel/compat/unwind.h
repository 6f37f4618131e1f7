/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels for who writes functions in assembler. */
#ifndef KT_KERNEL_COMPAT_UNWIND_H
#define KT_KERNEL_COMPAT_UNWIND_H

#include <linux/objtool.h>
#include <linux/types.h>
#include <asm/orc_types.h>

/* Since 6.4 the type comes first. */
#ifdef KT_HAS_UNWIND_TYPE_FIRST
#define KT_UNWIND_HINT(type, reg, offset) UNWIND_HINT(type, reg, offset, 0)
#else
#define KT_UNWIND_HINT(type, reg, offset) UNWIND_HINT(reg, offset, type, 0)
#endif

/* Since 6.15 annotations are in a header of their own. */
#ifdef KT_HAS_ANNOTATE
#include <linux/annotate.h>
#endif

#endif /* KT_KERNEL_COMPAT_UNWIND_H */
