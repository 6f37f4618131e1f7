/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels for who reads registers of the processor. */
#ifndef KT_KERNEL_COMPAT_MSR_H
#define KT_KERNEL_COMPAT_MSR_H

#include <asm/msr.h>

#ifndef rdmsrq
#define rdmsrq(number, value) rdmsrl(number, value)
#endif

/* Without the tracepoint read_msr, for who is called by events. */
static __always_inline u64 kt_msr_read(u32 number)
{
	return __rdmsr(number);
}

#endif /* KT_KERNEL_COMPAT_MSR_H */
