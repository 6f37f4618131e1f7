/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels for who reads registers of the processor. */
#ifndef KT_KERNEL_COMPAT_MSR_H
#define KT_KERNEL_COMPAT_MSR_H

#include <asm/msr.h>

#ifndef rdmsrq
#define rdmsrq(number, value) rdmsrl(number, value)
#endif

#endif /* KT_KERNEL_COMPAT_MSR_H */
