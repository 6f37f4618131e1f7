// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes in the kernel's code.  Where a function of its image begins, ftrace calls them (entries.c).
 * Of the others, each is a kprobe of the kernel's.  Those of one place share what is patched there.
 * They are taken away together, because each time all CPUs are waited for.
 *
 * Returns are hooked where the function begins, in either way (returns.h).  A kernel that has no
 * rethook has kretprobes for them.
 *
 * Hits are missed if a probe is hit while another one is being handled on this CPU, and returns if
 * more calls are open than the kernel keeps.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>

#include "armed.h"
#include "base/rethook.h"
#include "base/symbol.h"
#include "entries.h"
#include "hit.h"
#include "optimizer.h"
#include "probe.h"
#include "returns.h"
#include "session/session.h"

/*
 * Calls of one function whose returns are awaited, of kretprobes.  For each, the kernel keeps memory
 * from the start: so if there are many functions, they share what there may be in all.
 */
#define OPEN_MAX 1024
#define OPEN_MIN 64
#define OPEN_ALL (128 * OPEN_MAX)

static bool is_kretprobe(const struct probe *probe)
{
	return probe->returns && !probe->hooked.returns;
}

static const struct kprobe *kprobe_of(const struct probe *probe)
{
	return is_kretprobe(probe) ? &probe->exit.kp : &probe->entry;
}

static int entry_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	probe_hit(container_of(kprobe, struct probe, entry), regs,
		  (unsigned long)kprobe->addr);
	return 0;
}

static int call_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	return_hook(container_of(kprobe, struct probe, entry), regs);
	return 0;
}

static int exit_hit(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *kretprobe = get_kretprobe(instance);

	/* It is just being taken away. */
	if (kretprobe)
		probe_hit(container_of(kretprobe, struct probe, exit), regs,
			  get_kretprobe_retaddr(instance));
	return 0;
}

/* The kernel may take a probe, and yet never call it. */
static int probe_check(const struct probe *probe)
{
	const char *why = armed_obstacle(kprobe_of(probe));

	return why ? kt_refuse(probe->enabled->session, -EBUSY, "%.80s: %s",
			       place_label(probe->definition->text), why)
		   : 0;
}

/* The kernel would hook such a return, and break. */
static int return_check(const struct probe *probe, unsigned long address)
{
	const char *why = probe->returns ? kt_rethook_obstacle(address) : NULL;

	return why ? kt_refuse(probe->enabled->session, -EINVAL,
			       "%.80s: this return must not be hooked: %s",
			       place_label(probe->definition->text), why)
		   : 0;
}

/* What has moved; address 0: its module is not there. */
static int probe_place(const struct probe *probe, struct place *place)
{
	const char *module = probe->definition->kernel.module;

	*place = probe->definition->kernel;
	if (!place->moves)
		return 0;
	place->address = 0;
	if (*module && !place_module_is_there(module))
		return 0;
	return place_find(place, probe->enabled->session,
			  probe->definition->text);
}

/* Of one that could not be armed.  Its module may have begun to go meanwhile. */
static int probe_refuse(struct probe *probe, int err)
{
	const char *module = probe->definition->kernel.module;

	if (err == -ENOENT && *module && !place_module_is_there(module)) {
		probe->waits = true;
		return 0;
	}
	return place_refuse(probe->enabled->session, probe->definition->text,
			    err);
}

static int probe_register(struct probe *probe, void *address, int open)
{
	/* What ftrace calls does not become a jump. */
	if (!entry_is_called((unsigned long)address))
		optimizer_hold();
	if (!is_kretprobe(probe)) {
		probe->entry.addr = address;
		probe->entry.pre_handler =
			probe->returns ? call_hit : entry_hit;
		return register_kprobe(&probe->entry);
	}
	probe->exit.kp.addr = address;
	probe->exit.handler = exit_hit;
	probe->exit.maxactive = open;
	return register_kretprobe(&probe->exit);
}

/* How many calls of each function, of those whose returns are in the list. */
static int open_limit(const struct list_head *probes)
{
	const struct probe *probe;
	int returns = 1;

	list_for_each_entry(probe, probes, node)
		returns += probe->returns &&
			   probe->definition->code == &kernel_code;
	return clamp(OPEN_ALL / returns, OPEN_MIN, OPEN_MAX);
}

