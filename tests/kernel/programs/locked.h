/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef LOCKED_H
#define LOCKED_H

#include <stdio.h>

/* The memory that this process has locked, as buffers of branches are; in kB.  -1: it is not known. */
static inline long locked_memory(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmLck: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

#endif /* LOCKED_H */
