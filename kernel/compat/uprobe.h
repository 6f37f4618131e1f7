/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels for who puts probes into programs. */
#ifndef KT_KERNEL_COMPAT_UPROBE_H
#define KT_KERNEL_COMPAT_UPROBE_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/uprobes.h>

/* Since 6.13, handlers get a word that lasts from the entry of a function to its return. */
#ifdef KT_HAS_UPROBE_DATA
#define KT_UPROBE_HANDLER(name, consumer, regs)                          \
	int name(struct uprobe_consumer *consumer, struct pt_regs *regs, \
		 __u64 *data)
#define KT_URETPROBE_HANDLER(name, consumer, regs)                       \
	int name(struct uprobe_consumer *consumer, unsigned long called, \
		 struct pt_regs *regs, __u64 *data)
#else
#define KT_UPROBE_HANDLER(name, consumer, regs) \
	int name(struct uprobe_consumer *consumer, struct pt_regs *regs)
#define KT_URETPROBE_HANDLER(name, consumer, regs)                       \
	int name(struct uprobe_consumer *consumer, unsigned long called, \
		 struct pt_regs *regs)
#endif

/*
 * What is registered: since 6.12 the kernel's handle of it.  Before, a handle is made of what
 * kt_uprobe_register() got.  @counter: where the file's counter of users is, such as a USDT's
 * semaphore; 0: it has none.  Returns 0 or a negative errno.
 */
struct kt_uprobe {
	struct uprobe *handle;
	struct inode *inode;
	loff_t offset;
};

#ifdef KT_HAS_UPROBE_HANDLE
static inline int kt_uprobe_register(struct kt_uprobe *uprobe,
				     struct inode *inode, loff_t offset,
				     loff_t counter,
				     struct uprobe_consumer *consumer)
{
	uprobe->handle = uprobe_register(inode, offset, counter, consumer);
	return PTR_ERR_OR_ZERO(uprobe->handle);
}

/* Hits may still be handled until kt_uprobes_synchronize(). */
static inline void kt_uprobe_unregister(struct kt_uprobe *uprobe,
					struct uprobe_consumer *consumer)
{
	uprobe_unregister_nosync(uprobe->handle, consumer);
}

static inline void kt_uprobes_synchronize(void)
{
	uprobe_unregister_sync();
}
#else
static inline int kt_uprobe_register(struct kt_uprobe *uprobe,
				     struct inode *inode, loff_t offset,
				     loff_t counter,
				     struct uprobe_consumer *consumer)
{
	uprobe->inode = inode;
	uprobe->offset = offset;
	return uprobe_register_refctr(inode, offset, counter, consumer);
}

static inline void kt_uprobe_unregister(struct kt_uprobe *uprobe,
					struct uprobe_consumer *consumer)
{
	uprobe_unregister(uprobe->inode, uprobe->offset, consumer);
}

/* It has waited each time. */
static inline void kt_uprobes_synchronize(void)
{
}
#endif

#endif /* KT_KERNEL_COMPAT_UPROBE_H */
