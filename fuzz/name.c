// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libFuzzer target: names of functions.  Whatever they are, the text is bounded, and so is the
 * time.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "read/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* With ends that AddressSanitizer knows. */
	char *name = malloc(size + 1), *text = malloc(DEMANGLED_MAX);
	double begin;

	check(name && text);
	memcpy(name, data, size);
	name[size] = '\0';
	begin = seconds();
	if (demangle(name, text)) {
		check(memchr(text, '\0', DEMANGLED_MAX));
		check(text[0]);
	}
	check(seconds() - begin < 2);
	free(name);
	free(text);
	return 0;
}
