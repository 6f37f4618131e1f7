// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds addresses of kernel symbols that are not exported.
 *
 * A kprobe can be registered by name and then has the address.  In this way we find
 * kallsyms_lookup_name.  It is called by a static call, which is a direct call.  Where
 * indirect branches are tracked (IBT), an indirect one would fault: the kernel has removed
 * the landing pads of functions that it never calls indirectly.
 */
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/filter.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "compat/symbol.h"
#include "symbol.h"

typedef unsigned long kallsyms_lookup_name_fn(const char *name);

DEFINE_STATIC_CALL_RET0(kt_lookup_name, kallsyms_lookup_name_fn);
DEFINE_STATIC_CALL_NULL(kt_module_of, __module_address);

/* The image's code, but for what is gone since the boot. */
static unsigned long text_begin, text_end;

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
	text_begin = kt_symbol("_stext");
	text_end = kt_symbol("_etext");
	address = kt_symbol("__module_address");
	if (address)
		static_call_update(kt_module_of, (void *)address);
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
EXPORT_SYMBOL_GPL(kt_symbol_size);

/* ---- where they are ------------------------------------------------------- */

bool kt_symbols_placed(void)
{
	return text_begin && text_end && static_call_query(kt_module_of);
}
EXPORT_SYMBOL_GPL(kt_symbols_placed);

bool kt_symbol_in_image(unsigned long address)
{
	return address >= text_begin && address < text_end;
}
EXPORT_SYMBOL_GPL(kt_symbol_in_image);

const char *kt_symbol_module(unsigned long address, char name[MODULE_NAME_LEN])
{
	const struct module *module;

	if (kt_symbol_in_image(address))
		return NULL;
	preempt_disable();
	module = static_call(kt_module_of)(address);
	strscpy(name, module ? module->name : "", MODULE_NAME_LEN);
	preempt_enable();
	return name;
}
EXPORT_SYMBOL_GPL(kt_symbol_module);

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

/* ---- those that come and go ----------------------------------------------- */

DEFINE_STATIC_CALL_NULL(kt_module_of_text, __module_text_address);
/* Where /proc/kallsyms has them from. */
DEFINE_STATIC_CALL_NULL(kt_get_module, module_get_kallsym);
DEFINE_STATIC_CALL_NULL(kt_get_ftrace, ftrace_mod_get_kallsym);
DEFINE_STATIC_CALL_NULL(kt_get_bpf, bpf_get_kallsym);
DEFINE_STATIC_CALL_NULL(kt_get_kprobe, kprobe_get_kallsym);
DEFINE_STATIC_CALL_RET0(kt_show_value, kallsyms_show_value);

static void getter_find(struct static_call_key *key, void *tramp,
			const char *name)
{
	unsigned long address = kt_symbol(name);

	if (address)
		__static_call_update(key, tramp, (void *)address);
}

#define GETTER_FIND(call, name) \
	getter_find(&STATIC_CALL_KEY(call), STATIC_CALL_TRAMP_ADDR(call), name)

static bool getters_find(void)
{
	if (!static_call_query(kt_get_module)) {
		GETTER_FIND(kt_module_of_text, "__module_text_address");
		GETTER_FIND(kt_show_value, "kallsyms_show_value");
		GETTER_FIND(kt_get_ftrace, "ftrace_mod_get_kallsym");
		GETTER_FIND(kt_get_bpf, "bpf_get_kallsym");
		GETTER_FIND(kt_get_kprobe, "kprobe_get_kallsym");
		GETTER_FIND(kt_get_module, "module_get_kallsym");
	}
	return static_call_query(kt_get_module);
}

struct moving {
	void (*visit)(void *data, const struct kt_symbol *symbol);
	void *data;
	struct kt_symbol symbol;
	char name[KSYM_NAME_LEN];
	char module[MODULE_NAME_LEN];
	/* Between these addresses is code of this module. */
	unsigned long low, high;
};

