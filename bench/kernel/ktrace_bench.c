// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Loops that fire one tracepoint, for the benchmarks.
 *
 * Writing N to /sys/kernel/debug/ktrace_bench/SOURCE fires N events.  Reading
 * it returns the advance of the time-stamp counter.  In a virtual machine whose
 * clock counts instructions (tools/vm --icount), this is the number of
 * instructions, with all that the loop has caused.  So the cost of a tracer is
 * the difference to the loop without it.
 *
 *	cpu_idle	power:cpu_idle, two words: a plain tracepoint
 *	kmalloc		kmem:kmalloc, fired by kmalloc() itself, and a kfree()
 *	console		printk:console with a text of 200 bytes
 *	function	calls bench_function(), which has three arguments and a result
 *	probe		calls bench_probed(), which begins with instructions that do nothing
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <trace/events/power.h>
#include <asm/msr.h>

#define TEXT_LEN 200

static char text[TEXT_LEN + 1];
static struct tracepoint *console;

static void fire_cpu_idle(unsigned long n)
{
	while (n--)
		trace_cpu_idle(1, 0);
}

static void fire_kmalloc(unsigned long n)
{
	while (n--) {
		void *p = kmalloc(64, GFP_KERNEL);

		/* Or the compiler removes both. */
		OPTIMIZER_HIDE_VAR(p);
		kfree(p);
	}
}

/*
 * Does the same as trace_console(text, len).  Modules cannot name this
 * tracepoint, but the trampoline of its static call leads to the probes, as in
 * the kernel.
 */
static void fire_console(unsigned long n)
{
	void (*call)(void *data, const char *text, size_t len) =
		console->static_call_tramp;

	while (n--) {
		struct tracepoint_func *probe;

		if (!static_key_enabled(&console->key))
			continue;
		preempt_disable_notrace();
		probe = rcu_dereference_raw(console->funcs);
		if (probe)
			call(probe->data, text, TEXT_LEN);
		preempt_enable_notrace();
	}
}

noinline long bench_function(long a, long b, long c);
noinline long bench_function(long a, long b, long c)
{
	/* Or the compiler drops calls whose result nobody wants. */
	barrier();
	return a + b + c;
}

static void fire_function(unsigned long n)
{
	while (n--)
		bench_function(1, 2, 3);
}

/* The kernel replaces whole instructions by a jump; nobody jumps there. */
noinline long bench_probed(long a, long b, long c);
noinline long bench_probed(long a, long b, long c)
{
	asm volatile(".nops 8\n.nops 8\n.nops 8\n" : : "D"(a), "S"(b), "d"(c));
	return a + b + c;
}

static void fire_probe(unsigned long n)
{
	while (n--)
		bench_probed(1, 2, 3);
}

struct source {
	const char *name;
	void (*fire)(unsigned long n);
	u64 advance;
};

static struct source sources[] = {
	{"cpu_idle", fire_cpu_idle}, {"kmalloc", fire_kmalloc},
	{"console", fire_console},   {"function", fire_function},
	{"probe", fire_probe},
};

static int source_run(void *data, u64 n)
{
	struct source *source = data;
	u64 begin = rdtsc();

	source->fire(n);
	source->advance = rdtsc() - begin;
	return 0;
}

static int source_result(void *data, u64 *advance)
{
	struct source *source = data;

	*advance = source->advance;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(source_fops, source_result, source_run, "%llu\n");

static struct dentry *folder;

static void find_console(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "console"))
		console = tp;
}

static int __init bench_init(void)
{
	size_t i;

	memset(text, 'x', TEXT_LEN);
	for_each_kernel_tracepoint(find_console, NULL);
	if (!console)
		return -ENOENT;

	folder = debugfs_create_dir("ktrace_bench", NULL);
	for (i = 0; i < ARRAY_SIZE(sources); i++)
		debugfs_create_file_unsafe(sources[i].name, 0600, folder,
					   &sources[i], &source_fops);
	return 0;
}
module_init(bench_init);

static void __exit bench_exit(void)
{
	debugfs_remove(folder);
}
module_exit(bench_exit);

MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Loops that fire one tracepoint");
