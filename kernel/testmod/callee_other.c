// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function that has the name of another one, and functions that end with a jump to another:
 * see callee.c.
 */
#include "callee.h"

CALLEE int jump_first(int number);
CALLEE int jump_second(int number);
CALLEE int jump_last(int number);

static CALLEE int callee_same(int number)
{
	return number + 2;
}

int callee_same_other(int number)
{
	return callee_same(number);
}

CALLEE int jump_last(int number)
{
	return -number;
}

CALLEE int jump_second(int number)
{
	return jump_last(number + 1);
}

CALLEE int jump_first(int number)
{
	return jump_second(number + 1);
}

int jump_all(int number)
{
	return jump_first(number);
}
