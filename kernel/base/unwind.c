// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks over the kernel's stack by the kernel's own tables (ORC).
 *
 * For each place in the code, a table says where the frame of the caller begins, and where
 * the return address and the frame pointer are saved.  stack_trace_save() uses the same
 * tables and takes ten times as long: it searches the table for each frame, and calls
 * several functions.  Here each CPU remembers what it found, by address.  Most functions
 * have a frame of a known size, and were called: walk_calls() goes over these in one short
 * loop.  All others take a step of their own (step_any()).
 *
 * No pointer is trusted.  All that is read lies in a stack of this CPU: that of the task, of
 * interrupts, of exceptions or of the entry code.  These are always mapped, so a walk causes
 * no fault.  Addresses on one stack only grow, so a walk ends.
 *
 * The tables are not exported.  When this module is loaded, it walks and compares
 * with stack_trace_save().  If the tables cannot be found, or the results differ, then
 * stack_trace_save() is used for all stacks.
 */
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/rethook.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/static_call.h>

#include "orc.h"
#include "symbol.h"
#include "unwind.h"

static bool kernel_unwinder;
module_param(kernel_unwinder, bool, 0444);
MODULE_PARM_DESC(
	kernel_unwinder,
	"take stacks by the kernel's stack_trace_save(), which is slower");

/* Are the innermost frames, of which this is the next one, hidden? */
static __always_inline bool hides(const struct kt_hidden *hidden, u64 address)
{
	unsigned int i;

#pragma GCC unroll 3
	for (i = 0; i < KT_HIDDEN_MAX; i++) {
		if (address - hidden->code[i].begin < hidden->code[i].size)
			return true;
	}
	return false;
}

/* ---- by the kernel -------------------------------------------------------- */

static noinline unsigned int kernel_walk(u64 *to,
					 const struct kt_caller *caller,
					 const struct kt_hidden *hidden,
					 enum kt_stack_end *end)
{
	unsigned long *found = (unsigned long *)to;
	unsigned int nr, skip = 0;

	nr = stack_trace_save(found, KT_STACK_MAX, 1);
	while (skip < nr && to[skip] != caller->pc)
		skip++;
	if (skip == nr)
		skip = 0;
	while (skip < nr && hides(hidden, to[skip]))
		skip++;
	*end = nr == KT_STACK_MAX ? KT_STACK_TRUNCATED : KT_STACK_UNKNOWN;
	memmove(to, to + skip, (nr - skip) * sizeof(*to));
	return nr - skip;
}

#ifdef KT_ORC

#include <asm/cpu_entry_area.h>

#include "compat/compat.h"
#include "compat/stack.h"
#include "compat/unwind.h"

/* ---- what is remembered --------------------------------------------------- */

static u64 hook_graph,
	hook_rethook; /* what takes the place of return addresses */

KT_IRQ_STACK_DEFINE;
static unsigned long __percpu *exception_stacks;

#ifdef CONFIG_RETHOOK
DEFINE_STATIC_CALL_NULL(rethook_find, rethook_find_ret_addr);
#endif
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
DEFINE_STATIC_CALL_NULL(graph_find, ftrace_graph_ret_addr);
#endif

#define MULTIPLIER  0x9e3779b97f4a7c15ull
#define MEMORY_BITS 10

/*
 * An interrupt may come between the two stores; so check is made of the rule and of the address.
 * The product spreads the rule's bits: else it could fit to the rule of one place and the address
 * of another one.
 */
struct remembered {
	u64 rule; /* union kt_orc_rule */
	u64 check;
};

struct memory {
	struct remembered rows[1 << MEMORY_BITS];
};

static struct memory __percpu *memory;
/*
 * In the upper 16 bits: how often modules have come or gone, or dropped what only their
 * init needed.  All addresses have the same bits there, so this tells those of a module from
 * those of the one before it.
 */
static u64 age;

/* ---- a walk --------------------------------------------------------------- */

