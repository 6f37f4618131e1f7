// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: finds bytes in records that no writer has stored.  Such bytes would be old
 * data of the kernel or of programs.
 *
 *	insmod ktrace.ko poison=0xb7
 *
 * fills memory with this byte before records are written to it: all packets before their
 * first use; in discard mode, each packet after it was read; scratch memory that a writer
 * takes; the stack of capture programs.  If this byte occurs in a trace, several times in a
 * row, it is a leak.  Without this parameter, it costs only a no-op where a writer takes
 * scratch memory.
 *
 * In overwrite mode nobody owns a packet between reading and writing it.  So there a test
 * sees leaks only in the first round of the ring.
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

void __init kt_poison_init(void)
{
	if (poison >= 0)
		static_branch_enable(&kt_poison_on);
}
