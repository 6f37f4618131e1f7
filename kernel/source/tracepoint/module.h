/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code of a probe module: finds symbols that the kernel does not export, and registers
 * the families.
 *
 * The including file is generated.  It defines lists of names.  Each is a macro that
 * applies its argument to every name:
 *
 *	KT_FAMILIES	the families
 *	KT_TEXTS	functions to find
 *	KT_OBJECTS	variables to find
 *
 * A hidden function is called through a static call, which is a direct jump.  An indirect
 * call would fault with IBT, because the kernel has removed the landing pads (ENDBR) of
 * functions that it never calls indirectly.  Each function is defined here under its own
 * name, so its callers need no change.
 */
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/static_call.h>

#include "base/symbol.h"
#include "family.h"

/* Not the real type: callers use the one that they declare. */
typedef void kt_text_fn(void);

#define KT_TEXT_DEFINE(name)                                          \
	DEFINE_STATIC_CALL_NULL(kt_text_##name, kt_text_fn);          \
	asm(".pushsection .text, \"ax\"\n"                            \
	    "	.balign 16\n"                                         \
	    "	.globl " #name "\n"                                   \
	    "	.type " #name ", @function\n"                         \
	    #name ":\n"                                               \
	    "	" ASM_ENDBR                                           \
	    "	jmp " STATIC_CALL_TRAMP_STR(kt_text_##name) "\n"      \
	    "	.size " #name ", . - " #name "\n"                     \
	    "	.popsection");

#define KT_TEXT_RESOLVE(name)                                        \
	address = kt_symbol(#name);                                  \
	if (!address) {                                              \
		missing = #name;                                     \
		goto err_symbol;                                     \
	}                                                            \
	static_call_update(kt_text_##name, (kt_text_fn *)address);

#define KT_OBJECT_DEFINE(name)	extern void *kt_object_##name; \
				void *kt_object_##name;

#define KT_OBJECT_RESOLVE(name)                                      \
	address = kt_symbol(#name);                                  \
	if (!address) {                                              \
		missing = #name;                                     \
		goto err_symbol;                                     \
	}                                                            \
	kt_object_##name = (void *)address;

#define KT_FAMILY_DECLARE(name) extern struct kt_family kt_family_##name;
#define KT_FAMILY_ENTRY(name)   &kt_family_##name,

KT_TEXTS(KT_TEXT_DEFINE)
KT_OBJECTS(KT_OBJECT_DEFINE)
KT_FAMILIES(KT_FAMILY_DECLARE)

static struct kt_family *const kt_families[] = { KT_FAMILIES(KT_FAMILY_ENTRY) };

static int __init kt_symbols_resolve(void)
{
	const char *missing __maybe_unused;
	unsigned long address __maybe_unused;

	KT_TEXTS(KT_TEXT_RESOLVE)
	KT_OBJECTS(KT_OBJECT_RESOLVE)
	return 0;

err_symbol: __maybe_unused
	pr_err("%s: built for another kernel: this one has no %s\n",
	       KBUILD_MODNAME, missing);
	return -ENOENT;
}

static void kt_families_unregister(unsigned int nr)
{
	while (nr--)
		kt_events_unregister(&kt_families[nr]->set);
}

static int __init kt_families_register(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(kt_families); i++) {
		struct kt_family *family = kt_families[i];

		family->set.owner = THIS_MODULE;
		family->set.events = family->events;
		family->set.nr_events = family->events_end - family->events;
		family->set.constants = family->constants;
		family->set.nr_constants =
			family->constants_end - family->constants;
		err = kt_events_register(&family->set);
		if (err)
			goto err_register;
	}
	return 0;

err_register:
	kt_families_unregister(i);
	return err;
}

static int __init kt_probes_init(void)
{
	int err = kt_symbols_resolve();

	return err ?: kt_families_register();
}

static void __exit kt_probes_exit(void)
{
	kt_families_unregister(ARRAY_SIZE(kt_families));
}

module_init(kt_probes_init);
module_exit(kt_probes_exit);
MODULE_LICENSE("GPL");
