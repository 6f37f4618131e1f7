// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Enumerations whose sign no enumerator shows. */
enum with_sign : int { FIRST, SECOND };
enum high : unsigned int { HIGHEST = 0x80000000u, LOWEST = 1 };
enum narrow : signed char { NONE, SOME = 100 };
enum short_high : unsigned short { SHORT_HIGHEST = 0xffff };
enum below { BELOW = -1, ABOVE = 70000 };

struct all {
	with_sign a;
	high b;
	narrow c;
	short_high d;
	below e;
};

volatile long sink;

__attribute__((noinline)) static void use(all *every)
{
	sink = every->a + every->b + every->c + every->d + every->e;
}

int main()
{
	all every = {with_sign(-1), HIGHEST, narrow(-2), SHORT_HIGHEST, BELOW};

	use(&every);
	return 0;
}
