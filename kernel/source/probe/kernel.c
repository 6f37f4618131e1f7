// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes in the kernel's code.  Where a function of its image begins, ftrace calls them (entries.c).
 * Of the others, each is a kprobe of the kernel's, or a kretprobe.  Those of one place share what
 * is patched there.  They are taken away together, because each time all CPUs are waited for.
 *
 * Hits are missed if a probe is hit while another one is being handled on this CPU, and returns if
 * more calls are open than the kernel keeps.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>

#include "armed.h"
#include "base/symbol.h"
#include "entries.h"
#include "hit.h"
#include "probe.h"
#include "session/session.h"

/* Calls of one function whose returns are awaited. */
#define OPEN_MAX 1024

static const struct kprobe *kprobe_of(const struct probe *probe)
{
	return probe->returns ? &probe->exit.kp : &probe->entry;
}

static int entry_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	probe_hit(container_of(kprobe, struct probe, entry), regs,
		  (unsigned long)kprobe->addr);
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

/* But what entries_arm() then arms. */
static int probe_arm(struct probe *probe)
{
	const struct probe_definition *definition = probe->definition;
	struct place place = definition->kernel;
	int err = 0;

	/* Its module may have gone, or come back, since the line was written. */
	if (place.moves)
		err = place_find(&place, probe->enabled->session,
				 definition->text);
	if (err)
		return err;
	if (!probe->returns)
		probe->location = entry_location(place.address);
	if (probe->location)
		return 0;
	if (probe->returns) {
		probe->exit.kp.addr = (void *)place.address;
		probe->exit.handler = exit_hit;
		probe->exit.maxactive = OPEN_MAX;
		err = register_kretprobe(&probe->exit);
	} else {
		probe->entry.addr = (void *)place.address;
		probe->entry.pre_handler = entry_hit;
		err = register_kprobe(&probe->entry);
	}
	probe->armed = !err;
	return err ? place_refuse(probe->enabled->session,
				  probe->definition->text, err)
		   : probe_check(probe);
}

static int kernel_arm(struct list_head *probes)
{
	struct probe *probe;
	int err;

	list_for_each_entry(probe, probes, node) {
		if (probe->armed || probe->definition->code != &kernel_code)
			continue;
		err = probe_arm(probe);
		if (err)
			return err;
	}
	return entries_arm(probes);
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
	probe->armed = false;
	probe->stuck = true;
	if (probe->returns) {
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

/* From the first one on: how many of a kind. */
static void batch_drop(struct list_head *probes, bool returns)
{
	static struct kretprobe *exits[BATCH];
	static struct kprobe *entries[BATCH];
	struct probe *probe;
	int nr;

	do {
		nr = 0;
		list_for_each_entry(probe, probes, node) {
			if (!probe->armed || probe->returns != returns ||
			    probe->definition->code != &kernel_code ||
			    probe->location || !probe_disarm(probe))
				continue;
			if (returns)
				exits[nr] = &probe->exit;
			else
				entries[nr] = &probe->entry;
			probe->armed = false;
			if (++nr == BATCH)
				break;
		}
		if (returns)
			unregister_kretprobes(exits, nr);
		else
			unregister_kprobes(entries, nr);
	} while (nr == BATCH);
}

static void kernel_disarm(struct list_head *probes)
{
	entries_disarm(probes);
	batch_drop(probes, false);
	batch_drop(probes, true);
}

static u64 kernel_missed(const struct probe *probe, enum miss reason)
{
	switch (reason) {
	case MISS_NESTED:
		return probe->location ? atomic64_read(&probe->nested)
				       : kprobe_of(probe)->nmissed;
	case MISS_OPEN:
		return probe->returns ? probe->exit.nmissed : 0;
	default:
		return atomic64_read(&probe->idle);
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
