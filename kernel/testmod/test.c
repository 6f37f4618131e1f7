// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints that can be hit on request, in every context, and exact counts of the hits.
 * For tests only; never installed.
 *
 * Each write to debugfs ktrace-test/run is one command, and returns when it is done:
 *
 *	task COUNT		hits test_hit in the writing task
 *	string COUNT LENGTH	hits test_string, with a text and an array of LENGTH
 *	name LENGTH		hits test_name, with a text of LENGTH
 *	storm COUNT		on all CPUs at once, hits test_hit COUNT times in a
 *				thread, which meanwhile sends interrupts and NMIs to
 *				the next CPU; a timer of each CPU adds interrupts and
 *				NMIs; interrupts raise softirqs
 *	reset			sets counts to zero
 *
 * ktrace-test/hits has the counts: "CONTEXT COUNT" for test_hit, "string COUNT", and
 * "clientN COUNT" for the clients of client.h.  Hits are counted whether they are traced or
 * not.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "client.h"
#include "compat/timer.h"

#define CREATE_TRACE_POINTS
#include "ktrace_test.h"

/* One per CPU; only that CPU writes to counts. */
struct test_cpu {
	u64 counts[KT_TEST_CONTEXT_NR];
	u64 strings;
	u64 clients[KT_TEST_CLIENTS];
	call_single_data_t call;
	struct tasklet_struct tasklet;
	struct hrtimer timer;
	bool nmi_sent;
	struct task_struct *thread;
	unsigned long left;
};

static DEFINE_PER_CPU(struct test_cpu, test_cpus);
static DEFINE_MUTEX(test_mutex);
static DEFINE_MUTEX(clients_mutex); /* a storm holds test_mutex */
static struct dentry *test_dir;
static bool storming;
static atomic_t threads_running;
static DECLARE_COMPLETION(threads_done);
static struct kt_test_client __rcu *clients[KT_TEST_CLIENTS];

/* A client that is removed waits until all CPUs have left this function. */
static void clients_hit(enum kt_test_context context, u64 number)
{
	unsigned int i;

	for (i = 0; i < KT_TEST_CLIENTS; i++) {
		struct kt_test_client *client =
			rcu_dereference_sched(clients[i]);

		if (!client)
			continue;
		this_cpu_inc(test_cpus.clients[i]);
		client->hit(context, number);
	}
}

/*
 * Another hit of the same context on this CPU must not come between counting and tracing.
 * In an interrupt, others of its kind are off; in a task, preemption is disabled.
 */
static void hit(enum kt_test_context context)
{
	u64 number;

	preempt_disable_notrace();
	number = this_cpu_inc_return(test_cpus.counts[context]);
	trace_test_hit(context, number);
	clients_hit(context, number);
	preempt_enable_notrace();
}

static void hit_softirq(struct tasklet_struct *tasklet)
{
	hit(KT_TEST_SOFTIRQ);
}

static void hit_irq(void *unused)
{
	hit(KT_TEST_IRQ);
	tasklet_schedule(this_cpu_ptr(&test_cpus.tasklet));
}

/* Two NMIs may be merged into one.  During a storm, all NMIs are ours. */
static int hit_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!READ_ONCE(storming))
		return NMI_DONE;
	if (this_cpu_read(test_cpus.nmi_sent)) {
		this_cpu_write(test_cpus.nmi_sent, false);
		hit(KT_TEST_NMI);
	}
	return NMI_HANDLED;
}

/* ---- a storm -------------------------------------------------------------- */

static void send_nmi(unsigned int cpu)
{
	struct test_cpu *other = per_cpu_ptr(&test_cpus, cpu);

	if (!READ_ONCE(other->nmi_sent)) {
		WRITE_ONCE(other->nmi_sent, true);
		apic->send_IPI(cpu, NMI_VECTOR);
	}
}

static void disturb(unsigned int cpu)
{
	/* Returns -EBUSY while the last call is still running. */
	smp_call_function_single_async(cpu, &per_cpu(test_cpus.call, cpu));
	send_nmi(cpu);
}

/*
 * If an emulator runs all CPUs in one thread, interrupts from another CPU arrive only when
 * CPUs take turns.  Interrupts of a timer arrive anywhere.  The period varies, so that they
 * do not synchronise with what the CPU does.
 */
static enum hrtimer_restart storm_timer(struct hrtimer *timer)
{
	struct test_cpu *own = container_of(timer, struct test_cpu, timer);
	u64 period = 150 * NSEC_PER_USEC + own->counts[KT_TEST_IRQ] % 64 * 1009;

