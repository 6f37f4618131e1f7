// SPDX-License-Identifier: GPL-2.0-only
/* The stack of the program that runs: see stack.h. */
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/ptrace.h>

#include "compat/compat.h"
#include "compat/program.h"
#include "file.h"
#include "space.h"
#include "stack.h"
#include "unwind.h"

static struct kt_unwind_cache __percpu *caches;

/*
 * A read of memory that is not there is a page fault, which has a tracepoint, whose probe
 * may want a stack.  So in each context there is one walk at a time.
 */
enum context { TASK, SOFTIRQ, IRQ, CONTEXTS };

static DEFINE_PER_CPU(bool[CONTEXTS], walking);

static __always_inline enum context context_now(void)
{
	if (in_hardirq())
		return IRQ;
	return in_serving_softirq() ? SOFTIRQ : TASK;
}

int kt_program_stacks_begin(void)
{
	caches = alloc_percpu(struct kt_unwind_cache);
	return caches ? 0 : -ENOMEM;
}

void kt_program_stacks_end(void)
{
	free_percpu(caches);
	caches = NULL;
}

static __always_inline unsigned int walk(u64 *to, const struct pt_regs *regs,
					 bool behind, enum kt_stack_end *end)
{
	const struct kt_maps *maps = kt_space_maps(current->mm);
	const struct kt_unwind_start start = {
		.ip = regs->ip,
		.sp = regs->sp,
		.bp = regs->bp,
		.bx = regs->bx,
		.behind = behind,
		.registers = regs,
		.narrow = !user_64bit_mode((struct pt_regs *)regs),
	};
	struct kt_unwind_space space __kt_uninitialized;

	if (unlikely(!maps)) {
		to[0] = regs->ip & KT_FRAME_PLACE_MASK;
		*end = KT_STACK_NO_MAPS;
		return 1;
	}
	space.maps = maps->maps;
	space.nr = maps->nr;
	space.salt = maps->salt + READ_ONCE(kt_tables_salt);
	return kt_unwind_program(&space, this_cpu_ptr(caches), &start,
				 KT_STACK_MAX, to, end);
}

unsigned int kt_program_stack(u64 *to, bool behind, enum kt_stack_end *end)
{
	const struct pt_regs *regs = task_pt_regs(current);
	unsigned int nr;
	bool *busy;

	if (current->flags & KT_PF_NO_PROGRAM || !current->mm) {
		*end = KT_STACK_COMPLETE;
		return 0;
	}
	if (unlikely(in_nmi())) {
		*end = KT_STACK_CONTEXT;
		return 0;
	}
	busy = &(*this_cpu_ptr(&walking))[context_now()];
	if (unlikely(*busy)) {
		*end = KT_STACK_CONTEXT;
		return 0;
	}
	*busy = true;
	barrier();
	nr = walk(to, regs, behind, end);
	barrier();
	*busy = false;
	return nr;
}
