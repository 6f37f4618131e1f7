// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds addresses of kernel symbols that are not exported.
 *
 * A kprobe can be registered by name and then has the address.  In this way we find
 * kallsyms_lookup_name.  It is called by a static call, which is a direct call.  Where
 * indirect branches are tracked (IBT), an indirect one would fault: the kernel has removed
 * the landing pads of functions that it never calls indirectly.
 */
#include <linux/export.h>
#include <linux/kprobes.h>
#include <linux/static_call.h>

#include "compat/symbol.h"
#include "symbol.h"

typedef unsigned long kallsyms_lookup_name_fn(const char *name);

DEFINE_STATIC_CALL_RET0(kt_lookup_name, kallsyms_lookup_name_fn);

/*
 * Without kprobes no symbol is found.  Then only the probe modules that need one cannot be
 * loaded.
 */
void __init kt_symbol_init(void)
{
	struct kprobe probe = {.symbol_name = "kallsyms_lookup_name"};
	unsigned long address;
	int err;

	err = register_kprobe(&probe);
	if (err) {
		pr_warn("ktrace: no access to symbols (kprobes: error %d)\n",
			err);
		return;
	}
	/* The kprobe may lie behind the landing pad; functions are aligned. */
	address = (unsigned long)probe.addr & ~0xful;
	unregister_kprobe(&probe);
	static_call_update(kt_lookup_name, (kallsyms_lookup_name_fn *)address);
}

unsigned long kt_symbol(const char *name)
{
	return static_call(kt_lookup_name)(name);
}
EXPORT_SYMBOL_GPL(kt_symbol);

DEFINE_STATIC_CALL_NULL(kt_size_of, kallsyms_lookup_size_offset);

unsigned long kt_symbol_size(unsigned long address)
{
	unsigned long size = 0, offset, found;

	if (!static_call_query(kt_size_of)) {
		found = kt_symbol("kallsyms_lookup_size_offset");
		if (!found)
			return 0;
		static_call_update(kt_size_of, (void *)found);
	}
	return static_call(kt_size_of)(address, &size, &offset) ? size : 0;
}

/* ---- all of them ---------------------------------------------------------- */

DEFINE_STATIC_CALL_NULL(kt_each_symbol, kallsyms_on_each_symbol);
DEFINE_STATIC_CALL_NULL(kt_each_module_symbol, module_kallsyms_on_each_symbol);

struct walk {
	void (*visit)(void *data, const char *name, unsigned long address);
	void *data;
};

static KT_SYMBOL_VISITOR(walk_visit, data, name, address)
{
	const struct walk *walk = data;

	walk->visit(walk->data, name, address);
	return 0;
}

int kt_symbols_each(void (*visit)(void *data, const char *name,
				  unsigned long address),
		    void *data, bool modules)
{
	struct walk walk = {visit, data};
	unsigned long kernels, others;

	if (!static_call_query(kt_each_symbol)) {
		kernels = kt_symbol("kallsyms_on_each_symbol");
		others = kt_symbol("module_kallsyms_on_each_symbol");
		if (!kernels || !others)
			return -EOPNOTSUPP;
		static_call_update(kt_each_module_symbol, (void *)others);
		static_call_update(kt_each_symbol, (void *)kernels);
	}
	if (!modules)
		static_call(kt_each_symbol)(walk_visit, &walk);
	static_call(kt_each_module_symbol)(KT_ALL_MODULES walk_visit, &walk);
	return 0;
}
EXPORT_SYMBOL_GPL(kt_symbols_each);