	hit_irq(NULL);
	send_nmi(smp_processor_id());
	hrtimer_forward_now(timer, ns_to_ktime(period));
	return HRTIMER_RESTART;
}

static int storm_thread(void *data)
{
	struct test_cpu *own = data;
	unsigned long done;

	hrtimer_start(&own->timer, ns_to_ktime(0),
		      HRTIMER_MODE_REL_PINNED_HARD);
	for (done = 0; done < own->left; done++) {
		hit(KT_TEST_TASK);
		if (done % 16 == 0) {
			unsigned int next;

			preempt_disable();
			next = cpumask_next(smp_processor_id(),
					    cpu_online_mask);
			if (next >= nr_cpu_ids)
				next = cpumask_first(cpu_online_mask);
			disturb(next);
			preempt_enable();
		}
		cond_resched();
	}
	hrtimer_cancel(&own->timer);
	if (atomic_dec_and_test(&threads_running))
		complete(&threads_done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 100);
	return 0;
}

static void nothing(void *unused)
{
}

/* Waits for interrupts that are on their way: afterwards counts do not change. */
static void storm_settle(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		struct test_cpu *own = per_cpu_ptr(&test_cpus, cpu);
		int tries;

		/* Runs after a call that may be pending. */
		smp_call_function_single(cpu, nothing, NULL, true);
		tasklet_unlock_wait(&own->tasklet);
		while (test_bit(TASKLET_STATE_SCHED, &own->tasklet.state))
			usleep_range(100, 1000);
		for (tries = 0; READ_ONCE(own->nmi_sent) && tries < 1000;
		     tries++)
			usleep_range(100, 1000);
	}
}

static int storm(unsigned long count)
{
	unsigned int cpu;
	int err = 0;

	cpus_read_lock();
	WRITE_ONCE(storming, true);
	reinit_completion(&threads_done);
	atomic_set(&threads_running, 1);
	for_each_online_cpu(cpu) {
		struct test_cpu *own = per_cpu_ptr(&test_cpus, cpu);
		struct task_struct *thread;

		own->left = count;
		own->nmi_sent = false;
		thread = kthread_create_on_cpu(storm_thread, own, cpu,
					       "ktrace-test/%u");
		if (IS_ERR(thread)) {
			err = PTR_ERR(thread);
			break;
		}
		own->thread = thread;
		atomic_inc(&threads_running);
	}
	for_each_online_cpu(cpu) {
		if (per_cpu(test_cpus.thread, cpu))
			wake_up_process(per_cpu(test_cpus.thread, cpu));
	}
	if (!atomic_dec_and_test(&threads_running))
		wait_for_completion(&threads_done);
	for_each_online_cpu(cpu) {
		if (per_cpu(test_cpus.thread, cpu))
			kthread_stop(per_cpu(test_cpus.thread, cpu));
		per_cpu(test_cpus.thread, cpu) = NULL;
	}
	storm_settle();
	WRITE_ONCE(storming, false);
	cpus_read_unlock();
	return err;
}

/* ---- clients -------------------------------------------------------------- */

