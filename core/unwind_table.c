// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See unwind_table.h. */
#include "unwind_table.h"

/* May a register be in this place? */
static bool place_valid(s64 place, enum kt_unwind_kind kind)
{
	return place != KT_UNWIND_AT_BASE || kind == KT_UNWIND_AT_RBP;
}

static bool rule_valid(u64 rule)
{
	enum kt_unwind_kind kind = kt_unwind_rule_kind(rule);
	u32 extra = kt_unwind_rule_extra(rule);

	if (rule >> 50 || !place_valid(kt_unwind_rule_rbp(rule), kind) ||
	    kt_unwind_rule_rbx(rule) == KT_UNWIND_AT_BASE)
		return false;
	switch (kind) {
	case KT_UNWIND_NONE:
	case KT_UNWIND_END:
	case KT_UNWIND_SIGNAL:
	case KT_UNWIND_UNKNOWN:
		return rule == kind;
	case KT_UNWIND_RSP:
	case KT_UNWIND_RBP:
		return !extra;
	case KT_UNWIND_AT_RSP:
	case KT_UNWIND_AT_RBP:
		return true;
	case KT_UNWIND_REGISTER:
	case KT_UNWIND_PLT:
	case KT_UNWIND_LINK:
		return extra < KT_UNWIND_REGISTERS;
	default:
		return false;
	}
}

static int header_check(const struct kt_unwind_header *header, size_t size)
{
	u32 i;

	if (header->magic != KT_UNWIND_MAGIC)
		return -EBADMSG;
	if (header->version != KT_UNWIND_VERSION ||
	    header->machine != KT_UNWIND_X86_64)
		return -EPROTONOSUPPORT;
	if (header->nr_rules > KT_UNWIND_RULES_MAX ||
	    header->nr_buckets > KT_UNWIND_BUCKETS_MAX ||
	    header->nr_rows > KT_UNWIND_ROWS_MAX ||
	    header->id_size > KT_UNWIND_ID_MAX ||
	    header->base & ((1u << KT_UNWIND_BUCKET_SHIFT) - 1) ||
	    size != kt_unwind_table_size(header))
		return -EBADMSG;
	for (i = header->id_size; i < KT_UNWIND_ID_MAX; i++)
		if (header->id[i])
			return -EBADMSG;
	return 0;
}

/* Each bucket has its rows in order, and each row begins somewhere else. */
static bool buckets_valid(const struct kt_unwind_table *table, u32 nr_rows)
{
	u32 bucket, row = 0;

	if (table->buckets[0])
		return false;
	for (bucket = 0; bucket < table->nr_buckets; bucket++) {
		u32 end = table->buckets[bucket + 1];
		int last = -1;

		if (end < row || end > nr_rows)
			return false;
		for (; row < end; row++) {
			if (table->offsets[row] <= last)
				return false;
			last = table->offsets[row];
		}
	}
	return row == nr_rows;
}

int kt_unwind_table_open(struct kt_unwind_table *table, const void *bytes,
			 size_t size)
{
	const struct kt_unwind_header *header = bytes;
	struct kt_unwind_table found;
	u32 i;
	int err;

	if (size < sizeof(*header))
		return -EBADMSG;
	err = header_check(header, size);
	if (err)
		return err;
	found.base = header->base;
	found.nr_buckets = header->nr_buckets;
	found.rules = (const u64 *)(header + 1);
	found.buckets = (const u32 *)(found.rules + header->nr_rules);
	found.numbers = (const u16 *)(found.buckets + header->nr_buckets + 1);
	found.offsets = (const u8 *)(found.numbers + header->nr_rows);
	for (i = 0; i < header->nr_rules; i++)
		if (!rule_valid(found.rules[i]))
			return -EBADMSG;
	for (i = 0; i < header->nr_rows; i++)
		if (found.numbers[i] >= header->nr_rules)
			return -EBADMSG;
	if (!buckets_valid(&found, header->nr_rows))
		return -EBADMSG;
	*table = found;
	return 0;
}
