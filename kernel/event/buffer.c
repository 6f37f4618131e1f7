// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of the rings, CPU hotplug, and what readers ask for (tree/buffer_file.c).
 * buffer.h describes who owns what, and the order of locks.
 *
 * Readers are woken from irq_work, because a packet may be completed anywhere: in an NMI,
 * or with a run queue locked.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "base/lock.h"
#include "buffer.h"

/* For probe modules. */
EXPORT_SYMBOL_GPL(kt_ring_reserve_slow);
EXPORT_SYMBOL_GPL(kt_ring_complete);

static enum cpuhp_state buffer_hotplug;

void env_wake(struct kt_ring *ring)
{
	struct kt_buffer *buffer = ring->owner;

	irq_work_queue(&buffer->wake);
}

static void buffer_wake(struct irq_work *work)
{
	struct kt_buffer *buffer = container_of(work, struct kt_buffer, wake);

	wake_up_all(&buffer->readers);
}

/* ---- rings that take nothing ---------------------------------------------- */

struct closed {
	struct kt_ring ring;
	struct kt_buffer buffer;
	struct kt_control control;
};
static struct closed __percpu *closed;

static int __init closed_init(void)
{
	unsigned int cpu;

	closed = alloc_percpu(struct closed);
	if (!closed)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct closed *at = per_cpu_ptr(closed, cpu);

		kt_ring_init_closed(&at->ring, &at->control);
		at->ring.owner = &at->buffer;
		at->buffer.ring = &at->ring;
		at->buffer.cpu = cpu;
		/* Behind scratch_end: not even zero bytes can be taken. */
		at->buffer.scratch_next = &at->buffer;
	}
	return 0;
}

struct kt_ring __percpu *kt_rings_closed(void)
{
	return &closed->ring;
}

/* ---- memory --------------------------------------------------------------- */

/*
 * Buffers can be as large as all memory.  If memory is short, the allocation fails, rather
 * than the OOM killer killing other programs.  The memory is charged to the memory cgroup
 * of the process that asks for it.
 */
#define BUFFER_GFP (GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

static unsigned long buffer_pages(const struct kt_buffers *buffers)
{
	return (KT_CONTROL_SIZE + kt_buffer_bytes(buffers)) >> PAGE_SHIFT;
}

static bool memory_suffices(u64 pages)
{
	long available = si_mem_available();

	return available > 0 && pages <= available;
}

/*
 * Called before memory is given back.  Some events of the kernel show memory as it was before.
 * A poison byte that is found there (base/poison.c) would be taken for a leak of ours.
 */
static void remove_poison(void *memory, size_t size)
{
	if (static_branch_unlikely(&kt_poison_on) && memory)
		memset(memory, 0, size);
}

static void memory_free(struct kt_buffer *buffer)
{
	unsigned long i;

	remove_poison(buffer->memory, buffer->nr_pages << PAGE_SHIFT);
	vunmap(buffer->memory);
	for (i = 0; i < buffer->nr_pages; i++)
		__free_page(buffer->pages[i]);
	kvfree(buffer->pages);
}

/* Allocates page by page, because vmalloc() does not take both flags and a NUMA node. */
static int memory_make(struct kt_buffer *buffer, unsigned long pages, int node)
{
	if (!memory_suffices(pages))
		return -ENOMEM;
	buffer->pages = kvcalloc(pages, sizeof(*buffer->pages), BUFFER_GFP);
	if (!buffer->pages)
		return -ENOMEM;
	while (buffer->nr_pages < pages) {
		struct page *page =
			alloc_pages_node(node, BUFFER_GFP | __GFP_ZERO, 0);

		if (!page || fatal_signal_pending(current)) {
			if (page)
				__free_page(page);
			return -ENOMEM;
		}
		buffer->pages[buffer->nr_pages++] = page;
		cond_resched();
	}
	buffer->memory = vmap(buffer->pages, pages, VM_MAP, PAGE_KERNEL);
	return buffer->memory ? 0 : -ENOMEM;
}

static void buffer_destroy(struct kt_buffer *buffer)
{
	if (!buffer)
		return;
	irq_work_sync(&buffer->wake);
	kvfree(buffer->marks);
	remove_poison(buffer->scratch, KT_SCRATCH_SIZE);
	kvfree(buffer->scratch);
	memory_free(buffer);
	kfree(buffer);
}

