/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own tables for unwinding (ORC).  They have a row for each place in the code, which
 * says where the frame of the caller begins and where registers are saved.  They are not
 * exported.
 */
#ifndef KT_KERNEL_BASE_ORC_H
#define KT_KERNEL_BASE_ORC_H

#include <linux/bits.h>
#include <linux/types.h>

#if defined(CONFIG_UNWINDER_ORC) && defined(CONFIG_X86_64)
#define KT_ORC

#include "compat/unwind.h"

/* A row and, in the bits that it leaves free, marks. */
union kt_orc_rule {
	u64 word;
	struct orc_entry orc;
};

/*
 * Marks.  A plain frame begins at sp or bp and has a known size, and all that must be read of
 * it lies in it.
 */
#define KT_ORC_SAVES_BP \
	BIT_ULL(59)		 /* with one of the next two: as the row says */
#define KT_ORC_BY_BP BIT_ULL(60) /* a plain frame that begins at bp */
#define KT_ORC_IS_REGS \
	BIT_ULL(61) /* it ends with the registers of what was interrupted */
#define KT_ORC_IS_HOOK \
	BIT_ULL(62) /* no row: the address is no code of the caller's */
#define KT_ORC_IS_CALL BIT_ULL(63) /* a plain frame that begins at sp */

enum kt_orc_found {
	KT_ORC_NONE,
	KT_ORC_FOUND_ONCE, /* not to be remembered: the code may go at any time */
	KT_ORC_FOUND,
};

/* False: the tables are not where they are expected. */
bool kt_orc_init(void);

/* The rule for an instruction. */
enum kt_orc_found kt_orc_find(u64 pc, union kt_orc_rule *rule);

#endif /* KT_ORC */
#endif /* KT_KERNEL_BASE_ORC_H */
