/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Several small programs in one file: the first argument names the one to run. */
#ifndef KT_TESTS_SYSCALLS_NAMED_H
#define KT_TESTS_SYSCALLS_NAMED_H

#include <stddef.h>
#include <string.h>

struct named {
	const char *name; /* NULL ends a list */
	int (*run)(void);
};

/* Runs it and returns its exit status; 2: no program has this name. */
static inline int named_run(const struct named *list, int argc, char **argv)
{
	for (; list->name; list++) {
		if (argc == 2 && !strcmp(argv[1], list->name))
			return list->run();
	}
	return 2;
}

#endif /* KT_TESTS_SYSCALLS_NAMED_H */
