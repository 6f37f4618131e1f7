// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The error of quantiles is below 1 %; everything else is exact. */
#include "check.h"
#include "base/histogram.h"
#include "rnd.h"

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void check_near(uint64_t got, uint64_t want)
{
	uint64_t off = got > want ? got - want : want - got;

	if (off > want / 100)
		check_fail("%llu is not near %llu", (unsigned long long)got,
			   (unsigned long long)want);
}

TEST(nothing)
{
	struct histogram h = {0};

	CHECK_EQ(histogram_quantile(&h, 50), 0);
	histogram_free(&h);
}

TEST(one_of_each)
{
	for (int shift = 0; shift < 64; shift++) {
		for (int64_t off = -1; off <= 1; off++) {
			uint64_t value = (1ull << shift) + off;
			struct histogram h = {0};

			CHECK_EQ(histogram_add(&h, value), 0);
			CHECK_EQ(histogram_quantile(&h, 1), value);
			CHECK_EQ(histogram_quantile(&h, 99), value);
			CHECK_EQ(h.total, value);
			histogram_free(&h);
		}
	}
}

TEST(small_values_are_exact)
{
	struct histogram h = {0};

	for (uint64_t v = 100; v > 0; v--)
		CHECK_EQ(histogram_add(&h, v), 0);
	for (unsigned int percent = 1; percent <= 100; percent++)
		CHECK_EQ(histogram_quantile(&h, percent), percent);
	CHECK_EQ(histogram_permille(&h, 1), 1);
	CHECK_EQ(histogram_permille(&h, 10), 1);
	CHECK_EQ(histogram_permille(&h, 11), 2);
	CHECK_EQ(histogram_permille(&h, 990), 99);
	CHECK_EQ(histogram_permille(&h, 991), 100);
	CHECK_EQ(histogram_permille(&h, 999), 100);
	histogram_free(&h);
}

TEST(near_for_any_values)
{
	enum { NR = 10001 };
	static uint64_t values[NR];

	for (int width = 4; width <= 64; width += 4) {
		struct histogram h = {0};
		uint64_t total = 0;

		for (int i = 0; i < NR; i++) {
			uint64_t v = (uint64_t)rnd(1u << 31) << 33 ^
				     (uint64_t)rnd(1u << 31) << 10 ^ rnd(1024);

			values[i] = v >> (64 - width) >> rnd(4);
			if (__builtin_add_overflow(total, values[i], &total))
				total = UINT64_MAX;
			CHECK_EQ(histogram_add(&h, values[i]), 0);
		}
		qsort(values, NR, sizeof(*values), compare);
		CHECK_EQ(h.count, NR);
		CHECK_EQ(h.total, total);
		CHECK_EQ(h.min, values[0]);
		CHECK_EQ(h.max, values[NR - 1]);
		check_near(histogram_quantile(&h, 50), values[NR / 2]);
		check_near(histogram_quantile(&h, 99), values[9900]);
		check_near(histogram_permille(&h, 999), values[9990]);
		CHECK(h.nr <= 3776);
		histogram_free(&h);
	}
}

/* Two halves together are the whole. */
TEST(merged)
{
	struct histogram all = {0}, half[2] = {{0}, {0}};

	for (int i = 0; i < 20000; i++) {
		uint64_t value = rnd(1u << 31) >> rnd(31);

		CHECK_EQ(histogram_add(&all, value), 0);
		CHECK_EQ(histogram_add(&half[i & 1], value), 0);
	}
	CHECK_EQ(histogram_merge(&half[0], &half[1]), 0);
	CHECK_EQ(histogram_merge(&half[0], &(struct histogram){0}), 0);
	CHECK_EQ(half[0].count, all.count);
	CHECK_EQ(half[0].total, all.total);
	CHECK_EQ(half[0].min, all.min);
	CHECK_EQ(half[0].max, all.max);
	CHECK_EQ(half[0].nr, all.nr);
	for (size_t i = 0; i < all.nr; i++) {
		CHECK_EQ(half[0].buckets[i].index, all.buckets[i].index);
		CHECK_EQ(half[0].buckets[i].count, all.buckets[i].count);
	}
	histogram_free(&all);
	histogram_free(&half[0]);
	histogram_free(&half[1]);
}

TEST(between_powers_of_two)
{
	struct histogram h = {0};

	for (uint64_t v = 0; v < 5000; v++)
		CHECK_EQ(histogram_add(&h, v), 0);
	CHECK_EQ(histogram_add(&h, UINT64_MAX), 0);
	CHECK_EQ(histogram_between(&h, 0, 1), 1);
	for (uint64_t from = 1; from < 4096; from *= 2)
		CHECK_EQ(histogram_between(&h, from, from * 2), from);
	CHECK_EQ(histogram_between(&h, 4096, 8192), 5000 - 4096);
	CHECK_EQ(histogram_between(&h, 8192, 1ull << 63), 0);
	CHECK_EQ(histogram_between(&h, 1ull << 63, 0), 1);
	histogram_free(&h);
}

CHECK_MAIN
