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

/* NULL: not known. */
static const int *ftrace_on;
static const bool *all_off;

bool armed_init(void)
{
	unsigned long address = kt_symbol("get_kprobe");

	if (!address)
		return false;
	static_call_update(probe_at, (void *)address);
	ftrace_on = (const int *)kt_symbol("ftrace_enabled");
	all_off = (const bool *)kt_symbol("kprobes_all_disarmed");
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

const char *armed_ftrace_off(void)
{
	return ftrace_on && !READ_ONCE(*ftrace_on)
		       ? "the kernel's function tracer is off "
			 "(sysctl kernel.ftrace_enabled)"
		       : NULL;
}

/* NULL: not armed, and @why says why not. */
static const char *way_of(const struct kprobe *whole, const char **why)
{
	if (all_off && READ_ONCE(*all_off)) {
		*why = "the kernel's probes are off (debugfs kprobes/enabled)";
		return NULL;
	}
	/* 7.3 does not always tell that it has failed. */
	if (!whole ||
	    whole->flags & (KPROBE_FLAG_DISABLED | KPROBE_FLAG_GONE)) {
		*why = "the kernel could not arm it";
		return NULL;
	}
	if (!(whole->flags & KPROBE_FLAG_FTRACE))
		return is_jump(whole) ? "jump" : "breakpoint";
	*why = armed_ftrace_off();
	return *why ? NULL : "ftrace";
}

static const char *way_find(const struct kprobe *kprobe, const char **why)
{
	const char *way;

	/* It keeps that of the kernel's, but not the list in which that is found. */
	rcu_read_lock();
	way = way_of(static_call(probe_at)(kprobe->addr), why);
	rcu_read_unlock();
	return way;
}

const char *armed_way(const struct kprobe *kprobe)
{
	const char *why;

	return way_find(kprobe, &why);
}

const char *armed_obstacle(const struct kprobe *kprobe)
{
	const char *why = NULL;

	way_find(kprobe, &why);
	return why;
}
