// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes where functions of the kernel's image begin.  As kprobes, the kernel would have ftrace call
 * them, too, but arms them one by one, and goes through all that ftrace can change each time.  So
 * here all probes of all sessions have one ftrace_ops, whose filter is replaced once for a batch.
 *
 * What a hit sees is what a kprobe there would see.  It also counts as one: while it is handled, the
 * CPU has a kprobe running, as far as the kernel knows.  So kprobes that are hit meanwhile are
 * missed, also those of others; and so is a hit here while a kprobe is handled.
 *
 * A hit finds the probes by the address, without a lock, in any context: in a hash table that is
 * replaced when some are added.  Those that go leave their slot empty.  So it does not matter if
 * ftrace cannot stop calling: nothing is found then.  All but the hits is under kt_mutex.
 *
 * Returns of such functions are hooked there by the kernel's rethook, as by a kretprobe, so they are
 * hit and missed as those of any kretprobe.  To register one of those takes the kernel several
 * milliseconds of an emulated processor: it goes through all its static branches and warnings.
 *
 * Functions of modules are left to kprobes: with the module go its addresses.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/static_call.h>

#include "armed.h"
#include "base/rethook.h"
#include "base/symbol.h"
#include "compat/function.h"
#include "entries.h"
#include "hit.h"
#include "probe.h"
#include "returns.h"
#include "session/session.h"

struct slot {
	unsigned long ip;    /* 0: whoever searches need not go on */
	struct probe *probe; /* NULL: it has gone */
};

struct table {
	u64 mask; /* of indices: how many there are - 1 */
	struct slot at[];
};

static struct table *table; /* NULL: there is none */
static unsigned int nr_armed;

/* Functions are aligned to 16 bytes. */
static __always_inline u64 slot_first(const struct table *table,
				      unsigned long ip)
{
	return ip >> 4 & table->mask;
}

/* ---- hits ----------------------------------------------------------------- */

/* The kernel's, one for each CPU: which kprobe is handled, and how far that is. */
static struct kprobe *__percpu *running_at;
static struct kprobe_ctlblk __percpu *state_at;

/* That it is one of ours. */
static struct kprobe running;

/* @regs: NULL, if it is missed. */
static __always_inline void probes_hit(unsigned long ip, struct pt_regs *regs)
{
	const struct table *probes = READ_ONCE(table);
	struct probe *probe;
	unsigned long there;
	u64 at;

	if (unlikely(!probes))
		return;
	at = slot_first(probes, ip);
	for (; (there = probes->at[at].ip); at = (at + 1) & probes->mask) {
		if (there != ip)
			continue;
		probe = READ_ONCE(probes->at[at].probe);
		if (unlikely(!probe))
			continue;
		if (!regs)
			atomic64_inc(&probe->nested);
		else if (likely(!probe->returns))
			probe_hit(probe, regs, ip);
		else
			return_hook(probe, regs);
	}
}

static noinline __kprobes void probes_miss(unsigned long ip)
{
	probes_hit(ip, NULL);
}

/* Until hit_end(), kprobes that are hit on this CPU are missed. */
static __always_inline void hit_begin(struct kprobe **handled)
{
	/* First: who finds the other one looks at this. */
	WRITE_ONCE(raw_cpu_ptr(state_at)->kprobe_status, KPROBE_HIT_ACTIVE);
	barrier();
	WRITE_ONCE(*handled, &running);
	barrier();
}

static __always_inline void hit_end(struct kprobe **handled)
{
	barrier();
	WRITE_ONCE(*handled, NULL);
}

/* No kprobe is handled here: then the call would not have been hooked. */
static __kprobes KT_RETHOOK_HANDLER(function_returned, node, data, address,
				    regs)
{
	struct kprobe **handled = raw_cpu_ptr(running_at);
	struct probe *probe;

	hit_begin(handled);
	probe = return_probe(node);
	if (likely(probe))
		probe_hit(probe, regs, node->ret_addr);
	hit_end(handled);
}

static __kprobes void function_hit(unsigned long ip, unsigned long caller,
				   struct ftrace_ops *ops,
				   struct ftrace_regs *fregs)
{
	struct pt_regs *regs = kt_function_registers(fregs);
	unsigned long before = regs->ip;
	struct kprobe **handled;

	preempt_disable_notrace();
	handled = raw_cpu_ptr(running_at);
	if (unlikely(READ_ONCE(*handled))) {
		probes_miss(ip);
	} else {
		hit_begin(handled);
		/* As behind a breakpoint. */
		regs->ip = ip + sizeof(kprobe_opcode_t);
		probes_hit(ip, regs);
		regs->ip = before;
		hit_end(handled);
	}
	preempt_enable_notrace();
}

