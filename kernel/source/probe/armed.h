/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel has made of a kprobe that it took. */
#ifndef KT_KERNEL_SOURCE_ARMED_H
#define KT_KERNEL_SOURCE_ARMED_H

#include <linux/types.h>

struct kprobe;

/* Why ftrace calls nobody; NULL: it does. */
const char *armed_ftrace_off(void);

/* False: the kernel does not tell. */
bool armed_init(void);

/* How it is hit: "jump", "ftrace" or "breakpoint".  NULL: it is not. */
const char *armed_way(const struct kprobe *kprobe);
/* Why it is not hit; NULL: it is. */
const char *armed_obstacle(const struct kprobe *kprobe);

#endif /* KT_KERNEL_SOURCE_ARMED_H */
