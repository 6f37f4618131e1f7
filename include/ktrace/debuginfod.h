/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Debug files that are not on this machine, from the servers that $DEBUGINFOD_URLS names.
 *
 * Nobody is asked unless the options of a recording or of an archive say so, because a server
 * learns from it which programs run here.  libdebuginfod asks, and keeps what it got in the
 * folder of $DEBUGINFOD_CACHE_PATH.  It is loaded when it is needed, with all that it needs.
 */
#ifndef KTRACE_DEBUGINFOD_H
#define KTRACE_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/library.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ktrace_debuginfod {
	size_t size; /* of this struct */
	/*
	 * Called often while the debug file of the program @path is waited for, with how many
	 * bytes came so far; with NULL when there is nothing to wait for.  True: no more files
	 * are asked for.  May be NULL.
	 */
	bool (*progress)(void *data, const char *path, uint64_t bytes);
	/* A file could not be had: why, and what to do.  May be NULL. */
	void (*warn)(void *data, const char *text);
	void *data; /* for both */
	/* How long a server may be silent, and how long all files may take; 0: 30 s and 5 min. */
	uint32_t silent_ms, all_ms;
};

/* Was the library built with it?  If not, options that ask for it are refused. */
KTRACE_API bool ktrace_debuginfod_built(void);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_DEBUGINFOD_H */
