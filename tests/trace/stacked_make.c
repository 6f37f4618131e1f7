// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* stacked-make DIRECTORY - makes the trace of stacked.h, for scripts */
#include "stacked.h"

int main(int argc, char **argv)
{
	return argc != 2 || stacked_make(argv[1]);
}
