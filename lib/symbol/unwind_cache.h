/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Unwind tables on disk, by build id, so that each is made once.
 *
 * Who can write to the directory decides what stacks look like, so it and all files in it must
 * belong to the caller, and nobody else may write to them.  A build id is what its file says it
 * is: only files that belong to the caller or to root get into the cache, or a stranger's file
 * could pass for the C library.
 */
#ifndef KT_LIB_SYMBOL_UNWIND_CACHE_H
#define KT_LIB_SYMBOL_UNWIND_CACHE_H

#include "unwind_file.h"

struct unwind_cache {
	int dir;
};

/*
 * Opens a directory, which is made if it is missing; its parent must exist.
 * 0 or -errno; -EPERM: it is not the caller's alone.
 */
int unwind_cache_open(struct unwind_cache *cache, const char *path);
void unwind_cache_close(struct unwind_cache *cache);

/*
 * The table of a file: from the cache, or made and put there.  A damaged file in the cache is
 * made anew.  If nothing can be written, the table is still there.  0 or -errno of
 * unwind_make().
 */
int unwind_cache_get(const struct unwind_cache *cache, int fd,
		     struct unwind_bytes *table);

#endif /* KT_LIB_SYMBOL_UNWIND_CACHE_H */