int kt_test_client_add(struct kt_test_client *client)
{
	int err = -EBUSY;

	mutex_lock(&clients_mutex);
	if (!rcu_access_pointer(clients[client->nr])) {
		rcu_assign_pointer(clients[client->nr], client);
		err = 0;
	}
	mutex_unlock(&clients_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(kt_test_client_add);

void kt_test_client_remove(struct kt_test_client *client)
{
	mutex_lock(&clients_mutex);
	RCU_INIT_POINTER(clients[client->nr], NULL);
	mutex_unlock(&clients_mutex);
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(kt_test_client_remove);

/* ---- commands ------------------------------------------------------------- */

/* The text ends at the end of a page.  Behind it, vmalloc() leaves one unmapped. */
static int run_string(unsigned long count, unsigned long length)
{
	unsigned long size = PAGE_ALIGN(length + 1);
	char *pages;
	u16 *array;

	if (length > 1 << 20)
		return -E2BIG;
	pages = vmalloc(size);
	array = kvcalloc(length + 1, sizeof(*array), GFP_KERNEL);
	if (pages && array) {
		char *text = pages + size - (length + 1);
		unsigned long i;

		for (i = 0; i < length; i++) {
			text[i] = 'a' + i % 26;
			array[i] = i;
		}
		text[length] = '\0';
		for (i = 0; i < count; i++) {
			u64 number = this_cpu_inc_return(test_cpus.strings);

			trace_test_string(number, text, array, length);
			cond_resched();
		}
	}
	kvfree(array);
	vfree(pages);
	return pages && array ? 0 : -ENOMEM;
}

/*
 * The text is ASCII or not, and begins at any byte of a word.  Behind it are bytes that no
 * record may have.
 */
static int run_name(unsigned long length)
{
	unsigned long begin = length % sizeof(u64);
	char *bytes;

	if (length > PAGE_SIZE)
		return -E2BIG;
	bytes = kmalloc(length + 2 * sizeof(u64), GFP_KERNEL);
	if (!bytes)
		return -ENOMEM;
	memset(bytes, 'x', length + 2 * sizeof(u64));
	memset(bytes + begin, length % 3 ? 'n' : 0xee, length);
	bytes[begin + length] = '\0';
	trace_test_name(length, bytes + begin);
	kfree(bytes);
	return 0;
}

static int run(const char *command)
{
	unsigned long count, length, i;
	unsigned int cpu;

	if (!strcmp(command, "reset")) {
		for_each_possible_cpu(cpu) {
			struct test_cpu *own = per_cpu_ptr(&test_cpus, cpu);

			memset(own->counts, 0, sizeof(own->counts));
			own->strings = 0;
			memset(own->clients, 0, sizeof(own->clients));
		}
		return 0;
	}
	if (sscanf(command, "task %lu", &count) == 1) {
		for (i = 0; i < count; i++) {
			hit(KT_TEST_TASK);
			cond_resched();
		}
		return 0;
	}
	if (sscanf(command, "storm %lu", &count) == 1)
		return storm(count);
	if (sscanf(command, "string %lu %lu", &count, &length) == 2)
		return run_string(count, length);
	if (sscanf(command, "name %lu", &length) == 1)
		return run_name(length);
	return -EINVAL;
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
	mutex_lock(&test_mutex);
	err = run(strim(command));
	mutex_unlock(&test_mutex);
	return err ?: size;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = run_write,
};

static int hits_show(struct seq_file *m, void *unused)
{
	static const char *const names[KT_TEST_CONTEXT_NR] = {
		[KT_TEST_TASK] = "task",
		[KT_TEST_SOFTIRQ] = "softirq",
		[KT_TEST_IRQ] = "irq",
		[KT_TEST_NMI] = "nmi",
	};
	u64 total, strings = 0;
	unsigned int cpu;
	int i;

	for (i = 0; i < KT_TEST_CONTEXT_NR; i++) {
		total = 0;
		for_each_possible_cpu(cpu)
			total += per_cpu(test_cpus.counts[i], cpu);
		seq_printf(m, "%s %llu\n", names[i], total);
	}
	for_each_possible_cpu(cpu)
		strings += per_cpu(test_cpus.strings, cpu);
	seq_printf(m, "string %llu\n", strings);
	for (i = 0; i < KT_TEST_CLIENTS; i++) {
		total = 0;
		for_each_possible_cpu(cpu)
			total += per_cpu(test_cpus.clients[i], cpu);
		seq_printf(m, "client%d %llu\n", i + 1, total);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(hits);

static int __init test_init(void)
{
	unsigned int cpu;
	int err;

	for_each_possible_cpu(cpu) {
		struct test_cpu *own = per_cpu_ptr(&test_cpus, cpu);

		INIT_CSD(&own->call, hit_irq, NULL);
		tasklet_setup(&own->tasklet, hit_softirq);
		hrtimer_setup(&own->timer, storm_timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
	err = register_nmi_handler(NMI_LOCAL, hit_nmi, 0, "ktrace-test");
	if (err)
		return err;
	test_dir = debugfs_create_dir("ktrace-test", NULL);
	debugfs_create_file("run", 0200, test_dir, NULL, &run_fops);
	debugfs_create_file("hits", 0400, test_dir, NULL, &hits_fops);
	return 0;
}

static void __exit test_exit(void)
{
	unsigned int cpu;

	debugfs_remove(test_dir);
	unregister_nmi_handler(NMI_LOCAL, "ktrace-test");
	for_each_possible_cpu(cpu)
		tasklet_kill(per_cpu_ptr(&test_cpus.tasklet, cpu));
}

module_init(test_init);
module_exit(test_exit);
MODULE_DESCRIPTION("Tracepoints for ktrace's tests");
MODULE_LICENSE("GPL");
