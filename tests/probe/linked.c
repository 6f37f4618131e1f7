// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* With linked_other.c: two files that are optimised as one program. */
volatile int sink;
static int state = 11;

int other_use(int by);

struct record {
	long gap[3];
	int value;
};

__attribute__((noinline)) static int own_use(int by, struct record *record)
{
	state += by;
	sink = state;
	return state + record->value;
}

int main(int argc, char **argv)
{
	struct record record = {.value = argc};

	(void)argv;
	return own_use(argc, &record) + other_use(argc) == 0;
}