struct walk {
	u64 pc; /* in the function; behind the call, unless it was interrupted */
	u64 sp;
	u64 bp;
	u64 *to, *to_end; /* where frames can be put */
	bool hiding;	  /* none was put yet */
	bool interrupted;
	/* The stack on which sp is. */
	u64 begin;
	u64 size;
	const struct pt_regs
		*regs; /* of the function, if they are saved; or NULL */
	int graph;
	struct llist_node *rethook;
};

/* The compiler must not know of these reads, because sanitizers would check them. */
static __always_inline u64 load(u64 address)
{
	u64 word;

	asm volatile("movq %1, %0" : "=r"(word) : "m"(*(const u64 *)address));
	return word;
}

/* Is the word at @address on the walk's stack? */
static __always_inline bool on_stack(const struct walk *walk, u64 address)
{
	return address - walk->begin <= walk->size - sizeof(u64) &&
	       !(address % sizeof(u64));
}

static __always_inline bool choose(struct walk *walk, u64 address, u64 begin,
				   u64 size)
{
	if (address - begin >= size)
		return false;
	walk->begin = begin;
	walk->size = size;
	return true;
}

static __always_inline bool choose_task(struct walk *walk, u64 address)
{
	return choose(walk, address, (u64)task_stack_page(current),
		      THREAD_SIZE);
}

/* Finds the stack that @address is on. */
static noinline bool stack_find(struct walk *walk, u64 address)
{
	const struct cea_exception_stacks *exceptions;
	const struct cpu_entry_area *area;

	if (choose_task(walk, address))
		return true;
	if (kt_irq_stack_last() &&
	    choose(walk, address, kt_irq_stack_bottom(), IRQ_STACK_SIZE))
		return true;
	exceptions = exception_stacks ? (void *)this_cpu_read(*exception_stacks)
				      : NULL;
	if (!exceptions)
		return false;
	area = container_of(exceptions, struct cpu_entry_area, estacks);
	return choose(walk, address, CEA_ESTACK_BOT(exceptions, NMI),
		      CEA_ESTACK_SIZE(NMI)) ||
	       choose(walk, address, CEA_ESTACK_BOT(exceptions, DB),
		      CEA_ESTACK_SIZE(DB)) ||
	       choose(walk, address, CEA_ESTACK_BOT(exceptions, MCE),
		      CEA_ESTACK_SIZE(MCE)) ||
	       choose(walk, address, CEA_ESTACK_BOT(exceptions, DF),
		      CEA_ESTACK_SIZE(DF)) ||
	       choose(walk, address, (u64)&area->entry_stack_page.stack,
		      sizeof(area->entry_stack_page.stack));
}

/* Afterwards the words from @begin to @end are on the walk's stack. */
static __always_inline bool reach(struct walk *walk, u64 begin, u64 end)
{
	if (unlikely(!on_stack(walk, begin)) && !stack_find(walk, begin))
		return false;
	return likely(on_stack(walk, begin)) &&
	       likely(on_stack(walk, end - sizeof(u64)));
}

static bool register_load(const struct walk *walk, size_t offset, u64 *value)
{
	if (!walk->regs)
		return false;
	*value = load((u64)walk->regs + offset);
	return true;
}

/* Where the frame of the caller begins. */
static __always_inline bool caller_sp(struct walk *walk,
				      const struct orc_entry *orc, u64 *sp)
{
	switch (orc->sp_reg) {
	case ORC_REG_SP:
		*sp = walk->sp + orc->sp_offset;
		return true;
	case ORC_REG_BP:
		*sp = walk->bp + orc->sp_offset;
		return true;
	case ORC_REG_SP_INDIRECT:
		if (!reach(walk, walk->sp, walk->sp + sizeof(u64)))
			return false;
		*sp = load(walk->sp) + orc->sp_offset;
		return true;
	case ORC_REG_BP_INDIRECT:
		*sp = walk->bp + orc->sp_offset;
		if (!reach(walk, *sp, *sp + sizeof(u64)))
			return false;
		*sp = load(*sp);
		return true;
	case ORC_REG_R10:
		return register_load(walk, offsetof(struct pt_regs, r10), sp);
	case ORC_REG_R13:
		return register_load(walk, offsetof(struct pt_regs, r13), sp);
	case ORC_REG_DI:
		return register_load(walk, offsetof(struct pt_regs, di), sp);
	case ORC_REG_DX:
		return register_load(walk, offsetof(struct pt_regs, dx), sp);
	default:
		return false;
	}
}

