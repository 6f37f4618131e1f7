// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Enumerations of C: the compiler chooses a type that has all of their numbers. */
enum high { HIGHEST = 0x80000000u, LOWEST = 1 };
enum below { BELOW = -1, ABOVE = 70000 };
enum plain { ZERO, ONE };

struct all {
	enum high b;
	enum below e;
	enum plain p;
};

volatile long sink;

__attribute__((noinline)) static void use(struct all *every)
{
	sink = every->b + every->e + every->p;
}

int main(void)
{
	struct all every = {HIGHEST, BELOW, ONE};

	use(&every);
	return 0;
}
