/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What makes jumps of kprobes, in the background.  A pass of it keeps the lock that registering a
 * kprobe takes, and waits under it until no task can be in the middle of an instruction, which may
 * last a second.
 */
#ifndef KT_KERNEL_SOURCE_OPTIMIZER_H
#define KT_KERNEL_SOURCE_OPTIMIZER_H

void optimizer_init(void);

/*
 * Puts its passes off until optimizer_release(), or for some seconds, so that many kprobes need not
 * wait for it one after the other.  To be called for each: it puts them off anew if that is long ago.
 * Jumps that others want have to wait, too: in kernels where it is a work until the release, where it
 * is a thread for ten seconds.  There it may wait for a pass that is being made, five seconds at most.
 * Under kt_mutex.
 */
void optimizer_hold(void);
void optimizer_release(void);

/*
 * Waits until the kernel has changed back what it has made of kprobes that were taken away.  If they
 * are in a module that goes meanwhile, it keeps them for ever, and a module that comes to the same
 * address meets them.
 */
void optimizer_settle(void);

#endif /* KT_KERNEL_SOURCE_OPTIMIZER_H */
