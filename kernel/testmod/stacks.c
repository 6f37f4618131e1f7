// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares ktrace's walk over the kernel's stack with the kernel's own, at the same place.
 * For tests only; never installed.
 *
 * Compared is at each hit of the test module (client.h), in every context, and at some
 * tracepoints of the kernel.  Each write to debugfs ktrace-stacks/run is one command:
 *
 *	deep DEPTH		compares in a function that has called itself so often
 *	hooked COUNT		compares below a function with a return probe
 *	returned COUNT		compares as if such a function had just returned, and an
 *				interrupt had come before the probe ran
 *	reset			sets counts to zero
 *
 * ktrace-stacks/counts has a line for each context: "CONTEXT same N differ N complete N
 * longest N", and the first stack that differs.
 */
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/seq_file.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "base/symbol.h"
#include "base/unwind.h"
#include "client.h"

enum context { TASK, SOFTIRQ, IRQ, NMI, CONTEXTS };

static const char *const names[CONTEXTS] = {"task", "softirq", "irq", "nmi"};

/* Of one context; a hit of the same context on this CPU never interrupts another. */
struct compared {
	u64 same, differ, complete, longest;
	u64 ours[KT_STACK_MAX];
	u64 theirs[KT_STACK_MAX];
};

struct cpu_compared {
	struct compared contexts[CONTEXTS];
};

/* What takes the place of return addresses. */
static u64 hook_graph, hook_rethook;

static struct cpu_compared __percpu *all;
static struct dentry *dir;

/* The first one that differs. */
static atomic_t example_taken;
static struct compared example;
static unsigned int example_ours, example_theirs;
static enum kt_stack_end example_end;

static enum context context_now(void)
{
	if (in_nmi())
		return NMI;
	if (in_hardirq())
		return IRQ;
	return in_serving_softirq() ? SOFTIRQ : TASK;
}

/*
 * Theirs begins in the function that takes both, ours in its caller.  An idle task began in
 * functions that only ours still knows.  If return_to_handler() is interrupted, theirs ends
 * there.  Ours goes on where a function has just returned to it; if the true return address
 * is forgotten already, ours ends and says so.
 */
static bool equal(const struct compared *c, unsigned int ours,
		  enum kt_stack_end end, unsigned int theirs)
{
	const u64 *others = c->theirs + 1;
	unsigned int nr = theirs ? theirs - 1 : 0;
	bool at_hook = nr && hook_graph && others[nr - 1] == hook_graph;

	nr -= at_hook;
	if (memcmp(c->ours, others, min(ours, nr) * sizeof(u64)))
		return false;
	if (ours == nr)
		return !at_hook || end == KT_STACK_HOOKED;
	return ours > nr && ((at_hook && end == KT_STACK_COMPLETE) ||
			     theirs == KT_STACK_MAX || !current->pid);
}

/* Preemption is off.  Theirs begins in the function that has called this. */
static __always_inline void compare_from(const struct kt_caller *caller)
{
	static const struct kt_hidden nothing;
	struct compared *c = &this_cpu_ptr(all)->contexts[context_now()];
	unsigned int ours, theirs;
	enum kt_stack_end end;

	ours = kt_unwind(c->ours, caller, &nothing, &end);
	theirs = stack_trace_save((unsigned long *)c->theirs, KT_STACK_MAX, 0);
	c->complete += end == KT_STACK_COMPLETE;
	c->longest = max_t(u64, c->longest, ours);
	if (ours && equal(c, ours, end, theirs)) {
		c->same++;
	} else {
		c->differ++;
		if (!atomic_xchg(&example_taken, 1)) {
			example = *c;
			example_ours = ours;
			example_theirs = theirs;
			example_end = end;
		}
	}
}

static noinline void compare(void)
{
	const struct kt_caller caller = kt_caller();

	preempt_disable_notrace();
	compare_from(&caller);
	preempt_enable_notrace();
	barrier(); /* no tail call: this function is to be a frame */
}

/* ---- where ---------------------------------------------------------------- */

static void client_hit(unsigned int context, u64 number)
{
	compare();
}

static struct kt_test_client client = {.nr = 0, .hit = client_hit};

static void probe(void *data)
{
	compare();
}

static struct tracepoint *points[8];
static unsigned int nr_points;

static void point_visit(struct tracepoint *tp, void *unused)
{
	static const char *const wanted[] = {
		"sched_switch", "softirq_entry",     "hrtimer_expire_entry",
		"sys_exit",	"page_fault_kernel", "page_fault_user",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!strcmp(tp->name, wanted[i]) &&
		    nr_points < ARRAY_SIZE(points) &&
		    !tracepoint_probe_register(tp, probe, NULL))
			points[nr_points++] = tp;
	}
}

