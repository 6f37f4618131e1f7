/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between kernels in the tables by which stacks are unwound (ORC), and for who
 * writes functions in assembler.
 */
#ifndef KT_KERNEL_COMPAT_UNWIND_H
#define KT_KERNEL_COMPAT_UNWIND_H

#include <linux/module.h>
#include <linux/objtool.h>
#include <linux/types.h>
#include <asm/orc_types.h>

/*
 * What a row of the table says of the frame.  Since 6.4 a type of its own says that there is
 * nothing to say, or nothing more; since 6.3 a bit says that the frame's address is that of
 * the instruction itself, not the one behind a call.
 */
#ifdef ORC_TYPE_CALL
#define kt_orc_ends(orc)	((orc)->type == ORC_TYPE_END_OF_STACK)
#define kt_orc_undefined(orc)	((orc)->type == ORC_TYPE_UNDEFINED)
#define kt_orc_is_call(orc)	((orc)->type == ORC_TYPE_CALL)
#define kt_orc_is_regs(orc)	((orc)->type == ORC_TYPE_REGS)
#define kt_orc_interrupted(orc) ((orc)->signal)
#else
#define kt_orc_ends(orc)	((orc)->end)
#define kt_orc_undefined(orc)	((orc)->sp_reg == ORC_REG_UNDEFINED)
#define kt_orc_is_call(orc)	((orc)->type == UNWIND_HINT_TYPE_CALL)
#define kt_orc_is_regs(orc)	((orc)->type == UNWIND_HINT_TYPE_REGS)
#define kt_orc_interrupted(orc) (!kt_orc_is_call(orc))
#endif

/* Where the code of a module is. */
#ifdef KT_HAS_MODULE_MEMORY
#define kt_module_text(module)	    ((unsigned long)(module)->mem[MOD_TEXT].base)
#define kt_module_text_size(module) ((module)->mem[MOD_TEXT].size)
#else
#define kt_module_text(module)	    ((unsigned long)(module)->core_layout.base)
#define kt_module_text_size(module) ((module)->core_layout.text_size)
#endif

/* Since 6.4 the type comes first. */
#ifdef KT_HAS_UNWIND_TYPE_FIRST
#define KT_UNWIND_HINT(type, reg, offset) UNWIND_HINT(type, reg, offset, 0)
#else
#define KT_UNWIND_HINT(type, reg, offset) UNWIND_HINT(reg, offset, type, 0)
#endif

/* Since 6.15 annotations are in a header of their own. */
#ifdef KT_HAS_ANNOTATE
#include <linux/annotate.h>
#endif

#endif /* KT_KERNEL_COMPAT_UNWIND_H */
