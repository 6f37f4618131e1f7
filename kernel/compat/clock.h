/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels: time. */
#ifndef KT_KERNEL_COMPAT_CLOCK_H
#define KT_KERNEL_COMPAT_CLOCK_H

#include <linux/timekeeping.h>

#ifndef KT_HAS_SNAPSHOT_ID
static inline void ktime_get_snapshot_id(clockid_t id,
					 struct system_time_snapshot *snapshot)
{
	ktime_get_snapshot(snapshot);
}
#endif

#endif /* KT_KERNEL_COMPAT_CLOCK_H */