/* ---- places --------------------------------------------------------------- */

DEFINE_STATIC_CALL_NULL(entry_range, ftrace_location_range);
DEFINE_STATIC_CALL_NULL(entry_symbol, kallsyms_lookup_size_offset);
DEFINE_STATIC_CALL_NULL(entry_forbidden, within_kprobe_blacklist);
DEFINE_STATIC_CALL_NULL(entry_is_first, kprobe_on_func_entry);

/* Holds the list of where there may be no kprobe. */
static struct mutex *kprobe_mutex_at;

/* Is something missing that is needed? */
static bool unsupported = true;
/* The same for returns: what the kernel lacks. */
static const char *no_returns;

void entries_init(const char *lacks)
{
	unsigned long range = kt_symbol("ftrace_location_range");
	unsigned long symbol = kt_symbol("kallsyms_lookup_size_offset");
	unsigned long forbidden = kt_symbol("within_kprobe_blacklist"), first;

	running_at = (struct kprobe * __percpu *)kt_symbol("current_kprobe");
	state_at = (struct kprobe_ctlblk __percpu *)kt_symbol("kprobe_ctlblk");
	kprobe_mutex_at = (struct mutex *)kt_symbol("kprobe_mutex");
	if (!range || !symbol || !forbidden || !running_at || !state_at ||
	    !kprobe_mutex_at)
		return;
	static_call_update(entry_range, (void *)range);
	static_call_update(entry_symbol, (void *)symbol);
	static_call_update(entry_forbidden, (void *)forbidden);
	unsupported = false;
	no_returns = lacks;
	first = kt_symbol("kprobe_on_func_entry");
	if (first)
		static_call_update(entry_is_first, (void *)first);
}

bool entry_hooks_returns(void)
{
	return !unsupported && !no_returns && static_call_query(entry_is_first);
}

int entry_begins(unsigned long address)
{
	return static_call(entry_is_first)((kprobe_opcode_t *)address, NULL, 0);
}

int entry_returns_take(struct probe *probe)
{
	int err = 0;

	/* It has it if it could not be armed, because its module was about to go. */
	if (!probe->hooked.pool)
		err = returns_take(probe, function_returned);
	return err ? kt_refuse(probe->enabled->session, err,
			       "no memory for open calls")
		   : 0;
}

/* Its message is that of register_kprobe(). */
static bool is_forbidden(unsigned long address)
{
	bool forbids;

	mutex_lock(kprobe_mutex_at);
	forbids = static_call(entry_forbidden)(address);
	mutex_unlock(kprobe_mutex_at);
	return forbids;
}

/* Where a function begins, it may be behind a landing pad. */
static unsigned long location_near(unsigned long address)
{
	const unsigned long pad = 4;

	return unsupported ? 0
			   : static_call(entry_range)(address, address + pad);
}

bool entry_is_called(unsigned long address)
{
	return location_near(address);
}

unsigned long entry_location(unsigned long address, bool returns)
{
	unsigned long ip, size, offset;

	if (armed_ftrace_off() || !kt_symbol_in_image(address) ||
	    (returns && (no_returns || kt_rethook_forbids(address))))
		return 0;
	ip = location_near(address);
	if (!ip ||
	    (ip != address && (!static_call(entry_symbol)(ip, &size, &offset) ||
			       ip - offset != address)))
		return 0;
	return is_forbidden(ip) ? 0 : ip;
}

/* ---- hooking -------------------------------------------------------------- */

static struct ftrace_ops ops = {
	.func = function_hit,
	/* PERMANENT: so that nobody can switch ftrace off below them without being told. */
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT,
};
static bool registered;
static bool stuck; /* ftrace has not let go */

/*
 * ftrace refuses if it has switched itself off for good, after a fault of the kernel's.  Then it
 * may call us for ever.
 */
static void functions_unhook(void)
{
	int err = registered && !stuck ? unregister_ftrace_function(&ops) : 0;

	if (!err) {
		registered = stuck;
		return;
	}
	pr_err("ktrace: ftrace does not take probes away (error %d): they stay, unused\n",
	       err);
	stuck = true;
	__module_get(THIS_MODULE);
}

