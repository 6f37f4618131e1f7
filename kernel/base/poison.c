// SPDX-License-Identifier: GPL-2.0-only
/*
 * A test's help to see that no byte gets into a record that was not written there: of
 * memory that others have used before, the kernel's or a program's.
 *
 *	insmod ktrace.ko poison=0xb7
 *
 * fills with this byte what records are put together in: all packets before they are
 * written for the first time; in discard mode, each once it is read; the part of the
 * scratch area that a writer takes; the stack of capture programs.  Whoever finds the
 * byte in a trace, some times in a row, has found a leak.  Otherwise it costs a writer
 * nothing, but for a no-op where it takes scratch memory.
 *
 * In overwrite mode nobody owns a packet between reading and writing it: there the
 * first round of the ring is what a test sees.
 */
#include <linux/export.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/string.h>

#include "env.h"
#include "poison.h"

static int poison = -1;
module_param(poison, int, 0444);
MODULE_PARM_DESC(poison,
		 "for tests: a byte to fill unwritten memory with (-1: none)");

DEFINE_STATIC_KEY_FALSE(kt_poison_on);
EXPORT_SYMBOL_GPL(kt_poison_on);

void kt_poison(void *at, size_t size)
{
	memset(at, poison, size);
}
EXPORT_SYMBOL_GPL(kt_poison);

/* Once and for all. */
void __init kt_poison_init(void)
{
	if (poison >= 0)
		static_branch_enable(&kt_poison_on);
}