static noinline int deep(unsigned int depth)
{
	int below = 0;

	if (depth)
		below = deep(depth - 1);
	else
		compare();
	/* No tail call, and not the same as a loop. */
	return below + READ_ONCE(nr_points);
}

static noinline int hooked(void)
{
	compare();
	return READ_ONCE(nr_points);
}

static noinline int returned(void)
{
	static const struct pt_regs registers;
	struct kt_caller caller = kt_caller();

	if (caller.pc != hook_rethook)
		return -ENODATA;
	caller.regs = &registers;
	preempt_disable_notrace();
	compare_from(&caller);
	preempt_enable_notrace();
	return READ_ONCE(nr_points);
}

static int hooked_return(struct kretprobe_instance *instance,
			 struct pt_regs *regs)
{
	return 0;
}

static int hooked_run(int (*function)(void), unsigned long count)
{
	struct kretprobe hook = {
		.kp.addr = (kprobe_opcode_t *)function,
		.handler = hooked_return,
		.maxactive = 16,
	};
	int err = register_kretprobe(&hook);

	if (err)
		return err;
	while (count-- && err >= 0)
		err = function();
	unregister_kretprobe(&hook);
	return min(err, 0);
}

/* ---- files ---------------------------------------------------------------- */

/* Only the counts: another CPU may be comparing its stacks. */
static void counts_reset(struct cpu_compared *cpu)
{
	struct compared *c;

	for (c = cpu->contexts; c < cpu->contexts + CONTEXTS; c++)
		c->same = c->differ = c->complete = c->longest = 0;
}

static int run(const char *command)
{
	unsigned long number;
	unsigned int cpu;

	if (sscanf(command, "deep %lu", &number) == 1 && number < 100)
		return deep(number) < 0;
	if (sscanf(command, "hooked %lu", &number) == 1)
		return hooked_run(hooked, number);
	if (sscanf(command, "returned %lu", &number) == 1)
		return hooked_run(returned, number);
	if (strcmp(command, "reset"))
		return -EINVAL;
	for_each_possible_cpu(cpu)
		counts_reset(per_cpu_ptr(all, cpu));
	atomic_set(&example_taken, 0);
	return 0;
}

static ssize_t run_write(struct file *file, const char __user *from,
			 size_t size, loff_t *pos)
{
	char command[64] = "";
	int err;

	if (size >= sizeof(command))
		return -E2BIG;
	if (copy_from_user(command, from, size))
		return -EFAULT;
	err = run(strim(command));
	return err < 0 ? err : size;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.write = run_write,
};

static int counts_show(struct seq_file *m, void *unused)
{
	unsigned int cpu, i;

	for (i = 0; i < CONTEXTS; i++) {
		struct compared sum = {};

		for_each_possible_cpu(cpu) {
			const struct compared *c =
				&per_cpu_ptr(all, cpu)->contexts[i];

			sum.same += c->same;
			sum.differ += c->differ;
			sum.complete += c->complete;
			sum.longest = max(sum.longest, c->longest);
		}
		seq_printf(
			m,
			"%s same %llu differ %llu complete %llu longest %llu\n",
			names[i], sum.same, sum.differ, sum.complete,
			sum.longest);
	}
	if (!atomic_read(&example_taken))
		return 0;
	seq_printf(m, "# ours, end %d\n", example_end);
	for (i = 0; i < example_ours; i++)
		seq_printf(m, "# %pS\n", (void *)example.ours[i]);
	seq_puts(m, "# theirs\n");
	for (i = 0; i < example_theirs; i++)
		seq_printf(m, "# %pS\n", (void *)example.theirs[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counts);

static int __init stacks_init(void)
{
	int err;

	hook_graph = kt_symbol("return_to_handler");
	hook_rethook = kt_symbol("arch_rethook_trampoline");
	all = alloc_percpu(struct cpu_compared);
	if (!all)
		return -ENOMEM;
	err = kt_test_client_add(&client);
	if (err) {
		free_percpu(all);
		return err;
	}
	for_each_kernel_tracepoint(point_visit, NULL);
	dir = debugfs_create_dir("ktrace-stacks", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_file("counts", 0400, dir, NULL, &counts_fops);
	return 0;
}

static void __exit stacks_exit(void)
{
	debugfs_remove(dir);
	while (nr_points--)
		tracepoint_probe_unregister(points[nr_points], probe, NULL);
	kt_test_client_remove(&client);
	tracepoint_synchronize_unregister();
	free_percpu(all);
}

module_init(stacks_init);
module_exit(stacks_exit);
MODULE_DESCRIPTION("Compares stacks, for tests");
MODULE_LICENSE("GPL");
