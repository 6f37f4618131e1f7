// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Structs of the same names: namesakes_other.cc defines what is only declared here. */
#include "namesakes.h"

/* Nobody defines it. */
namespace lost
{
struct n;
}

struct same {
	int before;
	int here;
};

namespace
{
struct hidden {
	short gap;
	short mine;
};
}

struct all {
	first::n *one;
	second::n *two;
	third::outer *three;
	lost::n *four;
	same *five;
	hidden *six;
};

volatile long sink;

__attribute__((noinline)) static long here_use(all *list, void *any)
{
	long sum = list->five->here + list->six->mine;

	sink = sum;
	return sum + (any != nullptr);
}

int main()
{
	same five = {1, 5};
	hidden six = {1, 6};
	all list = {one_make(), two_make(), three_make(), nullptr, &five, &six};

	sink = there_use(&five);
	return here_use(&list, &five) != 11;
}
