/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What took long to find out about the running kernel, kept in files until the next boot.
 * Nothing depends on such a file: if there is none, or it is not valid, the work is done
 * again.
 *
 * Only root writes them.  Others may read those whose mode lets them.
 */
#ifndef KT_LIB_KERNEL_CACHE_H
#define KT_LIB_KERNEL_CACHE_H

#include <stddef.h>
#include <sys/types.h>

struct cache {
	const char *folder;
	uid_t owner; /* of the folder and its files: others are not trusted */
};

extern const struct cache cache_kernel;

/*
 * Reads what cache_write() wrote, during this boot and in a program of this build.  The
 * caller frees *@data, which has a NUL behind it that *@size does not count.  -errno: it
 * cannot be had.
 */
int cache_read(const struct cache *cache, const char *name, char **data,
	       size_t *size);
/* Replaces the file as a whole.  -errno: it could not be done; no message is set. */
int cache_write(const struct cache *cache, const char *name, mode_t mode,
		const char *data, size_t size);

#endif /* KT_LIB_KERNEL_CACHE_H */