/* But what entries_arm() then arms, and what waits for its module. */
static int probe_arm(struct probe *probe, int open)
{
	struct place place;
	int err = probe_place(probe, &place);

	probe->waits = !err && !place.address;
	if (err || probe->waits)
		return err;
	err = return_check(probe, place.address);
	if (err)
		return err;
	probe->location = entry_location(place.address, probe->returns);
	if (probe->location)
		return 0;
	if (probe->returns && entry_hooks_returns()) {
		/* As a kretprobe would be. */
		err = entry_begins(place.address);
		if (err)
			return probe_refuse(probe, err);
		err = entry_returns_take(probe);
		if (err)
			return err;
	}
	err = probe_register(probe, (void *)place.address, open);
	probe->registered = !err;
	if (err)
		return probe_refuse(probe, err);
	probe->armed = true;
	return probe_check(probe);
}

static int kprobes_arm(struct list_head *probes, int open)
{
	struct probe *probe;
	int err;

	list_for_each_entry(probe, probes, node) {
		/* Those that wait are armed when their module comes. */
		if (probe->armed || probe->registered || probe->waits ||
		    probe->refusal || probe->stuck ||
		    probe->definition->code != &kernel_code)
			continue;
		/* Some hundred of them take seconds. */
		if (fatal_signal_pending(current))
			return kt_refuse(probe->enabled->session, -EINTR,
					 "interrupted");
		err = probe_arm(probe, open);
		if (err)
			return err;
	}
	return 0;
}

static int kernel_arm(struct list_head *probes)
{
	int open = open_limit(probes), err = kprobes_arm(probes, open);

	optimizer_release();
	return err ?: entries_arm(probes);
}

static int stuck_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	return 0;
}

static int stuck_return(struct kretprobe_instance *instance,
			struct pt_regs *regs)
{
	return 0;
}

/*
 * The kernel goes on calling it.  So what it uses stays, which is the probe itself, and this
 * module; and what the hits use can go once they do nothing.
 */
static void probe_leave(struct probe *probe)
{
	probe->armed = probe->registered = false;
	probe->stuck = true;
	if (is_kretprobe(probe)) {
		WRITE_ONCE(probe->exit.kp.pre_handler, stuck_hit);
		WRITE_ONCE(probe->exit.handler, stuck_return);
	} else {
		WRITE_ONCE(probe->entry.pre_handler, stuck_hit);
	}
	__module_get(THIS_MODULE);
	synchronize_rcu();
	pr_warn("ktrace: the kernel cannot take away the probe at %pS\n",
		kprobe_of(probe)->addr);
}

/*
 * Where ftrace calls, disarming can fail.  The functions that unregister do not tell, but forget
 * the address, and have then already freed what returns need.  So this comes first: of what is
 * disarmed, nothing can fail.
 */
static bool probe_disarm(struct probe *probe)
{
	struct kprobe *kprobe = (struct kprobe *)kprobe_of(probe);
	int err = kprobe_ftrace(kprobe) ? disable_kprobe(kprobe) : 0;

	/* What the kernel could not arm, it does not know. */
	if (!err || err == -EINVAL)
		return true;
	probe_leave(probe);
	return false;
}

/* How many at once. */
#define BATCH 128

/* What of the kernel goes. */
struct part {
	const struct module *module; /* NULL: all */
	bool all;		     /* false: the code with which it begins */
};

static bool is_in_part(const struct probe *probe, const struct part *part)
{
	unsigned long address = (unsigned long)kprobe_of(probe)->addr;

	if (!part->module)
		return true;
	/* A line with an address means no other place when the module comes back. */
	return probe->definition->kernel.moves &&
	       (within_module_init(address, part->module) ||
		(part->all && within_module_core(address, part->module)));
}

static void batch_drop(struct list_head *probes, bool kretprobes,
		       const struct part *part)
{
	static struct kretprobe *exits[BATCH];
	static struct kprobe *entries[BATCH];
	struct probe *probe;
	int nr;

	do {
		nr = 0;
		list_for_each_entry(probe, probes, node) {
			if (is_kretprobe(probe) != kretprobes ||
			    probe->definition->code != &kernel_code ||
			    !probe->registered || !is_in_part(probe, part) ||
			    !probe_disarm(probe))
				continue;
			/* What ftrace calls is no jump. */
			if (!kprobe_ftrace((struct kprobe *)kprobe_of(probe)))
				optimizer_hold();
			if (part->module)
				probe->waits = true;
			if (kretprobes)
				exits[nr] = &probe->exit;
			else
				entries[nr] = &probe->entry;
			probe->armed = probe->registered = false;
			if (++nr == BATCH)
				break;
		}
		if (kretprobes)
			unregister_kretprobes(exits, nr);
		else
			unregister_kprobes(entries, nr);
	} while (nr == BATCH);
}

