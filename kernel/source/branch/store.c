// SPDX-License-Identifier: GPL-2.0-only
/*
 * Branches that the processor itself writes to memory: see store.h.
 *
 * perf empties the store in an NMI, where no lock may be taken.  So the records go to a queue of that CPU,
 * and from there to who wants them: when interrupts are on again, or when the task leaves the CPU, which is
 * before it runs anything else.
 *
 *	operation	an NMI in the midst of it	what it needs
 *	take		may take			nothing is recorded
 *	give		may take			interrupts off, no NMI
 *
 * A queue is written and read by its CPU alone.  Its records are of the running task: those of the one
 * before were given when that left.
 */
#include <linux/container_of.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <asm/intel_ds.h>

#include "base/symbol.h"
#include "client.h"
#include "compat/function.h"
#include "cpus.h"
#include "env.h"
#include "hardware.h"
#include "kind.h"
#include "producer.h"
#include "stepper.h"
#include "store.h"

/* As the processor writes it. */
struct record {
	u64 from, to;
	u64 flags; /* was it predicted? */
};

struct place {
	u64 from, to;
};

/* Three times what perf's store has. */
#define QUEUE_SIZE 8192u

/* perf's has 64 KiB; what is much larger is something else. */
#define STORE_SIZE_MAX (1u << 20)

struct queue {
	struct place *places; /* NULL: this CPU does not record */
	bool missing;	      /* because it could not begin */
	u32 head; /* of those that were taken; changed in NMIs, too */
	u32 tail; /* of those that were given */
	/* There was no room for them; by whose they are: bits of enum branch_mode. */
	u32 lost[BRANCH_ALL + 1];
	unsigned int modes; /* what is recorded */
	struct irq_work work;
};

static DEFINE_PER_CPU(struct queue, queues);

static struct branch_hardware hardware;

static const struct branch_machine *machine(void)
{
	return container_of(hardware.driver, struct branch_machine, driver);
}

/* ---- taking --------------------------------------------------------------- */

/* Room for @nr, or as many as there is. */
static u32 queue_reserve(struct queue *queue, u32 *nr)
{
	u32 head, room;

	do {
		head = READ_ONCE(queue->head);
		room = QUEUE_SIZE - (head - READ_ONCE(queue->tail));
		*nr = min(*nr, room);
	} while (this_cpu_cmpxchg(queues.head, head, head + *nr) != head);
	return head;
}

/* drains() has left it. */
static bool is_left(const struct record *record)
{
	return !record->from && !record->to;
}

static enum branch_mode mode_of(u64 from, u64 to)
{
	return branch_of_program(from) && branch_of_program(to) ? BRANCH_USER
								: BRANCH_KERNEL;
}

/* True: there were records. */
static bool take(const struct debug_store *store, u64 end)
{
	struct queue *queue = this_cpu_ptr(&queues);
	u64 base = store->bts_buffer_base;
	const struct record *records = (const struct record *)base;
	u32 nr, found, at, i;

	if (end <= base || end > store->bts_absolute_maximum ||
	    store->bts_absolute_maximum - base > STORE_SIZE_MAX)
		return false;
	nr = (end - base) / sizeof(*records);
	if (nr && is_left(records)) {
		records++;
		nr--;
	}
	found = nr;
	at = queue_reserve(queue, &nr);
	for (i = 0; i < nr; i++)
		queue->places[(at + i) % QUEUE_SIZE] =
			(struct place){records[i].from, records[i].to};
	for (; i < found; i++)
		this_cpu_inc(
			queues.lost[mode_of(records[i].from, records[i].to)]);
	/* A store that is full may have had no room for more. */
	if (end + sizeof(*records) > store->bts_absolute_maximum)
		this_cpu_inc(queues.lost[BRANCH_ALL]);
	return found;
}

/* Whoever comes in the midst of it finds an empty store.  True: there were records. */
static bool store_take(struct debug_store *store)
{
	return take(store, xchg(&store->bts_index, store->bts_buffer_base));
}

/*
 * perf is about to empty the store.  It must find something, or it would take the NMI for one that nobody
 * knows: a record that is none.
 */
