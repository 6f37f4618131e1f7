/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the stack of interrupts is. */
#ifndef KT_KERNEL_COMPAT_STACK_H
#define KT_KERNEL_COMPAT_STACK_H

#include <linux/percpu.h>
#include <linux/sched.h>
#include <asm/page_types.h>
#include <asm/processor.h>

/*
 * A per-CPU variable has the address of the stack's last word.  From 6.2 to 6.14 it was part
 * of a struct that is exported; else it is found by its name.
 */
#ifdef KT_HAS_PCPU_HOT
#define KT_IRQ_STACK_DEFINE
#define KT_IRQ_STACK_FIND(find)
#define kt_irq_stack_last() \
	((unsigned long)this_cpu_read(pcpu_hot.hardirq_stack_ptr))
#else
#define KT_IRQ_STACK_DEFINE static unsigned long __percpu *irq_stack
#define KT_IRQ_STACK_FIND(find) \
	(irq_stack = (unsigned long __percpu *)find("hardirq_stack_ptr"))
#define kt_irq_stack_last() (irq_stack ? this_cpu_read(*irq_stack) : 0)
#endif

/* Of this CPU.  If it is not known: an address that no stack has. */
#define kt_irq_stack_bottom() \
	(kt_irq_stack_last() + sizeof(long) - IRQ_STACK_SIZE)

#endif /* KT_KERNEL_COMPAT_STACK_H */
