// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "namesakes.h"

/* None of these is meant elsewhere. */
struct n {
	char wrong[99];
	int value;
};

namespace
{
struct hidden {
	long gap[7];
	long mine;
};
}

struct same {
	long before[3];
	long here;
};

struct third::outer::n {
	long gap[3];
	int value;
};

namespace second
{
struct n {
	long gap[2];
	int value;
};
}

namespace first
{
struct n {
	long gap;
	int value;
};
}

static first::n one = {1, 10};
static second::n two = {{1, 2}, 20};
static third::outer::n within = {{1, 2, 3}, 30};
static third::outer three = {&within};

first::n *one_make()
{
	return &one;
}

second::n *two_make()
{
	return &two;
}

third::outer *three_make()
{
	return &three;
}

__attribute__((noinline)) static long is_wrong(n *wrong, hidden *other)
{
	return wrong ? wrong->value + other->mine : 0;
}

long there_use(void *any)
{
	same *own = static_cast<same *>(any);

	return is_wrong(nullptr, nullptr) + (own ? 1 : 2);
}
