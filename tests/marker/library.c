// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A library with a marker; program.c loads and unloads it. */
#include <stdio.h>

#include <ktrace/marker.h>

void marked_use(int number);

void marked_use(int number)
{
	KTRACE(used, "number %d", number);
	printf("used number=%d\n", number);
}
