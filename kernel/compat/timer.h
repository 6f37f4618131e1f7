/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels: timers. */
#ifndef KT_KERNEL_COMPAT_TIMER_H
#define KT_KERNEL_COMPAT_TIMER_H

#include <linux/hrtimer.h>

#ifndef KT_HAS_HRTIMER_SETUP
static inline void hrtimer_setup(
	struct hrtimer *timer,
	enum hrtimer_restart (*function)(struct hrtimer *), clockid_t clock,
	enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif /* KT_KERNEL_COMPAT_TIMER_H */