/* Goes to the function that called. */
static __always_inline bool step_call(struct walk *walk,
				      const struct orc_entry *orc, u64 sp)
{
	u64 begin = walk->begin, place = sp - sizeof(u64);

	if (unlikely(!reach(walk, place, sp)))
		return false;
	if (unlikely(sp <= walk->sp) && walk->begin == begin)
		return false;
	if (orc->bp_reg == ORC_REG_PREV_SP) {
		place = sp + orc->bp_offset;
		if (unlikely(!on_stack(walk, place)))
			return false;
		walk->bp = load(place);
	} else if (orc->bp_reg == ORC_REG_BP) {
		place = walk->bp + orc->bp_offset;
		if (!reach(walk, place, place + sizeof(u64)))
			return false;
		walk->bp = load(place);
	}
	walk->pc = load(sp - sizeof(u64));
	walk->sp = sp;
	walk->regs = NULL;
	walk->interrupted = false;
	return true;
}

/*
 * Is @pc where functions return to, because a tracer has put it there?  If it was interrupted,
 * a function has returned, and what takes the return address back has not run: then this is
 * the same as if it were called from there.
 */
static __always_inline bool is_hook(u64 pc)
{
	return pc && (pc == hook_graph || pc == hook_rethook);
}

/* Goes to what was interrupted.  @sp: where its registers are; some have only the last ones. */
static noinline enum kt_stack_end step_regs(struct walk *walk,
					    const struct orc_entry *orc, u64 sp)
{
	const size_t first = offsetof(struct pt_regs, ip);
	u64 regs = kt_orc_is_regs(orc) ? sp : sp - first;

	if (!reach(walk, kt_orc_is_regs(orc) ? regs : regs + first,
		   regs + sizeof(struct pt_regs)))
		return KT_STACK_BROKEN;
	if (load(regs + offsetof(struct pt_regs, cs)) & 3)
		return KT_STACK_COMPLETE;
	walk->pc = load(regs + first);
	walk->sp = load(regs + offsetof(struct pt_regs, sp));
	walk->regs = NULL;
	if (kt_orc_is_regs(orc)) {
		walk->regs = (const struct pt_regs *)regs;
		walk->bp = load(regs + offsetof(struct pt_regs, bp));
	}
	walk->interrupted = kt_orc_interrupted(orc) && !is_hook(walk->pc);
	return KT_STACK_END_NR;
}

/* Puts the return address in the place of what a tracer has put there. */
static noinline bool unhook(struct walk *walk)
{
	unsigned long *place = (unsigned long *)(walk->sp - sizeof(u64));
	u64 found = 0;

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (walk->pc == hook_graph && static_call_query(graph_find))
		found = static_call(graph_find)(current, &walk->graph, walk->pc,
						place);
#endif
#ifdef CONFIG_RETHOOK
	if (walk->pc == hook_rethook && static_call_query(rethook_find))
		found = static_call(rethook_find)(current, (unsigned long)place,
						  &walk->rethook);
#endif
	if (!found || found == walk->pc)
		return false;
	walk->pc = found;
	return true;
}

static __always_inline struct remembered *row_of(struct remembered *rows,
						 u64 pc)
{
	return &rows[pc * MULTIPLIER >> (64 - MEMORY_BITS)];
}

static __always_inline u64 check_of(u64 pc, u64 now,
				    const union kt_orc_rule *rule)
{
	return pc ^ now ^ rule->word * MULTIPLIER;
}

