// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plays the branch trace store of a processor (kernel/source/branch/store.h), which no emulator has.
 *
 *	/sys/kernel/debug/ktrace-store/
 *	  play	"play PLAYER FIRST COUNT": the writing task plays as many branches, on the CPU where it is
 *		then: numbers from FIRST on, the even ones those of a program, the odd ones of the kernel.
 *		The processor writes those that it is told to record.
 *		"burst PLAYER FIRST COUNT": the same with interrupts off all the time
 *		"kinds": branches with instructions at their places
 *		"part": the store has less than a record
 *		"fail CPU ERROR": from now on, that CPU's store does not begin; 0: it does
 *		"away 1": perf has taken the stores away, until "away 0"
 *	  state	how many were written, were not wanted, and found no room; how many NMIs there were, and
 *		after how many perf did not find what it was to find
 *
 * A branch has PLAYER and its number in its addresses, at which there is no memory.  The store is emptied
 * as perf does it: by perf's function, in an NMI that comes when the store is nearly full.  Other NMIs come
 * from the CPU beside, at any time.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/static_call.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/apic.h>
#include <asm/intel_ds.h>
#include <asm/nmi.h>

#include "base/symbol.h"
#include "source/branch/producer.h"
#include "source/branch/store.h"

/* As the processor writes it. */
struct record {
	u64 from, to, flags;
};

/* What perf's store has. */
#define RECORDS	  2730u
#define THRESHOLD (RECORDS / 16 * 15)

struct played {
	struct debug_store *store; /* NULL: it has not begun */
	int paused;
	unsigned int modes; /* what is recorded while it is not paused */
	bool nmi_sent;
	u64 written, unwanted, dropped;
	u64 nmis, broken;
};

static DEFINE_PER_CPU(struct played, played);
static struct dentry *dir;

static unsigned int failing_cpu;
static int failing; /* an error; 0: none */
static bool away;

typedef int drain_fn(void);
DEFINE_STATIC_CALL_NULL(drain, drain_fn);

/* ---- the machine ---------------------------------------------------------- */

static const char *machine_lacks(void)
{
	return NULL;
}

static int machine_begin(unsigned int cpu)
{
	struct played *own = per_cpu_ptr(&played, cpu);
	struct record *records;
	struct debug_store *store;

	if (failing && cpu == failing_cpu)
		return -failing;
	records = vzalloc(array_size(RECORDS, sizeof(*records)));
	store = vzalloc(sizeof(*store));
	if (!records || !store) {
		vfree(records);
		vfree(store);
		return -ENOMEM;
	}
	store->bts_buffer_base = (u64)records;
	store->bts_index = (u64)records;
	store->bts_absolute_maximum = (u64)(records + RECORDS);
	store->bts_interrupt_threshold = (u64)(records + THRESHOLD);
	own->modes = 0;
	/* The last one may have been sent to a CPU that was going off. */
	own->nmi_sent = false;
	WRITE_ONCE(own->store, store);
	return 0;
}

static void machine_end(unsigned int cpu)
{
	struct played *own = per_cpu_ptr(&played, cpu);
	struct debug_store *store = own->store;

	/* On this CPU, so no NMI of it is in the midst of the store. */
	WRITE_ONCE(own->store, NULL);
	vfree((void *)store->bts_buffer_base);
	vfree(store);
}

static struct debug_store *machine_here(void)
{
	return READ_ONCE(away) ? NULL : this_cpu_read(played.store);
}

static void machine_pause(void)
{
	this_cpu_inc(played.paused);
}

static void machine_resume(unsigned int modes)
{
	this_cpu_write(played.modes, modes);
	this_cpu_dec(played.paused);
}

static const struct branch_machine machine = {
	.driver = {.owner = THIS_MODULE,
		   .lacks = machine_lacks,
		   .begin = machine_begin,
		   .end = machine_end},
	.here = machine_here,
	.pause = machine_pause,
	.resume = machine_resume,
};

/* ---- NMIs ----------------------------------------------------------------- */

