/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The options of the programs that measure markers: [--tsv] [--rounds N]. */
#ifndef KT_BENCH_ROUNDS_H
#define KT_BENCH_ROUNDS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned int rounds = 2000;

/* False: it was called wrongly, and says how it is called. */
static bool rounds_parse(int argc, char **argv, bool *tsv)
{
	static const struct option options[] = {
		{"tsv", no_argument, NULL, 't'},
		{"rounds", required_argument, NULL, 'r'},
		{0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "tr:", options, NULL)) >= 0) {
		if (option == 't')
			*tsv = true;
		else
			rounds = option == 'r' ? atoi(optarg) : 0;
	}
	if (rounds && optind == argc)
		return true;
	fprintf(stderr, "usage: %s [--tsv] [--rounds N]\n", argv[0]);
	return false;
}

#endif /* KT_BENCH_ROUNDS_H */
