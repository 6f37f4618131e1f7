// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Preloaded: when a program has read the folder SWAP_AWAY, this replaces it by the folder
 * SWAP_IN, as an attacker could do in his own folder.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int closedir(DIR *dir)
{
	int (*next)(DIR *) = (int (*)(DIR *))dlsym(RTLD_NEXT, "closedir");
	const char *away = getenv("SWAP_AWAY"), *in = getenv("SWAP_IN");
	static int done;
	char link[64], path[4096], aside[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd(dir));
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	if (away && in && !done && !strcmp(path, away)) {
		done = 1;
		snprintf(aside, sizeof(aside), "%s.aside", away);
		if (rename(away, aside) || rename(in, away))
			abort();
	}
	return next(dir);
}
