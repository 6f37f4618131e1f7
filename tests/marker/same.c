// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* same COUNT: hits the markers, which the module ktrace-marked has too, COUNT times */
#include <stdlib.h>

#include "same.h"

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? atoi(argv[1]) : 1;

	for (unsigned int round = 0; round < count; round++)
		same_hit(round);
	return 0;
}