static bool is_none(const struct record *record)
{
	return !record->from && !record->to;
}

/* Was something there that was to be taken? */
static bool store_has(const struct debug_store *store)
{
	const struct record *records = (void *)store->bts_buffer_base;
	u64 nr = (store->bts_index - store->bts_buffer_base) / sizeof(*records);

	return nr > is_none(records);
}

/* perf's function finds a record that is none; here it finds no event of its own, and leaves it. */
static bool store_left(const struct debug_store *store)
{
	const struct record *records = (void *)store->bts_buffer_base;

	return store->bts_index == (u64)(records + 1) && is_none(records);
}

static int nmi(unsigned int type, struct pt_regs *regs)
{
	const struct debug_store *store = machine_here();
	bool had;

	if (!this_cpu_read(played.nmi_sent))
		return NMI_DONE;
	this_cpu_write(played.nmi_sent, false);
	this_cpu_inc(played.nmis);
	machine_pause();
	had = store && store_has(store);
	static_call(drain)();
	if (had && !store_left(store))
		this_cpu_inc(played.broken);
	this_cpu_dec(played.paused);
	return NMI_HANDLED;
}

/* Several may become one. */
static void nmi_send(unsigned int cpu)
{
	struct played *other = per_cpu_ptr(&played, cpu);

	if (READ_ONCE(other->nmi_sent))
		return;
	WRITE_ONCE(other->nmi_sent, true);
	apic->send_IPI(cpu, NMI_VECTOR);
}

/* The processor goes on for a while, and has room for that. */
static void nmi_await(struct played *own)
{
	unsigned long tries;

	nmi_send(smp_processor_id());
	for (tries = 0; READ_ONCE(own->nmi_sent) && tries < 100000000; tries++)
		cpu_relax();
}

/* ---- branches ------------------------------------------------------------- */

/* As the processor does it: an NMI comes before it, or behind it. */
static void store_write(struct played *own, u64 from, u64 to)
{
	u64 index;

	do {
		index = READ_ONCE(own->store->bts_index);
		if (index + sizeof(struct record) >=
		    own->store->bts_absolute_maximum) {
			own->dropped++;
			return;
		}
		*(struct record *)index =
			(struct record){.from = from, .to = to};
	} while (cmpxchg(&own->store->bts_index, index,
			 index + sizeof(struct record)) != index);
	own->written++;
}

static void branch(unsigned int mode, u64 from, u64 to)
{
	struct played *own;
	unsigned long flags;

	local_irq_save(flags);
	own = this_cpu_ptr(&played);
	if (!own->store || own->paused || !(own->modes & mode)) {
		own->unwanted++;
	} else if (READ_ONCE(away)) {
		own->dropped++;
	} else {
		store_write(own, from, to);
		if (own->store->bts_index >=
		    own->store->bts_interrupt_threshold)
			nmi_await(own);
	}
	local_irq_restore(flags);
}

/* Places where no memory is, of a program and of the kernel. */
#define PROGRAM 0x0000100000000000ull
#define KERNEL	0xffff800000000000ull

static void play_one(u64 player, u64 i)
{
	u64 place = (i & 1 ? KERNEL : PROGRAM) | player << 36 | i << 8;

	branch(i & 1 ? BRANCH_KERNEL : BRANCH_USER, place, place + 0x80);
}

static void burst(u64 player, u64 first, u64 count)
{
	unsigned long flags;
	u64 i;

	local_irq_save(flags);
	for (i = first; i < first + count; i++)
		play_one(player, i);
	local_irq_restore(flags);
}

static void play(u64 player, u64 first, u64 count)
{
	u64 i;

	for (i = first; i < first + count; i++) {
		play_one(player, i);
		if (!(i % 64) && num_online_cpus() > 1)
			nmi_send(cpumask_any_but(cpu_online_mask,
						 raw_smp_processor_id()));
		if (!(i % 256))
			cond_resched();
	}
}

