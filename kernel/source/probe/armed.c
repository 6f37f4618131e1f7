// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel has made of a kprobe: armed.h.
 *
 * Mostly, the kernel puts one of its own at the place, and keeps ours in a list of that one, which
 * alone has the flags that say how it is hit.
 */
#include <linux/kprobes.h>
#include <linux/rcupdate.h>
#include <linux/static_call.h>

#include "armed.h"
#include "base/symbol.h"

DEFINE_STATIC_CALL_RET0(probe_at, get_kprobe);

bool armed_init(void)
{
	unsigned long address = kt_symbol("get_kprobe");

	if (!address)
		return false;
	static_call_update(probe_at, (void *)address);
	return true;
}

/* A jump is made late, when no task can be in the middle of what it replaces. */
static bool is_jump(const struct kprobe *whole)
{
#ifdef CONFIG_OPTPROBES
	return (whole->flags & KPROBE_FLAG_OPTIMIZED) &&
	       list_empty(
		       &container_of(whole, struct optimized_kprobe, kp)->list);
#else
	return false;
#endif
}

const char *armed_way(const struct kprobe *kprobe)
{
	const struct kprobe *whole;
	const char *way = NULL;

	/* The kernel keeps its own while it has ours, but the list may change. */
	rcu_read_lock();
	whole = static_call(probe_at)(kprobe->addr);
	if (whole &&
	    !(whole->flags & (KPROBE_FLAG_DISABLED | KPROBE_FLAG_GONE)))
		way = whole->flags & KPROBE_FLAG_FTRACE ? "ftrace"
		      : is_jump(whole)			? "jump"
							: "breakpoint";
	rcu_read_unlock();
	return way;
}