static void drains(unsigned long ip, unsigned long caller,
		   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct debug_store *store;
	struct record *left;

	preempt_disable_notrace();
	store = this_cpu_read(queues.places) ? machine()->here() : NULL;
	if (store && store_take(store)) {
		left = (struct record *)store->bts_buffer_base;
		*left = (struct record){};
		WRITE_ONCE(store->bts_index, (u64)(left + 1));
		irq_work_queue(this_cpu_ptr(&queues.work));
	}
	preempt_enable_notrace();
}

static struct ftrace_ops drain_hook = {
	.func = drains,
	/* PERMANENT: so that nobody can switch ftrace off below it without being told. */
	.flags = FTRACE_OPS_FL_PERMANENT,
};

/* ---- giving --------------------------------------------------------------- */

static struct branch_found found_at(struct place place, enum branch_mode mode,
				    struct branch_looked *looked)
{
	struct branch_found found = {
		.mode = mode, .from = place.from, .to = place.to};

	if (mode == BRANCH_KERNEL && branch_of_program(place.to))
		found.kind = KT_BRANCH_SENT;
	else
		found.kind = branch_kind_of(place.from, place.to, looked);
	/* Only these enter the kernel. */
	if (mode == BRANCH_KERNEL && branch_of_program(place.from) &&
	    found.kind != KT_BRANCH_SYSCALL)
		found.kind = KT_BRANCH_UNKNOWN;
	return found;
}

static void give_one(struct task_struct *task, struct stepper *stepper,
		     struct branch_found found)
{
	if (stepper) {
		raw_spin_lock(&stepper->lock);
		branch_clients_take(stepper, &branch_store, found);
		raw_spin_unlock(&stepper->lock);
	}
	branch_cpus_take(&branch_store, task, found);
}

static void give_stamp(struct task_struct *task, struct stepper *stepper,
		       enum kt_branch_kind kind)
{
	give_one(task, stepper,
		 (struct branch_found){kind, BRANCH_ALL, smp_processor_id(),
				       env_clock()});
}

static void lose(struct task_struct *task, struct stepper *stepper,
		 unsigned int modes, u32 nr)
{
	if (stepper) {
		raw_spin_lock(&stepper->lock);
		branch_clients_lose(stepper, &branch_store, modes, nr);
		raw_spin_unlock(&stepper->lock);
	}
	branch_cpus_lose(&branch_store, task, modes, nr);
}

static void give_lost(struct task_struct *task, struct stepper *stepper)
{
	unsigned int modes;
	u32 nr;

	for (modes = 1; modes <= BRANCH_ALL; modes++) {
		nr = this_cpu_xchg(queues.lost[modes], 0);
		if (nr)
			lose(task, stepper, modes, nr);
	}
}

/* Under RCU. */
static unsigned int wanted_of(struct task_struct *task, struct stepper *stepper)
{
	unsigned int modes = branch_cpus_modes(&branch_store, task);

	if (stepper) {
		raw_spin_lock(&stepper->lock);
		modes |= branch_clients_modes(stepper, &branch_store);
		raw_spin_unlock(&stepper->lock);
	}
	return modes;
}

/* True: there was something.  Under RCU. */
static bool give(struct queue *queue, struct task_struct *task,
		 struct stepper *stepper)
{
	/* Its instructions are not read for nobody. */
	unsigned int wanted = wanted_of(task, stepper);
	u32 tail = queue->tail, begin = tail;
	struct branch_looked looked = {};

	while (tail != READ_ONCE(queue->head)) {
		struct place place = queue->places[tail % QUEUE_SIZE];
		enum branch_mode mode = mode_of(place.from, place.to);

		if (wanted & mode)
			give_one(task, stepper, found_at(place, mode, &looked));
		/* An NMI may take this place. */
		barrier();
		WRITE_ONCE(queue->tail, ++tail);
	}
	give_lost(task, stepper);
	return tail != begin;
}

/* ---- turns ---------------------------------------------------------------- */

/* Nothing is recorded meanwhile, so that nobody's branches are those of giving branches away. */
static void turn_paused(struct queue *queue, struct task_struct *prev,
			struct task_struct *next)
{
	struct stepper *stepper = stepper_of(prev);
	struct debug_store *store = machine()->here();
	bool given;

