// SPDX-License-Identifier: GPL-2.0-only
/* The stack of the program that runs: see stack.h. */
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include "compat/compat.h"
#include "compat/program.h"
#include "file.h"
#include "space.h"
#include "stack.h"
#include "unwind.h"

/*
 * A read of memory that is not there is a page fault, which has a tracepoint, whose probe
 * may want a stack.  So in each context there is one walk at a time.
 */
enum context { TASK, SOFTIRQ, IRQ, CONTEXTS };

/* What walks on one CPU use. */
struct walker {
	struct kt_unwind_cache cache;
	struct kt_unwind_return returns[CONTEXTS][KT_RETURNS_MAX];
};

static struct walker __percpu *walkers;

static DEFINE_PER_CPU(bool[CONTEXTS], walking);

static __always_inline enum context context_now(void)
{
	if (in_hardirq())
		return IRQ;
	return in_serving_softirq() ? SOFTIRQ : TASK;
}

/*
 * In the middle of a context switch, where interrupts are off, the CPU may have the memory of
 * another task than the current one.
 */
static __always_inline bool memory_is_here(void)
{
	return likely(!irqs_disabled()) ||
	       likely(read_cr3_pa() == __pa(current->mm->pgd));
}

int kt_program_stacks_begin(void)
{
	walkers = alloc_percpu(struct walker);
	return walkers ? 0 : -ENOMEM;
}

void kt_program_stacks_end(void)
{
	free_percpu(walkers);
	walkers = NULL;
}

/*
 * Functions with a uretprobe that the task is in.  An event may come while the kernel takes the
 * first of them off, so the list may lead to memory that was freed.
 */
static noinline u32 returns_get(struct kt_unwind_return *to)
{
	struct kt_return_instance *at;
	u32 nr = 0;

	if (get_kernel_nofault(at, kt_task_returns(current)))
		return 0;
	while (at && nr < KT_RETURNS_MAX) {
		unsigned long sp, ip;

		if (get_kernel_nofault(sp, &at->stack) ||
		    get_kernel_nofault(ip, &at->orig_ret_vaddr) ||
		    get_kernel_nofault(at, &at->next))
			break;
		to[nr++] = (struct kt_unwind_return){.sp = sp, .ip = ip};
	}
	return nr;
}

static __always_inline unsigned int walk(u64 *to, const struct pt_regs *regs,
					 enum context context, bool behind,
					 struct kt_unwind_ended *ended)
{
	const struct kt_maps *maps = kt_space_maps(current->mm);
	struct walker *walker = this_cpu_ptr(walkers);
	struct kt_unwind_start start __kt_uninitialized;
	struct kt_unwind_space space __kt_uninitialized;

	/* Mostly, the registers are of the old program, and the memory is of the new one. */
	if (unlikely(!maps) && current->in_execve) {
		ended->end = KT_STACK_EXEC;
		return 0;
	}
	if (unlikely(!maps)) {
		to[0] = regs->ip & KT_FRAME_PLACE_MASK;
		ended->end = KT_STACK_NO_MAPS;
		return 1;
	}
	start.ip = regs->ip;
	start.sp = regs->sp;
	start.bp = regs->bp;
	start.bx = regs->bx;
	start.behind = behind;
	start.registers = regs;
	start.narrow = !user_64bit_mode((struct pt_regs *)regs);
	start.nr_returns = 0;
	if (unlikely(kt_task_has_returns(current))) {
		start.returns = walker->returns[context];
		start.nr_returns = returns_get(walker->returns[context]);
	}
	space.maps = maps->maps;
	space.nr = maps->nr;
	space.salt = maps->salt + READ_ONCE(kt_tables_salt);
	return kt_unwind_program(&space, &walker->cache, &start, KT_STACK_MAX,
				 to, ended);
}

unsigned int kt_program_stack(u64 *to, bool behind,
			      struct kt_unwind_ended *ended)
{
	const struct pt_regs *regs = task_pt_regs(current);
	enum context context;
	unsigned int nr;
	bool *busy;

	if (current->flags & KT_PF_NO_PROGRAM || !current->mm) {
		ended->end = KT_STACK_COMPLETE;
		return 0;
	}
	if (unlikely(in_nmi()) || unlikely(!memory_is_here())) {
		ended->end = KT_STACK_CONTEXT;
		return 0;
	}
	context = context_now();
	busy = &(*this_cpu_ptr(&walking))[context];
	if (unlikely(*busy)) {
		ended->end = KT_STACK_CONTEXT;
		return 0;
	}
	*busy = true;
	barrier();
	nr = walk(to, regs, context, behind, ended);
	barrier();
	*busy = false;
	return nr;
}

void kt_program_places(const struct mm_struct *mm, u64 *addresses,
		       unsigned int nr)
{
	const struct kt_maps *maps = kt_space_maps(mm);
	struct kt_unwind_space space = {};
	unsigned int i;

	if (maps) {
		space.maps = maps->maps;
		space.nr = maps->nr;
	}
	for (i = 0; i < nr; i++)
		addresses[i] = kt_unwind_place(&space, addresses[i]);
}