/* What @row has, if it is the rule for @pc. */
static __always_inline bool rule_recall(const struct remembered *row, u64 pc,
					u64 now, union kt_orc_rule *rule)
{
	rule->word = READ_ONCE(row->rule);
	return likely(READ_ONCE(row->check) == check_of(pc, now, rule));
}

/* @return_address: 0, if @pc is an instruction that was interrupted */
static enum kt_orc_found rule_search(u64 pc, u64 return_address,
				     union kt_orc_rule *rule)
{
	if (is_hook(return_address)) {
		rule->word = KT_ORC_IS_HOOK;
		return KT_ORC_FOUND;
	}
	return kt_orc_find(pc, rule);
}

/* False: no table has the place. */
static bool rule_find(struct remembered *rows, u64 now, const struct walk *walk,
		      union kt_orc_rule *rule)
{
	u64 pc = walk->pc - !walk->interrupted;
	struct remembered *row = row_of(rows, pc);
	enum kt_orc_found found;

	if (rule_recall(row, pc, now, rule))
		return true;
	found = rule_search(pc, walk->interrupted ? 0 : walk->pc, rule);
	if (found != KT_ORC_FOUND)
		return found != KT_ORC_NONE;
	WRITE_ONCE(row->rule, rule->word);
	WRITE_ONCE(row->check, check_of(pc, now, rule));
	return true;
}

/* Goes to the caller.  KT_STACK_END_NR: there is one. */
static __always_inline enum kt_stack_end step(struct walk *walk,
					      const struct orc_entry *orc)
{
	u64 sp;

	if (unlikely(kt_orc_ends(orc)))
		return KT_STACK_COMPLETE;
	if (unlikely(kt_orc_undefined(orc)))
		return KT_STACK_NO_TABLE;
	if (unlikely(!caller_sp(walk, orc, &sp)))
		return KT_STACK_BROKEN;
	if (unlikely(!kt_orc_is_call(orc)))
		return step_regs(walk, orc, sp);
	return likely(step_call(walk, orc, sp)) ? KT_STACK_END_NR
						: KT_STACK_BROKEN;
}

/* Shows the frame and goes to its caller, whatever it is.  KT_STACK_END_NR: there is one. */
static noinline enum kt_stack_end step_any(struct walk *walk,
					   struct remembered *rows, u64 now,
					   const struct kt_hidden *hidden)
{
	bool found;
	union kt_orc_rule rule;

	found = rule_find(rows, now, walk, &rule);
	if (unlikely(found && rule.word & KT_ORC_IS_HOOK))
		return unhook(walk) ? KT_STACK_END_NR : KT_STACK_HOOKED;
	walk->hiding = walk->hiding && hides(hidden, walk->pc);
	if (!walk->hiding && walk->pc) {
		if (unlikely(walk->to == walk->to_end))
			return KT_STACK_TRUNCATED;
		*walk->to++ = walk->pc;
	}
	return likely(found) ? step(walk, &rule.orc) : KT_STACK_NO_TABLE;
}

/*
 * Goes on while frames are the usual ones and their rules are remembered.  The loop takes some
 * 30 instructions for a frame, because all that it needs is in registers.  True: the last
 * frame is where a program entered the kernel.
 */