	if (store)
		store_take(store);
	else if (queue->modes) /* perf has taken it away */
		this_cpu_inc(queues.lost[queue->modes]);
	given = give(queue, prev, stepper);
	if (prev != next) {
		/* A stepper is told of switches anyway. */
		give_stamp(prev, NULL, KT_BRANCH_LEAVES);
		give_stamp(next, NULL, KT_BRANCH_ARRIVES);
	} else if (given) {
		give_stamp(prev, stepper, KT_BRANCH_TIME);
	}
}

static void store_turn(struct task_struct *prev, struct task_struct *next)
{
	struct queue *queue = this_cpu_ptr(&queues);
	unsigned int modes;

	if (!queue->places && !queue->missing)
		return;
	rcu_read_lock();
	modes = wanted_of(next, stepper_of(next));
	if (queue->missing)
		lose(next, stepper_of(next), modes, 1);
	else if (modes || queue->modes ||
		 queue->tail != READ_ONCE(queue->head)) {
		machine()->pause();
		turn_paused(queue, prev, next);
		queue->modes = modes;
		machine()->resume(modes);
	}
	rcu_read_unlock();
}

/* What was taken in an NMI; interrupts are off. */
static void work_gives(struct irq_work *work)
{
	store_turn(current, current);
}

/* ---- CPUs ----------------------------------------------------------------- */

static int cpu_begins(unsigned int cpu)
{
	struct queue *queue = per_cpu_ptr(&queues, cpu);
	struct place *places = vzalloc_node(
		array_size(QUEUE_SIZE, sizeof(*places)), cpu_to_node(cpu));
	int err = places ? hardware.driver->begin(cpu) : -ENOMEM;

	*queue = (struct queue){.work = IRQ_WORK_INIT_HARD(work_gives)};
	if (err) {
		vfree(places);
		branch_hardware_fails(&hardware, cpu, err);
		WRITE_ONCE(queue->missing, true);
	} else {
		WRITE_ONCE(queue->places, places);
	}
	branch_cpus_come(&branch_store);
	branch_producers_look();
	/* The machine may have this CPU without a store, too. */
	return 0;
}

static int cpu_ends(unsigned int cpu)
{
	struct queue *queue = per_cpu_ptr(&queues, cpu);
	struct place *places = queue->places;
	unsigned long flags;

	WRITE_ONCE(queue->missing, false);
	if (!places)
		return 0;
	local_irq_save(flags);
	store_turn(current, current);
	WRITE_ONCE(queue->places, NULL);
	queue->modes = 0;
	local_irq_restore(flags);
	/* This CPU has left whatever NMI had found the queue. */
	irq_work_sync(&queue->work);
	hardware.driver->end(cpu);
	vfree(places);
	return 0;
}

/* ---- begin and end -------------------------------------------------------- */

static const char *store_lacks(void)
{
	return branch_hardware_lacks(&hardware);
}

static int drain_hook_attach(void)
{
	unsigned long ip = kt_symbol("intel_pmu_drain_bts_buffer");
	int err;

	if (!ip)
		return -ENOENT;
	err = ftrace_set_filter_ip(&drain_hook, ip, 0, 1);
	return err ?: register_ftrace_function(&drain_hook);
}

static void drain_hook_detach(void)
{
	unregister_ftrace_function(&drain_hook);
}

static struct branch_hardware hardware = {
	BRANCH_HARDWARE_INIT(hardware, &branch_machine_perf.driver),
	.name = "ktrace/branch:online",
	.cpu_begins = cpu_begins,
	.cpu_ends = cpu_ends,
	.attach = drain_hook_attach,
	.detach = drain_hook_detach,
};

static int store_begin(void)
{
	return branch_hardware_begin(&hardware);
}

static void store_end(void)
{
	branch_hardware_end(&hardware);
}

int branch_store_play(const struct branch_machine *played)
{
	return branch_hardware_play(&hardware, played ? &played->driver : NULL);
}
EXPORT_SYMBOL_GPL(branch_store_play);

/* Filters that were freed cannot be set again. */
void branch_store_exit(void)
{
	ftrace_free_filter(&drain_hook);
	branch_machine_perf_exit();
}

const struct branch_producer branch_store = {
	.name = "bts",
	.modes = BRANCH_ALL,
	.lacks = store_lacks,
	.begin = store_begin,
	.end = store_end,
	.turn = store_turn,
};