static void kernel_disarm(struct list_head *probes)
{
	static const struct part all;

	entries_disarm(probes);
	batch_drop(probes, false, &all);
	batch_drop(probes, true, &all);
	returns_give(probes);
	optimizer_release();
}

static u64 kernel_missed(const struct probe *probe, enum miss reason)
{
	switch (reason) {
	case MISS_NESTED:
		return probe->location ? atomic64_read(&probe->nested)
				       : kprobe_of(probe)->nmissed;
	case MISS_OPEN:
		return is_kretprobe(probe) ? probe->exit.nmissed
					   : atomic64_read(&probe->hooked.open);
	default:
		return atomic64_read(&probe->idle);
	}
}

/* ---- modules -------------------------------------------------------------- */

static bool is_of(const struct probe *probe, const struct module *module)
{
	return probe->definition->code == &kernel_code &&
	       !strcmp(probe->definition->kernel.module, module->name);
}

/* Nobody has asked for it now, so nobody is told: the reason is kept with the probe. */
static void probe_note(struct probe *probe)
{
	const struct kt_event *event = probe->enabled->event;
	const char *why = probe->enabled->session->reason;

	pr_warn("ktrace: %s:%s is not armed: %s\n", event->system, event->name,
		why);
	probe->refusal = kstrdup(why, GFP_KERNEL);
	probe->waits = !probe->refusal;
}

void kernel_module_came(struct list_head *probes, const struct module *module)
{
	struct probe *probe, *next;
	int open = open_limit(probes);
	LIST_HEAD(refused);

	list_for_each_entry_safe(probe, next, probes, node) {
		if (!probe->waits || probe->stuck || !is_of(probe, module) ||
		    !probe_arm(probe, open))
			continue;
		probe_note(probe);
		list_move_tail(&probe->node, &refused);
	}
	optimizer_release();
	/* Some may be armed, and yet never be called. */
	kernel_disarm(&refused);
	list_splice_tail(&refused, probes);
}

/* As it was before it was armed, but for what it has missed. */
static void probe_reset(struct probe *probe)
{
	enum miss i;

	for (i = 0; i < MISSES; i++) {
		if (i != MISS_IDLE)
			probe->before[i] += kernel_missed(probe, i);
	}
	memset(&probe->exit, 0, sizeof(probe->exit));
	memset(&probe->entry, 0, sizeof(probe->entry));
	memset(&probe->hooked, 0, sizeof(probe->hooked));
}

void kernel_module_goes(struct list_head *probes, const struct module *module,
			bool all)
{
	const struct part part = {.module = module, .all = all};
	struct probe *probe;

	batch_drop(probes, false, &part);
	batch_drop(probes, true, &part);
	returns_give(probes);
	optimizer_release();
	list_for_each_entry(probe, probes, node) {
		if (!is_of(probe, module))
			continue;
		if (all && probe->refusal) {
			kfree(probe->refusal);
			probe->refusal = NULL;
			probe->waits = true;
		}
		if (probe->waits && !probe->stuck)
			probe_reset(probe);
	}
}

static const char *probe_way(const struct probe *probe)
{
	if (!probe->location)
		return armed_way(kprobe_of(probe));
	return armed_ftrace_off() ? NULL : "ftrace";
}

/* Addresses are shown to those to whom /proc/kallsyms shows them. */
static bool kernel_show(struct seq_file *m, const struct probe *probe)
{
	const char *way = probe_way(probe);
	unsigned long address = 0;

	if (!way)
		return false;
	if (kt_symbols_shown(m->file->f_cred))
		address = probe->location
				  ?: (unsigned long)kprobe_of(probe)->addr;
	seq_printf(m, "0x%lx %s", address, way);
	return true;
}

const struct probe_code kernel_code = {
	.arm = kernel_arm,
	.disarm = kernel_disarm,
	.missed = kernel_missed,
	.show = kernel_show,
};
