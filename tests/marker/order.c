// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The numbers of markers in their functions: they follow the definition, also for very many. */
#include "check.h"
#include "order.h"
#include "rnd.h"

#define MANY 65536

static struct marker_place places[MANY];
static u32 orders[MANY];

/* The definition, taken literally. */
static u32 order_of(size_t nr, size_t which)
{
	const struct marker_place *p = &places[which];
	u32 order = 1;

	for (size_t i = 0; i < nr; i++) {
		const struct marker_place *other = &places[i];

		if (strcmp(other->file, p->file) ||
		    strcmp(other->function, p->function))
			continue;
		order += other->line < p->line ||
			 (other->line == p->line && i < which);
	}
	return order;
}

TEST(numbers_are_as_defined)
{
	/* Equal words at several addresses, as compilers leave them. */
	static const char words[][8] = {"a", "b", "a", "", "ab", "b"};

	for (int round = 0; round < 200; round++) {
		size_t nr = rnd(100);

		for (size_t i = 0; i < nr; i++)
			places[i] = (struct marker_place){
				words[rnd(6)], words[rnd(6)], rnd(20)};
		CHECK_EQ(places_order(places, nr, orders), 0);
		for (size_t i = 0; i < nr; i++)
			CHECK_EQ(orders[i], order_of(nr, i));
	}
}

/* Comparing each with each would take four thousand million comparisons. */
TEST(very_many)
{
	for (size_t i = 0; i < MANY; i++)
		places[i] =
			(struct marker_place){"file.c", "function", MANY - i};
	CHECK_EQ(places_order(places, MANY, orders), 0);
	for (size_t i = 0; i < MANY; i++)
		CHECK_EQ(orders[i], MANY - i);
}

CHECK_MAIN
