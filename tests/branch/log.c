// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Buffers of branches: what a reader gets while the writer goes on. */
#include <pthread.h>

#include "branch_log.h"
#include "check.h"

#define NR 64

static struct kt_branch entries[NR];

static void add(struct kt_branch_log *log, u64 nr)
{
	while (nr--)
		kt_branch_log_add(log, KT_BRANCH_CALL, log->head, ~log->head);
}

/* Entries N to the newest; the reader was told that they are from @first on. */
static void check_range(const struct kt_branch_log *log, u32 max, u64 first,
			u32 nr)
{
	u32 got_nr;
	u64 got = kt_branch_log_range(log, max, &got_nr);

	CHECK_EQ(got, first);
	CHECK_EQ(got_nr, nr);
	CHECK_EQ(kt_branch_log_overwritten(log, got), 0);
	for (u64 i = got; i < got + got_nr; i++) {
		const struct kt_branch *entry = &entries[i & log->mask];

		CHECK_EQ(entry->from & KT_BRANCH_PLACE_MASK, i);
		CHECK_EQ(entry->from >> KT_BRANCH_KIND_SHIFT, KT_BRANCH_CALL);
		CHECK_EQ(entry->to, ~i);
	}
}

TEST(it_keeps_the_newest)
{
	struct kt_branch_log log = {};

	kt_branch_log_open(&log, entries, NR);
	check_range(&log, NR, 0, 0);
	add(&log, 10);
	check_range(&log, NR, 0, 10);
	check_range(&log, 3, 7, 3);
	check_range(&log, 0, 10, 0);
	add(&log, NR - 11);
	check_range(&log, NR, 0, NR - 1);
	/* The place of one is always being written. */
	add(&log, 1);
	check_range(&log, NR, 1, NR - 1);
	add(&log, 5 * NR + 3);
	check_range(&log, NR, 5 * NR + 4, NR - 1);
	check_range(&log, ~0u, 5 * NR + 4, NR - 1);
}

TEST(addresses_keep_their_bits)
{
	static const u64 places[] = {0, 0x7fffffffffff, 0xffffffffff600000,
				     0x00ffffffffffffff};
	struct kt_branch_log log = {};

	kt_branch_log_open(&log, entries, NR);
	for (u32 i = 0; i < 4; i++) {
		kt_branch_log_add(&log, KT_BRANCH_KINDS - 1, places[i],
				  places[i]);
		CHECK_EQ(entries[i].from & KT_BRANCH_PLACE_MASK,
			 places[i] & KT_BRANCH_PLACE_MASK);
		CHECK_EQ(entries[i].from >> KT_BRANCH_KIND_SHIFT,
			 KT_BRANCH_KINDS - 1);
		CHECK_EQ(entries[i].to, places[i]);
	}
}

TEST(what_is_overwritten_is_told)
{
	struct kt_branch_log log = {};
	u32 nr;
	u64 first;

	kt_branch_log_open(&log, entries, NR);
	add(&log, 2 * NR);
	first = kt_branch_log_range(&log, NR, &nr);
	CHECK_EQ(kt_branch_log_overwritten(&log, first), 0);
	add(&log, 1);
	CHECK_EQ(kt_branch_log_overwritten(&log, first), 1);
	add(&log, NR);
	CHECK_EQ(kt_branch_log_overwritten(&log, first), NR + 1);
}

/* ---- at the same time ----------------------------------------------------- */

static struct kt_branch_log shared;
static bool over;

static void *writer(void *nothing)
{
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		add(&shared, 1);
	return nothing;
}

/* Each entry that is not said to be overwritten is the one that it should be. */
TEST(a_reader_beside_the_writer)
{
	struct kt_branch copy[NR];
	unsigned long valid = 0;
	pthread_t thread;

	kt_branch_log_open(&shared, entries, NR);
	CHECK_EQ(pthread_create(&thread, NULL, writer, NULL), 0);
	while (valid < 200000) {
		u32 nr, i;
		u64 first = kt_branch_log_range(&shared, NR / 2, &nr), skip;

		for (i = 0; i < nr; i++) {
			const struct kt_branch *entry =
				&entries[(first + i) & shared.mask];

			copy[i].from = READ_ONCE(entry->from);
			copy[i].to = READ_ONCE(entry->to);
		}
		skip = kt_branch_log_overwritten(&shared, first);
		for (i = skip < nr ? skip : nr; i < nr; i++, valid++) {
			if ((copy[i].from & KT_BRANCH_PLACE_MASK) !=
				    first + i ||
			    copy[i].to != ~(first + i))
				break;
		}
		if (i < nr)
			break;
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	CHECK(valid >= 200000);
}

CHECK_MAIN
