/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels: definitions of tracepoints. */
#ifndef KT_KERNEL_COMPAT_TRACE_H
#define KT_KERNEL_COMPAT_TRACE_H

/* Newer kernels take the source from __string(). */
#ifdef KT_HAS_ASSIGN_STR_ONE
#define kt_assign_str(item, source) __assign_str(item)
#else
#define kt_assign_str(item, source) __assign_str(item, source)
#endif

#endif /* KT_KERNEL_COMPAT_TRACE_H */
