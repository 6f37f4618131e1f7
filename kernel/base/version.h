/* SPDX-License-Identifier: GPL-2.0-only */
/* The release.  The kernel-user ABI has its own version, KT_ABI_VERSION. */
#ifndef KT_KERNEL_BASE_VERSION_H
#define KT_KERNEL_BASE_VERSION_H

#define KT_RELEASE "0.1.0"

#endif /* KT_KERNEL_BASE_VERSION_H */
