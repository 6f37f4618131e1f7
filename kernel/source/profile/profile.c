// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of what runs: a timer on each CPU hits the event profile:sample.
 *
 *	ip	the instruction that the timer has interrupted
 *	user	1: of a program; 0: of the kernel
 *	ticks	how many periods ended since the timer ran before: more than 1 if it was
 *		late, as where interrupts were off
 *
 * What an idle CPU does is no sample; the interrupts that it serves are.  A stack of the event
 * begins with what was interrupted, not with the timer (kt_source.interrupts).
 *
 * A session's file `profile_rate' says how often, in samples per second and CPU; not 100 if nobody
 * says it, so they do not always meet the same phase of what happens 100 times a second.  Timers of
 * different CPUs are spread over the period, so they do not all contend at the same moment.
 *
 * The timers are this module's, not perf's: perf gives none to a CPU that comes later, and stops
 * one that is too frequent without a count.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/irq_regs.h>

#include <ktrace.h>

#include "compat/timer.h"
#include "event/event.h"
#include "event/write.h"
#include "session/node.h"
#include "session/session.h"
#include "session/sources.h"

/* What an interrupt takes at least besides its work. */
#define GAP_NS 2000

struct profile;

struct sampler {
	struct hrtimer timer;
	struct profile *profile;
	u64 skipped; /* periods that ended while the last sample was taken, or at once behind it */
	u64 missed; /* ticks whose interrupt did not say what it has interrupted */
};

/* One for each session. */
struct profile {
	struct list_head node; /* in `attached' */
	struct kt_enabled *enabled;
	struct sampler __percpu *samplers; /* NULL: was never attached */
	u32 rate;			   /* 0: the default */
	u64 period;			   /* ns */
};

struct sample {
	u64 ip;
	u32 user;
	u32 ticks;
};

/* Changed under kt_mutex, and while no CPU comes or goes. */
static LIST_HEAD(attached);
static enum cpuhp_state hotplug;
static struct kt_source source;

/* ---- samples -------------------------------------------------------------- */

/* Interrupts of an idle CPU, and what follows them, are work. */
static bool is_idle(void)
{
	return is_idle_task(current) && !in_serving_softirq() &&
	       hardirq_count() == HARDIRQ_OFFSET;
}

static void sample_record(struct kt_enabled *enabled,
			  const struct pt_regs *regs, u64 ticks)
{
	struct kt_write write;
	struct sample *sample;

	kt_probe_enter();
	sample = kt_write_begin(&write, enabled, sizeof(*sample), 0);
	if (sample) {
		sample->ip = instruction_pointer((struct pt_regs *)regs);
		sample->user = user_mode((struct pt_regs *)regs);
		sample->ticks = min_t(u64, ticks, U32_MAX);
		kt_write_end(&write, 0);
	}
	kt_probe_exit();
}

/*
 * If samples take longer than a period, the CPU would do nothing else.  So as much time as this
 * one took, and a little more, is left to others; the next one has the periods that end meanwhile.
 */
static void sampler_rest(struct sampler *sampler, ktime_t begun)
{
	ktime_t now = ktime_get();
	ktime_t until =
		ktime_add_ns(ktime_add(now, ktime_sub(now, begun)), GAP_NS);

	sampler->skipped = hrtimer_forward(&sampler->timer, until,
					   sampler->profile->period);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct sampler *sampler = container_of(timer, struct sampler, timer);
	struct profile *profile = sampler->profile;
	ktime_t begun = ktime_get();
	u64 ticks = sampler->skipped +
		    hrtimer_forward(timer, begun, profile->period);
	const struct pt_regs *regs = get_irq_regs();

	if (unlikely(!regs))
		WRITE_ONCE(sampler->missed, sampler->missed + ticks);
	else if (!is_idle())
		sample_record(profile->enabled, regs, ticks);
	sampler_rest(sampler, begun);
	return HRTIMER_RESTART;
}

/* ---- timers --------------------------------------------------------------- */

