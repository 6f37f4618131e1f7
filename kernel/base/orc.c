// SPDX-License-Identifier: GPL-2.0-only
/* Finds rows of the kernel's tables: see orc.h. */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/static_call.h>

#include "orc.h"
#include "symbol.h"

#ifdef KT_ORC

#include <asm/orc_lookup.h>

struct table {
	const int *places; /* of the rows, relative to these words themselves */
	const struct orc_entry *rows;
	u32 nr;
};

static struct table kernel_table;
static struct kt_code kernel_code, init_code;
/* For each block of the kernel's code, the first row to look at. */
static const unsigned int *kernel_blocks;

DEFINE_STATIC_CALL_NULL(module_of_address, __module_address);

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

/* Without them, stacks end at a trampoline. */
static void __init trampolines_find(void)
{
	u64 found = kt_symbol("ftrace_ops_trampoline");

	trampoline_code = kt_symbol("ftrace_caller");
	trampoline_code_regs = kt_symbol("ftrace_regs_caller");
	if (found)
		static_call_update(trampoline_of, (void *)found);
}
#else
static u64 trampoline_original(u64 pc)
{
	return 0;
}

static void __init trampolines_find(void)
{
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

/*
 * Is the function's frame one of the usual ones?  Then all that must be read lies between
 * where the frame begins, at sp or bp, and the caller's.
 */
static bool is_call(const struct orc_entry *orc)
{
	const int size = orc->sp_offset, bp = orc->bp_offset;

	if (!kt_orc_is_call(orc) || size <= 0 || size % sizeof(u64) ||
	    (orc->sp_reg != ORC_REG_SP && orc->sp_reg != ORC_REG_BP))
		return false;
	return orc->bp_reg == ORC_REG_UNDEFINED ||
	       (orc->bp_reg == ORC_REG_PREV_SP && bp < 0 && bp >= -size &&
		!(bp % (int)sizeof(u64)));
}

static bool is_regs(const struct orc_entry *orc)
{
	return kt_orc_is_regs(orc) && orc->sp_reg == ORC_REG_SP &&
	       orc->sp_offset >= 0 && !(orc->sp_offset % sizeof(u64));
}

static u64 marks_of(const struct orc_entry *orc)
{
	u64 saves = orc->bp_reg == ORC_REG_PREV_SP ? KT_ORC_SAVES_BP : 0;

	if (kt_orc_ends(orc) || kt_orc_undefined(orc))
		return 0;
	if (is_call(orc))
		return saves | (orc->sp_reg == ORC_REG_SP ? KT_ORC_IS_CALL
							  : KT_ORC_BY_BP);
	return is_regs(orc) ? KT_ORC_IS_REGS : 0;
}

enum kt_orc_found kt_orc_find(u64 pc, union kt_orc_rule *rule)
{
	enum kt_orc_found found = KT_ORC_FOUND;
	const struct orc_entry *row;

	/* The marks are in the other two bytes. */
	BUILD_BUG_ON(sizeof(rule->orc) != 6);
	rule->word = 0;
	row = row_find(pc);
	if (!row) {
		pc = trampoline_original(pc);
		row = in_code(&kernel_code, pc) ? row_find(pc) : NULL;
		found = KT_ORC_FOUND_ONCE;
	}
	if (!row)
		return KT_ORC_NONE;
	rule->orc = *row;
	rule->word |= marks_of(row);
	return found;
}

bool __init kt_orc_init(void)
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
	trampolines_find();
	return true;
}

#endif /* KT_ORC */
