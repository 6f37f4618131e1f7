// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's rethook: rethook.h.  It is not exported, and called as symbol.c describes.
 *
 * fprobe, which is exported, would do the same where it is configured (not in Debian's
 * 6.1).  But its set of functions is fixed, and its way to a handler is longer: 515
 * instructions for entry and exit on 6.12 where this takes 416, and 693 for 437 on 7.2.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>

#include "hooked_return.h"
#include "rethook.h"
#include "symbol.h"

DEFINE_STATIC_CALL_NULL(kt_rethook_alloc, rethook_alloc);
DEFINE_STATIC_CALL_NULL(kt_rethook_release, rethook_free);
DEFINE_STATIC_CALL_NULL(kt_rethook_try_get, rethook_try_get);
EXPORT_STATIC_CALL_GPL(kt_rethook_try_get);
DEFINE_STATIC_CALL_NULL(kt_rethook_hook, rethook_hook);
EXPORT_STATIC_CALL_GPL(kt_rethook_hook);
KT_RETHOOK_DEFINE
DEFINE_STATIC_CALL_RET0(rethook_blacklisted, within_kprobe_blacklist);

static unsigned long
	forbidden_at[ARRAY_SIZE(kt_hooked_returns)]; /* 0: not in this kernel */

/* A function may begin with a landing pad (IBT); what is hooked is behind it. */
#define PAD 4

/* Holds the list of where there may be no kprobe.  NULL: the kernel does not tell. */
static struct mutex *kprobe_mutex_at;

const char *kt_rethook_obstacle(unsigned long address)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forbidden_at); i++) {
		if (forbidden_at[i] && address - forbidden_at[i] <= PAD)
			return kt_hooked_returns[i].why;
	}
	return NULL;
}
EXPORT_SYMBOL_GPL(kt_rethook_obstacle);

/*
 * Also all in which there may be no kprobe.  Among them are those that hook a return for a
 * kretprobe: that of a call further out on the stack.  Their own return would be the next,
 * but the list of hooked returns would have the other one first: a wrong return address.
 */
bool kt_rethook_forbids(unsigned long address)
{
	bool forbids;

	if (kt_rethook_obstacle(address))
		return true;
	/* The list shrinks when a module goes. */
	if (kprobe_mutex_at)
		mutex_lock(kprobe_mutex_at);
	forbids = static_call(rethook_blacklisted)(address);
	if (kprobe_mutex_at)
		mutex_unlock(kprobe_mutex_at);
	return forbids;
}
EXPORT_SYMBOL_GPL(kt_rethook_forbids);

#define find(call, name)                                   \
	do {                                               \
		unsigned long address = kt_symbol(name);   \
                                                           \
		if (!address)                              \
			return "the kernel has no " name;  \
		static_call_update(call, (void *)address); \
	} while (0)

const char *kt_rethook_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kt_hooked_returns); i++)
		forbidden_at[i] = kt_symbol(kt_hooked_returns[i].name);
	kprobe_mutex_at = (struct mutex *)kt_symbol("kprobe_mutex");
	find(rethook_blacklisted, "within_kprobe_blacklist");
	find(kt_rethook_alloc, "rethook_alloc");
	find(kt_rethook_release, "rethook_free");
	find(kt_rethook_try_get, "rethook_try_get");
	find(kt_rethook_hook, "rethook_hook");
	KT_RETHOOK_FIND(find);
	return NULL;
}
EXPORT_SYMBOL_GPL(kt_rethook_init);

struct rethook *kt_rethook_make(void *data, rethook_handler_t handler, int size,
				int nr)
{
	struct rethook *rethook = kt_rethook_new(data, handler, size, nr);

	return IS_ERR(rethook) ? NULL : rethook;
}
EXPORT_SYMBOL_GPL(kt_rethook_make);

void kt_rethook_free(struct rethook *rethook)
{
	if (rethook)
		static_call(kt_rethook_release)(rethook);
}
EXPORT_SYMBOL_GPL(kt_rethook_free);