static __always_inline bool walk_calls(struct walk *walk,
				       const struct remembered *rows, u64 now,
				       const struct kt_hidden *hidden)
{
	u64 pc = walk->pc, sp = walk->sp, bp = walk->bp, *to = walk->to;
	u64 *const to_end = walk->to_end, limit = walk->begin + walk->size;
	bool ended = false, hiding = walk->hiding;
	union kt_orc_rule rule;

	/* Who was interrupted may have been on another stack. */
	if (unlikely(!on_stack(walk, sp)))
		return false;
	while (likely(to != to_end)) {
		u64 frame = sp;

		if (!rule_recall(row_of((void *)rows, pc - 1), pc - 1, now,
				 &rule))
			break;
		if (unlikely(!(rule.word & KT_ORC_IS_CALL))) {
			ended = rule.word & KT_ORC_IS_REGS;
			if (!(rule.word & KT_ORC_BY_BP) ||
			    bp - sp >= limit - sp || bp % sizeof(u64))
				break;
			frame = bp;
		}
		frame += rule.orc.sp_offset;
		if (unlikely(frame > limit))
			break;
		hiding = unlikely(hiding) && hides(hidden, pc);
		if (likely(!hiding))
			*to++ = pc;
		sp = frame;
		if (rule.word & KT_ORC_SAVES_BP)
			bp = load(sp + rule.orc.bp_offset);
		pc = load(sp - sizeof(u64));
	}
	if (ended) {
		u64 regs = sp + rule.orc.sp_offset;

		ended = regs + sizeof(struct pt_regs) <= limit &&
			load(regs + offsetof(struct pt_regs, cs)) & 3;
		if (ended && !(hiding && hides(hidden, pc)))
			*to++ = pc;
	}
	if (sp != walk->sp)
		walk->regs = NULL;
	walk->pc = pc;
	walk->sp = sp;
	walk->bp = bp;
	walk->to = to;
	walk->hiding = hiding;
	return ended;
}

/* Hidden frames, and return addresses that were replaced, take steps too. */
#define STEPS_MAX (2 * KT_STACK_MAX)

/* False: it begins on no stack. */
static __always_inline bool walk_begin(struct walk *walk,
				       const struct kt_caller *caller, u64 *to)
{
	walk->pc = caller->pc;
	walk->sp = caller->sp;
	walk->bp = caller->bp;
	walk->to = to;
	walk->to_end = to + KT_STACK_MAX;
	walk->hiding = true;
	walk->interrupted = caller->regs && !is_hook(caller->pc);
	walk->regs = caller->regs;
	walk->graph = 0;
	walk->rethook = NULL;
	return choose_task(walk, walk->sp) || stack_find(walk, walk->sp);
}

static noinline unsigned int orc_walk(u64 *to, const struct kt_caller *caller,
				      const struct kt_hidden *hidden,
				      enum kt_stack_end *end)
{
	struct remembered *rows = this_cpu_ptr(memory)->rows;
	const u64 now = READ_ONCE(age);
	unsigned int steps;
	struct walk walk __kt_uninitialized;

	*end = KT_STACK_BROKEN;
	if (!walk_begin(&walk, caller, to))
		return 0;
	/* Also walks from stack to stack end. */
	for (steps = 0; steps < STEPS_MAX; steps++) {
		if (!walk.interrupted && walk_calls(&walk, rows, now, hidden)) {
			*end = KT_STACK_COMPLETE;
			return walk.to - to;
		}
		*end = step_any(&walk, rows, now, hidden);
		if (*end != KT_STACK_END_NR)
			return walk.to - to;
	}
	*end = KT_STACK_BROKEN;
	return walk.to - to;
}

/* Only goes: it shows no frame. */
static noinline u64 orc_bp(const struct kt_caller *from, u64 sp)
{
	static const struct kt_hidden everything = {.code = {{0, ~0ul}}};
	struct remembered *rows = this_cpu_ptr(memory)->rows;
	const u64 now = READ_ONCE(age);
	unsigned int steps;
	struct walk walk __kt_uninitialized;

	if (!walk_begin(&walk, from, NULL))
		return 0;
	for (steps = 0; steps < STEPS_MAX && walk.sp != sp + sizeof(u64);
	     steps++) {
		if (step_any(&walk, rows, now, &everything) != KT_STACK_END_NR)
			return 0;
	}
	return walk.sp == sp + sizeof(u64) ? walk.bp : 0;
}

/* ---- loading -------------------------------------------------------------- */

static bool usable; /* the tables were found, and are understood */