/*
 * Of a module?  Its code is in one piece, and symbols come module by module: to ask the kernel for each
 * of them would take longer than all else here.  No module goes meanwhile.
 */
static bool is_code(struct moving *moving, unsigned long address)
{
	const struct module *module;

	if (address >= moving->low && address <= moving->high)
		return true;
	preempt_disable();
	module = static_call(kt_module_of_text)(address);
	if (module && strcmp(module->name, moving->module)) {
		strscpy(moving->module, module->name, sizeof(moving->module));
		moving->low = ULONG_MAX;
		moving->high = 0;
	}
	/* What a module runs once is elsewhere. */
	if (module && !within_module_init(address, module)) {
		moving->low = min(moving->low, address);
		moving->high = max(moving->high, address);
	}
	preempt_enable();
	return module;
}

/* The tables do not tell which symbols are functions, but those are code. */
static void moving_visit(void *data, const char *name, unsigned long address)
{
	struct moving *moving = data;

	if (*name && is_code(moving, address)) {
		moving->symbol.address = address;
		moving->symbol.name = name;
		moving->visit(moving->data, &moving->symbol);
	}
	cond_resched();
}

/*
 * Of modules, of functions of modules that ftrace remembers, of BPF, of kprobes.  For a
 * symbol of a module the first getter goes through all modules before it, so the modules' tables
 * are read instead where the kernel has a way to them.
 */
#define KINDS 4

/* Gets number @nr of a kind.  False: there are no more. */
static bool moving_get(int kind, unsigned int nr, struct moving *moving,
		       char *type)
{
	unsigned long *address = &moving->symbol.address;
	int exported, err = -ERANGE;

	switch (kind) {
	case 0:
		err = static_call(kt_get_module)(nr, address, type,
						 moving->name, moving->module,
						 &exported);
		break;
	case 1:
		if (static_call_query(kt_get_ftrace))
			err = static_call(
				kt_get_ftrace)(nr, address, type, moving->name,
					       moving->module, &exported);
		break;
	case 2:
		strscpy(moving->module, "bpf", sizeof(moving->module));
		if (static_call_query(kt_get_bpf))
			err = static_call(kt_get_bpf)(nr, address, type,
						      moving->name);
		break;
	case 3:
		strscpy(moving->module, "__builtin__kprobes",
			sizeof(moving->module));
		if (static_call_query(kt_get_kprobe))
			err = static_call(kt_get_kprobe)(nr, address, type,
							 moving->name);
		break;
	}
	return !err;
}

bool kt_symbols_shown(const struct cred *cred)
{
	return getters_find() && static_call(kt_show_value)(cred);
}
EXPORT_SYMBOL_GPL(kt_symbols_shown);

int kt_symbols_moving(void (*visit)(void *data, const struct kt_symbol *symbol),
		      void *data)
{
	struct moving *moving;
	unsigned int nr;
	int kind = 0;
	char type;

	if (!getters_find())
		return -EOPNOTSUPP;
	moving = kmalloc(sizeof(*moving), GFP_KERNEL);
	if (!moving)
		return -ENOMEM;
	moving->visit = visit;
	moving->data = data;
	moving->symbol.name = moving->name;
	moving->symbol.module = moving->module;
	moving->module[0] = '\0';
	moving->low = ULONG_MAX;
	moving->high = 0;
	if (static_call_query(kt_module_of_text) &&
	    !kt_symbols_each(moving_visit, moving, true))
		kind = 1;
	moving->symbol.name = moving->name;
	for (; kind < KINDS; kind++) {
		for (nr = 0; moving_get(kind, nr, moving, &type); nr++) {
			if (tolower(type) == 't' || tolower(type) == 'w')
				visit(data, &moving->symbol);
			if (nr % 256 == 0)
				cond_resched();
		}
	}
	kfree(moving);
	return 0;
}
