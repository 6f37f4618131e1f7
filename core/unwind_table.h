/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Unwind tables: how the caller of a function is found from any place in a file's text.
 *
 * Programs are compiled without frame pointers.  What they have instead, .eh_frame, is a
 * program of its own for each function, too slow and too risky to be run at an event.  So
 * lib/symbol runs it beforehand, for all places, and keeps the results in a table:
 *
 *	header		struct kt_unwind_header
 *	rules		u64 [nr_rules]		 what is to be done, each once
 *	buckets		u32 [nr_buckets + 1]	 number of the first row of each 256 bytes
 *						 of text; the last word is nr_rows
 *	numbers		u16 [nr_rows]		 the row's rule
 *	offsets		u8 [nr_rows]		 where the row begins, in its bucket
 *
 * A row is good up to the next one, also beyond its bucket.  So a row takes 3 bytes, and a
 * search looks at no more than the rows of one bucket.  All addresses are the file's own
 * (those of its program headers), and all words are little-endian.
 *
 * A table comes from user space.  The kernel must take a copy that nobody else can write,
 * and check it once with kt_unwind_table_open(); after that, no search leaves it.  A table that
 * lies only makes wrong stacks.
 */
#ifndef KT_CORE_UNWIND_TABLE_H
#define KT_CORE_UNWIND_TABLE_H

#include "env.h"

#define KT_UNWIND_MAGIC	       0x6e75746bu /* "ktun" */
#define KT_UNWIND_VERSION      1
#define KT_UNWIND_X86_64       62 /* as ELF numbers processors */

#define KT_UNWIND_BUCKET_SHIFT 8
/* 1 GiB of text.  The largest browsers have a quarter of that. */
#define KT_UNWIND_BUCKETS_MAX (1u << 22)
#define KT_UNWIND_ROWS_MAX    (1u << 23)
#define KT_UNWIND_RULES_MAX   (1u << 16)
#define KT_UNWIND_ID_MAX      32

struct kt_unwind_header {
	u32 magic;
	u16 version;
	u16 machine;
	u32 nr_rules;
	u32 nr_buckets;
	u32 nr_rows;
	u32 id_size;		 /* 0: the file has no build id */
	u8 id[KT_UNWIND_ID_MAX]; /* zeros behind @id_size */
	u64 base;		 /* where the first bucket begins */
	u64 sum;		 /* of all that follows; for files only */
};

_Static_assert(sizeof(struct kt_unwind_header) == 72, "layout of the header");

/*
 * A rule is a word:
 *
 *	bits	0-3	kind
 *		4-21	offset, in words of 8 bytes, signed
 *		22-31	where the caller's rbp is
 *		32-41	where the caller's rbx is
 *		42-49	extra
 *		50-63	zero
 *
 * The CFA (canonical frame address) is the caller's stack pointer.  The return address is
 * just below it, if the kind does not say otherwise.  A register is at the CFA plus
 * as many words, or one of the special values.  rbx is here because the dynamic linker has its
 * frame on it while it looks up a function; no other register is needed.
 */
enum kt_unwind_kind {
	KT_UNWIND_NONE,	    /* nothing is known of this place */
	KT_UNWIND_END,	    /* nobody called: the outermost frame */
	KT_UNWIND_RSP,	    /* CFA = rsp + offset */
	KT_UNWIND_RBP,	    /* CFA = rbp + offset */
	KT_UNWIND_AT_RSP,   /* CFA = *(rsp + offset) + 8 * extra */
	KT_UNWIND_AT_RBP,   /* CFA = *(rbp + offset) + 8 * extra */
	KT_UNWIND_REGISTER, /* CFA = register number extra + offset */
	KT_UNWIND_PLT, /* CFA = rsp + offset, 8 more from byte extra of 16 on */
	KT_UNWIND_SIGNAL, /* the kernel has stored all registers at rsp */
	KT_UNWIND_LINK, /* CFA = rsp + offset, return address in register extra */
	KT_UNWIND_UNKNOWN, /* something that no rule can say */
	KT_UNWIND_KINDS,
};

enum {
	KT_UNWIND_SAME = -512, /* the register has the caller's value */
	KT_UNWIND_LOST = -511, /* it cannot be had */
	/* KT_UNWIND_AT_RBP only: where rbp points, as in realigned frames */
	KT_UNWIND_AT_BASE = -510,
	KT_UNWIND_PLACE_MIN = -509,
	KT_UNWIND_PLACE_MAX = 511,

	KT_UNWIND_OFFSET_MIN = -(1 << 17),
	KT_UNWIND_OFFSET_MAX = (1 << 17) - 1,

	/* Numbers of registers are DWARF's. */
	KT_UNWIND_REG_RBX = 3,
	KT_UNWIND_REGISTERS = 16,
};

static __always_inline u64 kt_unwind_rule(enum kt_unwind_kind kind, s64 offset,
					  s64 rbp, s64 rbx, u32 extra)
{
	return (u64)kind | ((u64)offset & 0x3ffff) << 4 |
	       ((u64)rbp & 0x3ff) << 22 | ((u64)rbx & 0x3ff) << 32 |
	       (u64)(extra & 0xff) << 42;
}

static __always_inline enum kt_unwind_kind kt_unwind_rule_kind(u64 rule)
{
	return (enum kt_unwind_kind)(rule & 15);
}

/* In bytes. */
static __always_inline s64 kt_unwind_rule_offset(u64 rule)
{
	return ((s64)(rule << 42) >> 46) * 8;
}

/* In words, or a special value. */
static __always_inline s64 kt_unwind_rule_rbp(u64 rule)
{
	return (s64)(rule << 32) >> 54;
}

static __always_inline s64 kt_unwind_rule_rbx(u64 rule)
{
	return (s64)(rule << 22) >> 54;
}

static __always_inline u32 kt_unwind_rule_extra(u64 rule)
{
	return rule >> 42 & 0xff;
}

/* A checked table.  It points into the bytes, which belong to the caller. */
struct kt_unwind_table {
	u64 base;
	u32 nr_buckets;
	const u64 *rules;
	const u32 *buckets;
	const u16 *numbers;
	const u8 *offsets;
};

/* How many bytes a table with this header has.  The counts need not be checked. */
static inline u64 kt_unwind_table_size(const struct kt_unwind_header *header)
{
	return sizeof(*header) + header->nr_rules * 8ull +
	       (header->nr_buckets + 1ull) * 4 + header->nr_rows * 3ull;
}

/*
 * Checks a table that may be anything; the time it takes is proportional to @size.
 * @bytes is aligned to 8.
 * 0, or -EPROTONOSUPPORT: another version or processor.  -EBADMSG: no table, or a damaged one.
 */
int kt_unwind_table_open(struct kt_unwind_table *table, const void *bytes,
			 size_t size);

/* The rule for an address of the file. */
static __always_inline u64
kt_unwind_table_find(const struct kt_unwind_table *table, u64 address)
{
	u64 at = address - table->base, bucket = at >> KT_UNWIND_BUCKET_SHIFT;
	u32 low, high;

	if (bucket >= table->nr_buckets)
		return KT_UNWIND_NONE;
	/* The address is from a stack, which anyone may have written. */
	bucket = env_index(bucket, table->nr_buckets);
	low = table->buckets[bucket];
	high = table->buckets[bucket + 1];
	while (low < high) {
		u32 middle = (low + high) / 2;

		if (table->offsets[middle] <= (u8)at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? table->rules[table->numbers[low - 1]] : KT_UNWIND_NONE;
}

#endif /* KT_CORE_UNWIND_TABLE_H */
