// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stddef.h>

#include "callee.h"

void (*callee_hook)(void);

static int twice(int value)
{
	return 2 * value;
}

typedef int function(int value);

/* The dynamic linker calls this to learn which function callee_lazy() is. */
static function *callee_resolve(void)
{
	if (callee_hook)
		callee_hook();
	return twice;
}

int callee_lazy(int value) __attribute__((ifunc("callee_resolve")));

int callee_stepped(int value)
{
	return value + 1;
}

void callee_through(void (*next)(void))
{
	volatile char room[100];

	room[0] = 0;
	next();
	room[99] = room[0];
}