/*
 * kt_ring_init() and kt_ring_reset() write the task that runs here into the header of the
 * ring's open packet.  But the ring may be of another CPU.  There a task record comes
 * before anything else, and a CPU that comes up begins with its idle task.
 */
static void buffer_claim_idle(struct kt_buffer *buffer)
{
	u32 unit = buffer->ring->head & buffer->ring->mask;
	struct kt_packet *open =
		kt_ring_at(buffer->ring, unit & ~(KT_PACKET_UNITS - 1));

	open->tid = 0;
	open->tgid = 0;
	memset(open->comm, 0, sizeof(open->comm));
	snprintf(open->comm, sizeof(open->comm), "swapper/%u", buffer->cpu);
}

static struct kt_buffer *buffer_create(struct kt_buffers *buffers,
				       unsigned int cpu)
{
	struct kt_ring *ring = per_cpu_ptr(buffers->rings, cpu);
	int numa_node = cpu_to_node(cpu);
	struct kt_buffer *buffer;
	int err = -ENOMEM;

	buffer = kzalloc_node(sizeof(*buffer), BUFFER_GFP, numa_node);
	if (!buffer)
		return ERR_PTR(-ENOMEM);
	buffer->cpu = cpu;
	buffer->ring = ring;
	mutex_init(&buffer->lock);
	init_waitqueue_head(&buffer->readers);
	init_irq_work(&buffer->wake, buffer_wake);
	if (memory_make(buffer, buffer_pages(buffers), numa_node))
		goto err_destroy;
	buffer->marks = kvcalloc(KT_RING_MARKS(buffers->packets), sizeof(u64),
				 BUFFER_GFP);
	/*
	 * Strings of programs are copied to this area.  For each copy, the kernel checks
	 * (hardened usercopy) where the area lies; if it comes from vmalloc(), that check
	 * takes a lock.
	 */
	buffer->scratch = kvzalloc_node(KT_SCRATCH_SIZE, BUFFER_GFP, numa_node);
	buffer->scratch_next = buffer->scratch;
	buffer->scratch_end = buffer->scratch + KT_SCRATCH_SIZE;
	if (!buffer->marks || !buffer->scratch)
		goto err_destroy;
	err = kt_ring_init(ring, buffer->memory,
			   buffer->memory + KT_CONTROL_SIZE, buffer->marks,
			   buffers->packets, buffers->mode, cpu,
			   buffers->trace_id);
	if (err)
		goto err_destroy;
	ring->owner = buffer;
	buffer_claim_idle(buffer);
	return buffer;

err_destroy:
	buffer_destroy(buffer);
	return ERR_PTR(err);
}

/* Nothing is recorded on this CPU. */
static void ring_close(struct kt_buffers *buffers, unsigned int cpu)
{
	*per_cpu_ptr(buffers->rings, cpu) = per_cpu_ptr(closed, cpu)->ring;
}

static int buffer_provide(struct kt_buffers *buffers, unsigned int cpu)
{
	struct kt_buffer *buffer;

	lockdep_assert_held(&buffers->lock);
	if (buffers->cpus[cpu])
		return 0;
	buffer = buffer_create(buffers, cpu);
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	buffers->cpus[cpu] = buffer;
	return 0;
}

/*
 * Called before a CPU comes up, and for each online CPU when a session starts.  An error
 * keeps the CPU down: its probes would write to a ring that has no memory.
 */
static int buffer_prepare_cpu(unsigned int cpu, struct hlist_node *node)
{
	struct kt_buffers *buffers =
		hlist_entry(node, struct kt_buffers, hotplug);
	int err;

	mutex_lock(&buffers->lock);
	if (cpumask_test_cpu(cpu, buffers->wanted)) {
		err = buffer_provide(buffers, cpu);
	} else {
		ring_close(buffers, cpu);
		err = 0;
	}
	mutex_unlock(&buffers->lock);
	if (err)
		pr_err("ktrace: no memory for the buffer of CPU %u\n", cpu);
	return err;
}

int __init kt_buffer_init(void)
{
	int state = closed_init();

	if (!state)
		state = cpuhp_setup_state_multi(CPUHP_BP_PREPARE_DYN,
						"ktrace:prepare",
						buffer_prepare_cpu, NULL);
	if (state < 0) {
		free_percpu(closed);
		return state;
	}
	buffer_hotplug = state;
	return 0;
}

void kt_buffer_exit(void)
{
	cpuhp_remove_multi_state(buffer_hotplug);
	free_percpu(closed);
}

