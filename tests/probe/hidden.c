// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A variable that keeps its value and hides another one, in a block of what is put elsewhere. */
int hits = 5;
volatile int sink;

static inline __attribute__((always_inline)) int helper(int a)
{
	sink = 1;
	if (a > 2) {
		static int hits = 70;

		sink = 2;
		hits += a;
	}
	sink = 3;
	hits++;
	return a + hits;
}

__attribute__((noinline)) static int first(int a)
{
	return helper(a) + 1;
}

__attribute__((noinline)) static int second(int a)
{
	return helper(a + 1) + 2;
}

int main(int argc, char **argv)
{
	(void)argv;
	return first(argc + 2) + second(argc + 2) == 0;
}
