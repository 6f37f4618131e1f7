// SPDX-License-Identifier: GPL-2.0-only
/* A function that has the name of another one: see callee.c. */
#include "callee.h"

static CALLEE int callee_same(int number)
{
	return number + 2;
}

int callee_same_other(int number)
{
	return callee_same(number);
}
