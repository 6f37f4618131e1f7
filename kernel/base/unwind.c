// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks over the kernel's stack by the kernel's own tables (ORC).
 *
 * For each place in the code, a table says where the frame of the caller begins, and where
 * the return address and the frame pointer are saved.  stack_trace_save() uses the same
 * tables and takes ten times as long: it searches the table for each frame, and calls
 * several functions.  Here each CPU remembers what it found, by address.
 *
 * No pointer is trusted.  All that is read lies in a stack of this CPU: that of the task, of
 * interrupts, of exceptions or of the entry code.  These are always mapped, so a walk causes
 * no fault.  Addresses on one stack only grow, so a walk ends.
 *
 * The tables are not exported.  When this module is loaded, it walks once and compares
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

	for (i = 0; i < KT_HIDDEN_MAX; i++) {
		if (address - hidden->code[i].begin < hidden->code[i].size)
			return true;
	}
	return false;
}

/* ---- by the kernel -------------------------------------------------------- */

static noinline unsigned int kernel_walk(u64 *to,
					 const struct kt_hidden *hidden,
					 enum kt_stack_end *end)
{
	unsigned long *found = (unsigned long *)to;
	unsigned int nr, skip = 0;

	nr = stack_trace_save(found, KT_STACK_MAX, 1);
	while (skip < nr && hides(hidden, to[skip]))
		skip++;
	*end = nr == KT_STACK_MAX ? KT_STACK_TRUNCATED : KT_STACK_UNKNOWN;
	memmove(to, to + skip, (nr - skip) * sizeof(*to));
	return nr - skip;
}

#if defined(CONFIG_UNWINDER_ORC) && defined(CONFIG_X86_64)

#include <asm/cpu_entry_area.h>
#include <asm/orc_lookup.h>

#include "compat/stack.h"
#include "compat/unwind.h"

/* ---- the tables ----------------------------------------------------------- */

struct table {
	const int *places; /* of the rows, relative to these words themselves */
	const struct orc_entry *rows;
	u32 nr;
};

static struct table kernel_table;
static struct kt_code kernel_code, init_code;
/* For each block of the kernel's code, the first row to look at. */
static const unsigned int *kernel_blocks;
static u64 hook_graph,
	hook_rethook; /* what takes the place of return addresses */

KT_IRQ_STACK_DEFINE;
static unsigned long __percpu *exception_stacks;

DEFINE_STATIC_CALL_NULL(module_of_address, __module_address);
#ifdef CONFIG_RETHOOK
DEFINE_STATIC_CALL_NULL(rethook_find, rethook_find_ret_addr);
#endif
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
DEFINE_STATIC_CALL_NULL(graph_find, ftrace_graph_ret_addr);
#endif

/*
 * A row, as each CPU remembers it.  An NMI may come between the two stores of a row; so
 * check fits only to the row and the address with which it was stored.
 */
union rule {
	u64 word;
	struct {
		struct orc_entry orc;
		u16 hook; /* the address is no code of the caller's */
	};
};

#define MEMORY_BITS 10