/* Runs on the CPU. */
static void sampler_start(void *data)
{
	struct profile *profile = data;
	unsigned int cpu = smp_processor_id();
	u64 first =
		profile->period + div_u64(profile->period * cpu, nr_cpu_ids);

	per_cpu_ptr(profile->samplers, cpu)->skipped = 0;
	hrtimer_start(&per_cpu_ptr(profile->samplers, cpu)->timer, first,
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static int samplers_online(unsigned int cpu)
{
	struct profile *profile;

	list_for_each_entry(profile, &attached, node)
		smp_call_function_single(cpu, sampler_start, profile, true);
	return 0;
}

/* Else the timer would go on, on another CPU. */
static int samplers_offline(unsigned int cpu)
{
	struct profile *profile;

	list_for_each_entry(profile, &attached, node)
		hrtimer_cancel(&per_cpu_ptr(profile->samplers, cpu)->timer);
	return 0;
}

static int samplers_make(struct profile *profile)
{
	unsigned int cpu;

	if (profile->samplers)
		return 0;
	profile->samplers = alloc_percpu(struct sampler);
	if (!profile->samplers)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct sampler *sampler = per_cpu_ptr(profile->samplers, cpu);

		sampler->profile = profile;
		hrtimer_setup(&sampler->timer, tick, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
	return 0;
}

/* ---- attaching ------------------------------------------------------------ */

static u32 rate_of(const struct profile *profile)
{
	return profile && profile->rate ? profile->rate
					: KT_PROFILE_RATE_DEFAULT;
}

static int profile_attach(struct kt_enabled *enabled)
{
	struct profile *profile = enabled->state;

	if (samplers_make(profile))
		return kt_refuse(enabled->session, -ENOMEM, "no memory");
	profile->enabled = enabled;
	profile->period = div_u64(NSEC_PER_SEC, rate_of(profile));
	cpus_read_lock();
	list_add(&profile->node, &attached);
	on_each_cpu(sampler_start, profile, true);
	cpus_read_unlock();
	return 0;
}

/* Afterwards no timer's function runs. */
static void profile_detach(struct kt_enabled *enabled)
{
	struct profile *profile = enabled->state;
	unsigned int cpu;

	cpus_read_lock();
	list_del(&profile->node);
	cpus_read_unlock();
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(profile->samplers, cpu)->timer);
	profile->enabled = NULL;
}

static bool profile_end(void *state)
{
	struct profile *profile = state;

	free_percpu(profile->samplers);
	return true;
}

static u64 profile_missed(const void *state, unsigned int reason)
{
	const struct profile *profile = state;
	unsigned int cpu;
	u64 sum = 0;

	if (!profile->samplers)
		return 0;
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(profile->samplers, cpu)->missed);
	return sum;
}

/* ---- the file ------------------------------------------------------------- */

static int rate_write(const struct kt_node *node, char *text)
{
	struct profile *profile = kt_source_state_make(node->session, &source);
	u32 rate;

	if (!profile)
		return kt_refuse(node->session, -ENOMEM, "no memory");
	if (kstrtou32(strim(text), 10, &rate) || !rate ||
	    rate > KT_PROFILE_RATE_MAX)
		return kt_refuse(node->session, -EINVAL,
				 "samples per second are wanted, 1 to %u",
				 KT_PROFILE_RATE_MAX);
	if (profile->enabled)
		return kt_refuse(node->session, -EBUSY,
				 "samples are being taken: disable "
				 "profile/sample first");
	profile->rate = rate;
	return 0;
}

static int rate_show(struct seq_file *m, const struct kt_node *node)
{
	seq_printf(m, "%u\n", rate_of(kt_source_state(node->session, &source)));
	return 0;
}

static const struct kt_kind rate_file = {
	.name = "profile_rate",
	.mode = S_IFREG | 0660,
	.show = rate_show,
	.write = rate_write,
};

/* ---- what there is -------------------------------------------------------- */

static const struct kt_kind *const session_files[] = {&rate_file, NULL};

static struct kt_source source = {
	.name = "profile",
	.owner = THIS_MODULE,
	.session_files = session_files,
	.state_size = sizeof(struct profile),
	.state_end = profile_end,
	.attach = profile_attach,
	.detach = profile_detach,
	.missed = profile_missed,
	.explicit = true,
	.interrupts = true,
};

static const struct kt_field fields[] = {
	{.type = "u64", .name = "ip", .size = sizeof(u64)},
	{.type = "u32",
	 .name = "user",
	 .offset = offsetof(struct sample, user),
	 .size = sizeof(u32)},
	{.type = "u32",
	 .name = "ticks",
	 .offset = offsetof(struct sample, ticks),
	 .size = sizeof(u32)},
};

static const struct kt_class class = {
	.fields = fields,
	.nr_fields = ARRAY_SIZE(fields),
	.size = sizeof(struct sample),
	.print =
		"\"ip=0x%llx user=%u ticks=%u\", REC->ip, REC->user, REC->ticks",
};

static struct kt_event event = {
	.system = "profile",
	.name = "sample",
	.class = &class,
	.source = &source,
	.owner = THIS_MODULE,
};

static struct kt_event *const list[] = {&event};

static struct kt_event_set set = {
	.owner = THIS_MODULE,
	.events = list,
	.nr_events = ARRAY_SIZE(list),
};

static int __init profile_init(void)
{
	int state =
		cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					  "ktrace/profile:online",
					  samplers_online, samplers_offline);
	int err;

	if (state < 0)
		return state;
	hotplug = state;
	kt_source_register(&source);
	err = kt_events_register(&set);
	if (err)
		goto err_source;
	return 0;

err_source:
	kt_source_unregister(&source);
	cpuhp_remove_state_nocalls(hotplug);
	return err;
}

static void __exit profile_exit(void)
{
	kt_events_unregister(&set);
	kt_source_unregister(&source);
	cpuhp_remove_state_nocalls(hotplug);
}

module_init(profile_init);
module_exit(profile_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ktrace: samples of what runs on each CPU");