static int module_event(struct notifier_block *block, unsigned long state,
			void *module)
{
	/* Once around, what the first one left behind could be taken for new. */
	WRITE_ONCE(age, age + (1ull << 48));
	if (!age && memory) {
		int cpu;

		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(memory, cpu), 0, sizeof(*memory));
	}
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = {.notifier_call = module_event};

/* Without these, stacks end earlier, and say so. */
static void helpers_find(void)
{
	unsigned long found;

	KT_IRQ_STACK_FIND(kt_symbol);
	exception_stacks =
		(unsigned long __percpu *)kt_symbol("cea_exception_stacks");
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	hook_graph = kt_symbol("return_to_handler");
	found = kt_symbol("ftrace_graph_ret_addr");
	if (found)
		static_call_update(graph_find, (void *)found);
#endif
#ifdef CONFIG_RETHOOK
	hook_rethook = kt_symbol("arch_rethook_trampoline");
	found = kt_symbol("rethook_find_ret_addr");
	if (found)
		static_call_update(rethook_find, (void *)found);
#endif
}

/*
 * Compares walks with the kernel's, which begins in this function.  The second walk goes by what
 * the first one has found.
 */
static noinline bool walk_is_right(void)
{
	static const struct kt_hidden nothing;
	const struct kt_caller caller = kt_caller();
	u64 *ours = kcalloc(2 * KT_STACK_MAX, sizeof(*ours), GFP_KERNEL);
	u64 *theirs = ours + KT_STACK_MAX;
	enum kt_stack_end end;
	unsigned int nr, other, i;
	bool same = true;

	if (!ours)
		return false;
	preempt_disable();
	other = stack_trace_save((unsigned long *)theirs, KT_STACK_MAX, 0);
	for (i = 0; i < 2; i++) {
		nr = orc_walk(ours, &caller, &nothing, &end);
		same = same && end == KT_STACK_COMPLETE && nr > 1 &&
		       nr + 1 == other &&
		       !memcmp(ours, theirs + 1, nr * sizeof(*ours));
	}
	preempt_enable();
	kfree(ours);
	return same;
}

static int memory_make(void)
{
	if (!memory)
		memory = alloc_percpu(struct memory);
	return memory ? 0 : -ENOMEM;
}

static void __init orc_init(void)
{
	if (kernel_unwinder || !kt_orc_init() || memory_make())
		return;
	helpers_find();
	usable = walk_is_right();
	if (!usable) {
		pr_warn("ktrace: stacks are taken by stack_trace_save(): the kernel's tables are not as expected\n");
		return;
	}
	register_module_notifier(&module_notifier);
}

static void orc_exit(void)
{
	if (usable)
		unregister_module_notifier(&module_notifier);
	free_percpu(memory);
}

#else /* no ORC */

#define usable false

static unsigned int orc_walk(u64 *to, const struct kt_caller *caller,
			     const struct kt_hidden *hidden,
			     enum kt_stack_end *end)
{
	return 0;
}

static u64 orc_bp(const struct kt_caller *from, u64 sp)
{
	return 0;
}

static void __init orc_init(void)
{
}

static void orc_exit(void)
{
}

#endif

void __init kt_unwind_init(void)
{
	orc_init();
}

void kt_unwind_exit(void)
{
	orc_exit();
}

const char *kt_unwinder(void)
{
	return usable ? "orc" : "stack_trace_save";
}

unsigned int kt_unwind(u64 *to, const struct kt_caller *caller,
		       const struct kt_hidden *hidden, enum kt_stack_end *end)
{
	return likely(usable) ? orc_walk(to, caller, hidden, end)
			      : kernel_walk(to, caller, hidden, end);
}
EXPORT_SYMBOL_GPL(kt_unwind);

bool kt_unwinds_returned(void)
{
	return usable;
}

u64 kt_unwind_bp(const struct kt_caller *from, u64 sp)
{
	return usable ? orc_bp(from, sp) : 0;
}
EXPORT_SYMBOL_GPL(kt_unwind_bp);
