// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See linked.c. */
extern volatile int sink;
static long state = 22;

struct record {
	int value;
};

int other_use(int by);

__attribute__((noinline)) int other_use(int by)
{
	static struct record record;

	state += by;
	sink = state;
	record.value += by;
	sink = record.value;
	return state;
}
