// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fails allocations of ktrace, to test what it does then.  For tests only; never installed.
 *
 *	echo N >/sys/kernel/debug/ktrace-fault/nth
 *
 * fails the N-th allocation from then on that the writer, or a child of it, makes in ktrace's code,
 * or in what that calls; 0: none.  The file `hit' shows whether that has happened, and `where' in
 * which function.
 *
 * The functions that allocate have a kprobe behind their entry, where the stack is still the
 * caller's, so the handler can return from them.  No configuration of the kernel is needed.
 */
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "base/symbol.h"

/* As the kernels call them: those that are not there are left out. */
static const struct allocator {
	const char *name;
	bool direct; /* only if ktrace's code calls it: page faults allocate, too */
} allocators[] = {
	{"__kmalloc"},
	{"__kmalloc_noprof"},
	{"__kmalloc_node"},
	{"__kmalloc_node_noprof"},
	{"__kmalloc_node_track_caller"},
	{"__kmalloc_node_track_caller_noprof"},
	{"kmalloc_trace"},
	{"kmalloc_node_trace"},
	{"__kmalloc_cache_noprof"},
	{"__kmalloc_cache_node_noprof"},
	{"kmem_cache_alloc"},
	{"kmem_cache_alloc_noprof"},
	{"kmem_cache_alloc_lru"},
	{"kmem_cache_alloc_lru_noprof"},
	{"kvmalloc_node"},
	{"__kvmalloc_node_noprof"},
	{"__vmalloc_node_range"},
	{"__vmalloc_node_range_noprof"},
	{"__alloc_percpu_gfp"},
	{"__alloc_percpu"},
	{"pcpu_alloc_noprof"},
	{"vmap"},
	{"__alloc_pages", true},
	{"__alloc_pages_noprof", true},
};

static struct kprobe probes[ARRAY_SIZE(allocators)];
static struct dentry *dir;
static struct task_struct *victim; /* only compared */
static atomic_long_t left;
static unsigned long where;
static u32 hit;

static bool is_ours(unsigned long address)
{
	char name[MODULE_NAME_LEN] = "";

	return kt_symbol_module(address, name) &&
	       !strncmp(name, "ktrace", strlen("ktrace")) &&
	       strcmp(name, THIS_MODULE->name);
}

static bool is_called_by_us(unsigned long caller, bool direct)
{
	unsigned long entries[32];
	unsigned int nr, i;

	if (is_ours(caller) || direct)
		return is_ours(caller);
	nr = stack_trace_save(entries, ARRAY_SIZE(entries), 0);
	for (i = 0; i < nr; i++)
		if (is_ours(entries[i]))
			return true;
	return false;
}

/* The exception of the probe counts as an interrupt. */
static bool is_in_task(void)
{
	return hardirq_count() <= HARDIRQ_OFFSET && !in_serving_softirq();
}

static int allocator_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	unsigned long caller = *(unsigned long *)regs->sp;
	const struct task_struct *task = READ_ONCE(victim);

	if (!task || !is_in_task() ||
	    (current != task &&
	     rcu_access_pointer(current->real_parent) != task))
		return 0;
	if (!is_called_by_us(caller, allocators[kprobe - probes].direct) ||
	    atomic_long_dec_return(&left))
		return 0;
	where = caller;
	WRITE_ONCE(hit, 1);
	/* As if it had returned NULL. */
	regs->ax = 0;
	regs->ip = caller;
	regs->sp += sizeof(long);
	return 1;
}

/* With this, the kernel does not optimise the probe: then it would not take what the other returns. */
static void allocator_after(struct kprobe *kprobe, struct pt_regs *regs,
			    unsigned long flags)
{
}

/* How far the first instruction is behind the entry that is no place for ftrace's or IBT's; 0: none. */
static unsigned int entry_size(const u8 *code)
{
	static const u8 nop[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
	unsigned int at;

	for (at = 0; at <= 4; at += 4)
		if (!memcmp(code + at, nop, sizeof(nop)) || code[at] == 0xe8)
			return at + sizeof(nop);
	return 0;
}

static void probe_place(unsigned int i)
{
	unsigned long function = kt_symbol(allocators[i].name);
	unsigned int size = function ? entry_size((const u8 *)function) : 0;

	if (!size)
		return;
	probes[i].addr = (kprobe_opcode_t *)(function + size);
	probes[i].pre_handler = allocator_hit;
	probes[i].post_handler = allocator_after;
	if (register_kprobe(&probes[i]))
		probes[i].addr = NULL;
}

static ssize_t nth_write(struct file *file, const char __user *from,
			 size_t size, loff_t *pos)
{
	long nth;
	int err = kstrtol_from_user(from, size, 0, &nth);

	if (err)
		return err;
	WRITE_ONCE(victim, NULL);
	WRITE_ONCE(hit, 0);
	atomic_long_set(&left, nth);
	if (nth)
		WRITE_ONCE(victim, current);
	return size;
}

static const struct file_operations nth_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = nth_write,
};

static int where_show(struct seq_file *m, void *data)
{
	seq_printf(m, "%ps\n", (void *)where);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(where);

static void places_drop(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].addr)
			unregister_kprobe(&probes[i]);
}

static int __init fault_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		probe_place(i);
	dir = debugfs_create_dir("ktrace-fault", NULL);
	debugfs_create_file("nth", 0200, dir, NULL, &nth_fops);
	debugfs_create_file("where", 0400, dir, NULL, &where_fops);
	debugfs_create_u32("hit", 0400, dir, &hit);
	return 0;
}

static void __exit fault_exit(void)
{
	debugfs_remove(dir);
	places_drop();
}

module_init(fault_init);
module_exit(fault_exit);
MODULE_DESCRIPTION("Fails allocations, for ktrace's tests");
MODULE_LICENSE("GPL");