/* Of each kind one; behind it is the place to which it goes, if it says so itself. */
static const u8 code[] = {
	0xeb, 0x02, 0x90, 0x90,	      /* 0: jmp 4 */
	0x75, 0x02, 0x90, 0x90,	      /* 4: jne 8 */
	0xff, 0xe0,		      /* 8: jmp *%rax */
	0xe8, 0x02, 0x00, 0x00, 0x00, /* 10: call 17 */
	0x90, 0x90,		      /* 15 */
	0xff, 0xd0,		      /* 17: call *%rax */
	0xc3,			      /* 19: ret */
	0x90,			      /* 20: nop */
};

static void play_kinds(void)
{
	static const u8 branches[][2] = {
		{0, 4},	 {4, 8},   {8, 0},   {10, 17},
		{17, 0}, {19, 10}, {20, 10}, /* an interrupt */
		{0, 8}, /* something else is there by now */
	};
	u64 base = (u64)code;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(branches); i++)
		branch(BRANCH_KERNEL, base + branches[i][0],
		       base + branches[i][1]);
	branch(BRANCH_KERNEL, PROGRAM, base);
	branch(BRANCH_KERNEL, base, PROGRAM);
}

static void play_part(void)
{
	struct debug_store *store;

	preempt_disable();
	store = machine_here();
	if (store)
		store->bts_index = store->bts_buffer_base + 8;
	preempt_enable();
}

/* ---- files ---------------------------------------------------------------- */

static ssize_t play_write(struct file *file, const char __user *from,
			  size_t size, loff_t *pos)
{
	u64 player, first, count;
	char command[64] = "";
	unsigned int is_away;

	if (size >= sizeof(command))
		return -E2BIG;
	if (copy_from_user(command, from, size))
		return -EFAULT;
	if (!strcmp(strim(command), "kinds"))
		play_kinds();
	else if (!strcmp(strim(command), "part"))
		play_part();
	else if (sscanf(command, "play %llu %llu %llu", &player, &first,
			&count) == 3)
		play(player, first, count);
	else if (sscanf(command, "burst %llu %llu %llu", &player, &first,
			&count) == 3)
		burst(player, first, count);
	else if (sscanf(command, "away %u", &is_away) == 1)
		WRITE_ONCE(away, is_away);
	else if (sscanf(command, "fail %u %d", &failing_cpu, &failing) == 2)
		return size;
	else
		return -EINVAL;
	return size;
}

static const struct file_operations play_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = play_write,
};

static int state_show(struct seq_file *m, void *unused)
{
	u64 written = 0, unwanted = 0, dropped = 0, nmis = 0, broken = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct played *own = per_cpu_ptr(&played, cpu);

		written += own->written;
		unwanted += own->unwanted;
		dropped += own->dropped;
		nmis += own->nmis;
		broken += own->broken;
	}
	seq_printf(m, "written %llu\nunwanted %llu\ndropped %llu\n", written,
		   unwanted, dropped);
	seq_printf(m, "nmis %llu\nbroken %llu\n", nmis, broken);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static int __init store_init(void)
{
	unsigned long address = kt_symbol("intel_pmu_drain_bts_buffer");
	int err;

	if (!address)
		return -ENOENT;
	static_call_update(drain, (drain_fn *)address);
	err = register_nmi_handler(NMI_LOCAL, nmi, 0, "ktrace-store");
	if (err)
		return err;
	err = branch_store_play(&machine);
	if (err) {
		unregister_nmi_handler(NMI_LOCAL, "ktrace-store");
		return err;
	}
	dir = debugfs_create_dir("ktrace-store", NULL);
	debugfs_create_file("play", 0200, dir, NULL, &play_fops);
	debugfs_create_file("state", 0400, dir, NULL, &state_fops);
	return 0;
}

static void __exit store_exit(void)
{
	debugfs_remove(dir);
	/* Who has a context open holds the module. */
	branch_store_play(NULL);
	unregister_nmi_handler(NMI_LOCAL, "ktrace-store");
}

module_init(store_init);
module_exit(store_exit);
MODULE_DESCRIPTION("A branch trace store for ktrace's tests");
MODULE_LICENSE("GPL");