/* Each address once, though several probes may have it. */
static unsigned int functions_list(unsigned long *ips)
{
	const struct slot *slot, *first;
	unsigned int nr = 0;
	u64 i, at;

	for (i = 0; i <= table->mask; i++) {
		slot = &table->at[i];
		if (!slot->probe)
			continue;
		at = slot_first(table, slot->ip);
		for (;; at = (at + 1) & table->mask) {
			first = &table->at[at];
			if (first->probe && first->ip == slot->ip)
				break;
		}
		if (first == slot)
			ips[nr++] = slot->ip;
	}
	return nr;
}

/* Those that are armed.  An empty filter would be all functions. */
static int functions_hook(void)
{
	unsigned long *ips;
	int err;

	if (!nr_armed) {
		functions_unhook();
		return 0;
	}
	ips = kvmalloc_array(nr_armed, sizeof(*ips), GFP_KERNEL);
	if (!ips)
		return -ENOMEM;
	err = ftrace_set_filter_ips(&ops, ips, functions_list(ips), 0, 1);
	kvfree(ips);
	if (err || registered)
		return err;
	err = register_ftrace_function(&ops);
	registered = !err;
	return err;
}

void entries_exit(void)
{
	ftrace_free_filter(&ops);
}

/* ---- arming --------------------------------------------------------------- */

/* Some hits are where RCU does not watch: ftrace waits in the same way. */
static void hits_synchronize(void)
{
	synchronize_rcu();
	synchronize_rcu_tasks_rude();
}

static bool is_new(const struct probe *probe)
{
	return probe->location && !probe->armed;
}

static void probe_add(struct table *table, struct probe *probe)
{
	u64 at = slot_first(table, probe->location);

	while (table->at[at].ip)
		at = (at + 1) & table->mask;
	table->at[at].ip = probe->location;
	table->at[at].probe = probe;
}

static void probe_remove(struct probe *probe)
{
	u64 at = slot_first(table, probe->location);

	while (table->at[at].probe != probe)
		at = (at + 1) & table->mask;
	WRITE_ONCE(table->at[at].probe, NULL);
	probe->armed = false;
	nr_armed--;
}

/* The same probes, with room for @nr more. */
static struct table *table_copy(const struct table *old, unsigned int nr)
{
	u64 room = roundup_pow_of_two(4ull * (nr_armed + nr)), i;
	struct table *copy = kvzalloc(struct_size(copy, at, room), GFP_KERNEL);

	if (!copy)
		return NULL;
	copy->mask = room - 1;
	for (i = 0; old && i <= old->mask; i++) {
		if (old->at[i].probe)
			probe_add(copy, old->at[i].probe);
	}
	return copy;
}

/* A hit may still search in the old one. */
static void table_replace(struct table *by)
{
	struct table *old = table;

	smp_store_release(&table, by);
	if (!old)
		return;
	hits_synchronize();
	kvfree(old);
}

/* So that the first hit finds room for open calls. */
static int returns_make(struct list_head *probes)
{
	struct probe *probe;
	int err;

	list_for_each_entry(probe, probes, node) {
		if (!is_new(probe) || !probe->returns || probe->hooked.pool)
			continue;
		if (fatal_signal_pending(current))
			return kt_refuse(probe->enabled->session, -EINTR,
					 "interrupted");
		err = entry_returns_take(probe);
		if (err)
			return err;
	}
	return 0;
}

int entries_arm(struct list_head *probes)
{
	struct kt_session *session = NULL;
	struct probe *probe;
	unsigned int nr = 0;
	struct table *copy;
	int err;

	list_for_each_entry(probe, probes, node) {
		if (!is_new(probe))
			continue;
		session = probe->enabled->session;
		nr++;
	}
	if (!nr)
		return 0;
	err = returns_make(probes);
	if (err)
		return err;
	copy = table_copy(table, nr);
	if (!copy)
		return kt_refuse(session, -ENOMEM, "no memory");
	list_for_each_entry(probe, probes, node) {
		if (!is_new(probe))
			continue;
		probe_add(copy, probe);
		probe->armed = true;
	}
	nr_armed += nr;
	/* Before ftrace calls: the first hits come before all functions are hooked. */
	table_replace(copy);
	err = functions_hook();
	return err ? kt_refuse(session, err,
			       "ftrace does not hook these %u functions: "
			       "error %d",
			       nr, err)
		   : 0;
}

void entries_disarm(struct list_head *probes)
{
	bool any = false;
	struct probe *probe;

	list_for_each_entry(probe, probes, node) {
		if (!probe->location || !probe->armed)
			continue;
		probe_remove(probe);
		any = true;
	}
	if (!any)
		return;
	/* If this fails, functions are called in vain until the next change. */
	functions_hook();
	if (nr_armed)
		hits_synchronize();
	else
		table_replace(NULL);
}
