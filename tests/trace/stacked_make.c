// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* stacked-make DIRECTORY [before | programs] - makes the traces of stacked.h, for scripts */
#include <string.h>

#include "stacked.h"

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[2], "before"))
		return !!stacked_make_before(argv[1]);
	if (argc == 3 && !strcmp(argv[2], "programs"))
		return !!stacked_make_programs(argv[1]);
	return argc != 2 || stacked_make(argv[1]);
}
