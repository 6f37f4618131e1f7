// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses of kernel symbols that are not exported.
 *
 * A kprobe may be placed by name, and then tells the address: that is how
 * kallsyms_lookup_name itself is found.  It is called by a static call, which is
 * a direct one: where indirect branches are tracked (IBT), the kernel has taken
 * the landing pads off functions that it never calls indirectly.
 */
#include <linux/export.h>
#include <linux/kprobes.h>
#include <linux/static_call.h>

#include "symbol.h"

typedef unsigned long kallsyms_lookup_name_fn(const char *name);

DEFINE_STATIC_CALL_RET0(kt_lookup_name, kallsyms_lookup_name_fn);

/*
 * A kernel without kprobes is one where nothing is found; only probe modules
 * that need a symbol cannot be loaded there.
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
	/* The probe may lie behind the landing pad; functions are aligned. */
	address = (unsigned long)probe.addr & ~0xful;
	unregister_kprobe(&probe);
	static_call_update(kt_lookup_name, (kallsyms_lookup_name_fn *)address);
}

unsigned long kt_symbol(const char *name)
{
	return static_call(kt_lookup_name)(name);
}
EXPORT_SYMBOL_GPL(kt_symbol);