struct remembered {
	u64 rule;
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

/* A trampoline of ftrace is a copy of this code, which has a table. */
#ifdef CONFIG_DYNAMIC_FTRACE
DEFINE_STATIC_CALL_NULL(trampoline_of, ftrace_ops_trampoline);
static u64 trampoline_code, trampoline_code_regs;

static u64 trampoline_original(u64 pc)
{
	const struct ftrace_ops *ops;

	if (!static_call_query(trampoline_of))
		return 0;
	ops = static_call(trampoline_of)(pc);
	if (!ops)
		return 0;
	return pc - ops->trampoline +
	       (ops->flags & FTRACE_OPS_FL_SAVE_REGS ? trampoline_code_regs
						     : trampoline_code);
}
#else
static u64 trampoline_original(u64 pc)
{
	return 0;
}
#endif

static bool in_code(const struct kt_code *code, u64 address)
{
	return address - code->begin < code->size;
}

/* The last row between @low and @high that is not behind @pc. */
static const struct orc_entry *row_between(const struct table *table, u32 low,
					   u32 high, u64 pc)
{
	u32 first = low;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if ((u64)&table->places[middle] + table->places[middle] <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low > first ? &table->rows[low - 1] : NULL;
}

static const struct orc_entry *row_find(u64 pc)
{
	const struct module *module;
	struct table table;

	if (in_code(&kernel_code, pc)) {
		u32 block = (pc - kernel_code.begin) / LOOKUP_BLOCK_SIZE;

		return row_between(&kernel_table, kernel_blocks[block],
				   kernel_blocks[block + 1] + 1, pc);
	}
	/* Who began as an init function, as the idle task, has it on its stack forever. */
	if (in_code(&init_code, pc))
		return row_between(&kernel_table, 0, kernel_table.nr, pc);
	module = static_call(module_of_address)(pc);
	if (!module || !module->arch.num_orcs)
		return NULL;
	table.places = module->arch.orc_unwind_ip;
	table.rows = module->arch.orc_unwind;
	return row_between(&table, 0, module->arch.num_orcs, pc);
}

enum found {
	FOUND_NONE,
	FOUND_ONCE, /* not to be remembered: the code may go at any time */
	FOUND,
};

/* @return_address: 0, if @pc is an instruction that was interrupted */
static noinline enum found rule_search(u64 pc, u64 return_address,
				       union rule *rule)
{
	enum found found = FOUND;
	const struct orc_entry *row;

	rule->word = 0;
	if (return_address &&
	    (return_address == hook_graph || return_address == hook_rethook)) {
		rule->hook = true;
		return FOUND;
	}
	row = row_find(pc);
	if (!row) {
		pc = trampoline_original(pc);
		row = in_code(&kernel_code, pc) ? row_find(pc) : NULL;
		found = FOUND_ONCE;
	}
	if (!row)
		return FOUND_NONE;
	rule->orc = *row;
	return found;
}

/* ---- a walk --------------------------------------------------------------- */

struct walk {
	u64 pc; /* in the function; behind the call, unless it was interrupted */
	u64 sp;
	u64 bp;
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

static bool choose(struct walk *walk, u64 address, u64 begin, u64 size)
{
	if (address - begin >= size)
		return false;
	walk->begin = begin;
	walk->size = size;
	return true;
}

/* Finds the stack that @address is on. */
static noinline bool stack_find(struct walk *walk, u64 address)
{
	const struct cea_exception_stacks *exceptions;
	const struct cpu_entry_area *area;

	if (choose(walk, address, (u64)task_stack_page(current), THREAD_SIZE))
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
	walk->interrupted = kt_orc_interrupted(orc);
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

/* False: no table has the place. */
static __always_inline bool rule_find(struct remembered *rows, u64 now,
				      const struct walk *walk, union rule *rule)
{
	u64 pc = walk->pc - !walk->interrupted;
	enum found found;
	struct remembered *row =
		&rows[pc * 0x9e3779b97f4a7c15ull >> (64 - MEMORY_BITS)];

	rule->word = READ_ONCE(row->rule);
	if (likely((READ_ONCE(row->check) ^ rule->word) == (pc ^ now)))
		return true;
	found = rule_search(pc, walk->interrupted ? 0 : walk->pc, rule);
	if (found != FOUND)
		return found != FOUND_NONE;
	WRITE_ONCE(row->rule, rule->word);
	WRITE_ONCE(row->check, rule->word ^ pc ^ now);
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

/* Hidden frames, and return addresses that were replaced, take steps too. */
#define STEPS_MAX (2 * KT_STACK_MAX)

static noinline unsigned int orc_walk(u64 *to, const struct kt_hidden *hidden,
				      enum kt_stack_end *end)
{
	struct remembered *rows = this_cpu_ptr(memory)->rows;
	struct walk walk = {.interrupted = true}; /* pc is exact */
	unsigned int nr = 0, steps = 0;
	bool hiding = true;
	u64 now = READ_ONCE(age);
	union rule rule;

	asm volatile("leaq 1f(%%rip), %0\n\t"
		     "movq %%rsp, %1\n\t"
		     "movq %%rbp, %2\n"
		     "1:"
		     : "=&r"(walk.pc), "=&r"(walk.sp), "=&r"(walk.bp));
	if (!stack_find(&walk, walk.sp)) {
		*end = KT_STACK_BROKEN;
		return 0;
	}
	/* Also walks from stack to stack end. */
	while (steps++ < STEPS_MAX) {
		if (unlikely(!rule_find(rows, now, &walk, &rule))) {
			*end = KT_STACK_NO_TABLE;
			rule.word = 0;
		} else if (unlikely(rule.hook)) {
			if (unhook(&walk))
				continue;
			*end = KT_STACK_HOOKED;
			return nr;
		} else {
			*end = KT_STACK_END_NR;
		}
		hiding = hiding && hides(hidden, walk.pc);
		if (!hiding) {
			if (unlikely(nr == KT_STACK_MAX)) {
				*end = KT_STACK_TRUNCATED;
				return nr;
			}
			if (likely(walk.pc))
				to[nr++] = walk.pc;
		}
		if (*end == KT_STACK_END_NR)
			*end = step(&walk, &rule.orc);
		if (*end != KT_STACK_END_NR)
			return nr;
	}
	*end = KT_STACK_BROKEN;
	return nr;
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

static bool tables_find(void)
{
	u64 rows = kt_symbol("__start_orc_unwind");
	u64 places = kt_symbol("__start_orc_unwind_ip");
	u64 places_end = kt_symbol("__stop_orc_unwind_ip");
	u64 blocks = kt_symbol("orc_lookup");
	u64 blocks_end = kt_symbol("orc_lookup_end");
	u64 module_of = kt_symbol("__module_address");
	u64 nr_blocks;

	if (!rows || places_end <= places || blocks_end <= blocks || !module_of)
		return false;
	kernel_table.rows = (const struct orc_entry *)rows;
	kernel_table.places = (const int *)places;
	kernel_table.nr = (places_end - places) / sizeof(int);
	kernel_blocks = (const unsigned int *)blocks;
	kernel_code.begin = kt_symbol("_stext");
	kernel_code.size = kt_symbol("_etext") - kernel_code.begin;
	nr_blocks = (blocks_end - blocks) / sizeof(unsigned int);
	if (!kernel_code.begin || nr_blocks < 2)
		return false;
	/* The last block has no end. */
	kernel_code.size = min_t(u64, kernel_code.size,
				 (nr_blocks - 1) * LOOKUP_BLOCK_SIZE);
	init_code.begin = kt_symbol("_sinittext");
	init_code.size = kt_symbol("_einittext") - init_code.begin;
	static_call_update(module_of_address, (void *)module_of);
	return true;
}

/* Without these, stacks end earlier, and say so. */
static void helpers_find(void)
{
	unsigned long found;

	KT_IRQ_STACK_FIND(kt_symbol);
	exception_stacks =
		(unsigned long __percpu *)kt_symbol("cea_exception_stacks");
#ifdef CONFIG_DYNAMIC_FTRACE
	trampoline_code = kt_symbol("ftrace_caller");
	trampoline_code_regs = kt_symbol("ftrace_regs_caller");
	found = kt_symbol("ftrace_ops_trampoline");
	if (found)
		static_call_update(trampoline_of, (void *)found);
#endif
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
 * Compares a walk with the kernel's.  The frames of this function and of those that it
 * calls differ.
 */
static noinline bool walk_is_right(void)
{
	static const struct kt_hidden nothing;
	u64 *ours = kcalloc(2 * KT_STACK_MAX, sizeof(*ours), GFP_KERNEL);
	u64 *theirs = ours + KT_STACK_MAX;
	enum kt_stack_end end;
	unsigned int nr, other;
	bool same;

	if (!ours)
		return false;
	preempt_disable();
	nr = orc_walk(ours, &nothing, &end);
	other = stack_trace_save((unsigned long *)theirs, KT_STACK_MAX, 0);
	preempt_enable();
	/* Ours begins in orc_walk(), which this function called; theirs begins here. */
	same = end == KT_STACK_COMPLETE && nr > 2 && nr == other + 1 &&
	       !memcmp(ours + 2, theirs + 1, (nr - 2) * sizeof(*ours));
	kfree(ours);
	return same;
}

static int memory_make(void)
{
	if (!memory)
		memory = alloc_percpu(struct memory);
	return memory ? 0 : -ENOMEM;
}

static void orc_init(void)
{
	if (kernel_unwinder || !tables_find() || memory_make())
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

static unsigned int orc_walk(u64 *to, const struct kt_hidden *hidden,
			     enum kt_stack_end *end)
{
	return 0;
}

static void orc_init(void)
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

unsigned int kt_unwind(u64 *to, const struct kt_hidden *hidden,
		       enum kt_stack_end *end)
{
	return likely(usable) ? orc_walk(to, hidden, end)
			      : kernel_walk(to, hidden, end);
}
EXPORT_SYMBOL_GPL(kt_unwind);