int kt_buffers_init(struct kt_buffers *buffers)
{
	buffers->rings = __alloc_percpu_gfp(
		sizeof(*buffers->rings), SMP_CACHE_BYTES, GFP_KERNEL_ACCOUNT);
	if (!buffers->rings)
		return -ENOMEM;
	buffers->cpus =
		kcalloc(nr_cpu_ids, sizeof(*buffers->cpus), GFP_KERNEL_ACCOUNT);
	if (!buffers->cpus ||
	    !alloc_cpumask_var(&buffers->wanted, GFP_KERNEL_ACCOUNT)) {
		kfree(buffers->cpus);
		free_percpu(buffers->rings);
		return -ENOMEM;
	}
	cpumask_copy(buffers->wanted, cpu_possible_mask);
	mutex_init(&buffers->lock);
	buffers->mode = KT_MODE_DISCARD;
	buffers->packets = KT_BUFFER_DEFAULT >> KT_PACKET_SHIFT;
	buffers->trace_id = get_random_u64();
	return 0;
}

static void buffers_drop(struct kt_buffers *buffers)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		buffer_destroy(buffers->cpus[cpu]);
		buffers->cpus[cpu] = NULL;
	}
}

static void buffers_free(struct kt_buffers *buffers)
{
	if (buffers->started)
		cpuhp_state_remove_instance_nocalls(buffer_hotplug,
						    &buffers->hotplug);
	buffers->started = false;
	buffers_drop(buffers);
}

/* The caller makes sure that there is no writer and no open file. */
void kt_buffers_exit(struct kt_buffers *buffers)
{
	buffers_free(buffers);
	free_cpumask_var(buffers->wanted);
	kfree(buffers->cpus);
	free_percpu(buffers->rings);
}

/* Afterwards each online CPU that is wanted has a buffer, also those that come up later. */
int kt_buffers_start(struct kt_buffers *buffers)
{
	u64 pages = 0;
	unsigned int cpu;
	int err;

	lockdep_assert_held(&kt_mutex);
	if (buffers->started)
		return 0;
	/* Check for all of it, before the first buffer is made. */
	for_each_online_cpu(cpu) {
		if (!buffers->cpus[cpu] &&
		    cpumask_test_cpu(cpu, buffers->wanted))
			pages += buffer_pages(buffers);
	}
	if (!memory_suffices(pages))
		return -ENOMEM;
	err = cpuhp_state_add_instance(buffer_hotplug, &buffers->hotplug);
	if (err) {
		/* The session never started, so the buffers that were made are empty. */
		mutex_lock(&buffers->lock);
		if (!buffers->opens)
			buffers_drop(buffers);
		mutex_unlock(&buffers->lock);
		return err;
	}
	buffers->started = true;
	return 0;
}

/*
 * Empties all rings; what is written afterwards is a new trace.  The caller makes sure that
 * nobody writes, and that no other process reads.
 */
void kt_buffers_reset(struct kt_buffers *buffers)
{
	unsigned int cpu;

	lockdep_assert_held(&kt_mutex);
	mutex_lock(&buffers->lock);
	buffers->trace_id = get_random_u64();
	for_each_possible_cpu(cpu) {
		struct kt_buffer *buffer = buffers->cpus[cpu];

		if (!buffer)
			continue;
		mutex_lock(&buffer->lock);
		buffer->ring->control->trace_id = buffers->trace_id;
		kt_ring_reset(buffer->ring);
		buffer_claim_idle(buffer);
		mutex_unlock(&buffer->lock);
	}
	mutex_unlock(&buffers->lock);
}

bool kt_buffers_busy(struct kt_buffers *buffers, pid_t but)
{
	bool busy;

	mutex_lock(&buffers->lock);
	busy = buffers->opens && buffers->owner != but;
	mutex_unlock(&buffers->lock);
	return busy;
}

/* Drops the buffers with what is in them.  The next ones get the new mode, size and CPUs. */
int kt_buffers_change(struct kt_buffers *buffers, enum kt_mode mode,
		      u32 packets, const struct cpumask *wanted)
{
	lockdep_assert_held(&kt_mutex);
	/* Files are opened under kt_mutex, so none is opened meanwhile. */
	if (kt_buffers_busy(buffers, 0))
		return -EBUSY;
	buffers_free(buffers);
	cpumask_copy(buffers->wanted, wanted);
	buffers->mode = mode;
	buffers->packets = packets;
	buffers->trace_id = get_random_u64();
	return 0;
}

/* ---- readers -------------------------------------------------------------- */

/* One process at a time, because each packet can be consumed only once. */
int kt_buffer_open(struct kt_buffers *buffers, unsigned int cpu)
{
	int err;

	lockdep_assert_held(&kt_mutex);
	mutex_lock(&buffers->lock);
	err = -EBUSY;
	if (buffers->opens && buffers->owner != current->tgid)
		goto out;
	/* The file was found before this changed. */
	err = -ENOENT;
	if (!cpumask_test_cpu(cpu, buffers->wanted))
		goto out;
	err = buffer_provide(buffers, cpu);
	if (err)
		goto out;
	buffers->owner = current->tgid;
	buffers->opens++;
out:
	mutex_unlock(&buffers->lock);
	return err;
}

void kt_buffer_release(struct kt_buffers *buffers)
{
	mutex_lock(&buffers->lock);
	if (!--buffers->opens)
		buffers->owner = 0;
	mutex_unlock(&buffers->lock);
}

struct buffer_flush {
	struct kt_ring *ring;
	int result;
};

static void buffer_flush_here(void *data)
{
	struct buffer_flush *flush = data;

	flush->result = kt_ring_flush(flush->ring);
}

/* A CPU that is down has no writer, so this CPU may flush in its place. */
static void buffer_flush_offline(struct kt_buffer *buffer,
				 struct buffer_flush *flush)
{
	u64 head = buffer->ring->head;

	preempt_disable();
	buffer_flush_here(flush);
	preempt_enable();
	if (buffer->ring->head != head)
		buffer_claim_idle(buffer);
}

/*
 * Flushes on the ring's own CPU, as a writer does.  Meanwhile the CPU cannot come up or go
 * down, and nobody can reset the ring: a reset must not meet a writer.
 */
int kt_buffer_flush(struct kt_buffer *buffer)
{
	struct buffer_flush flush = {.ring = buffer->ring};
	int err = 0;

	cpus_read_lock();
	mutex_lock(&buffer->lock);
	if (cpu_online(buffer->cpu))
		err = smp_call_function_single(buffer->cpu, buffer_flush_here,
					       &flush, true);
	else
		buffer_flush_offline(buffer, &flush);
	mutex_unlock(&buffer->lock);
	cpus_read_unlock();
	return err ?: flush.result;
}

int kt_buffer_consume(struct kt_buffer *buffer, u64 seq)
{
	int err;

	mutex_lock(&buffer->lock);
	err = kt_ring_consume(buffer->ring, seq);
	mutex_unlock(&buffer->lock);
	return err;
}

/* ---- counts --------------------------------------------------------------- */

static void overflow_line(struct seq_file *m, u64 events, const u64 *lost)
{
	static const char *const names[KT_LOST_NR] = {
		[KT_LOST_FULL] = "full",
		[KT_LOST_OVERWRITTEN] = "overwritten",
		[KT_LOST_NESTED] = "nested",
		[KT_LOST_LARGE] = "large",
		[KT_LOST_TASK] = "task",
		[KT_LOST_RECURSION] = "recursion",
	};
	int i;

	seq_printf(m, " events %llu", events);
	for (i = 0; i < KT_LOST_NR; i++)
		seq_printf(m, " %s %llu", names[i], lost[i]);
	seq_putc(m, '\n');
}

/* The file `overflow': events recorded and lost, for each CPU and in total. */
void kt_buffers_show(struct seq_file *m, struct kt_buffers *buffers)
{
	u64 total_events = 0, total_lost[KT_LOST_NR] = {};
	unsigned int cpu;

	mutex_lock(&buffers->lock);
	for_each_possible_cpu(cpu) {
		const struct kt_control *control;
		u64 lost[KT_LOST_NR], events;
		int i;

		if (!buffers->cpus[cpu])
			continue;
		control = buffers->cpus[cpu]->ring->control;
		events = READ_ONCE(control->events);
		total_events += events;
		for (i = 0; i < KT_LOST_NR; i++) {
			lost[i] = READ_ONCE(control->lost[i]);
			total_lost[i] += lost[i];
		}
		seq_printf(m, "cpu%u", cpu);
		overflow_line(m, events, lost);
	}
	mutex_unlock(&buffers->lock);
	seq_puts(m, "total");
	overflow_line(m, total_events, total_lost);
}
