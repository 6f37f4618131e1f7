/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Finds the file of a loaded kernel module with markers, because the kernel
 * does not tell it.
 */
#ifndef KT_LIB_MARKER_MODULE_FILE_H
#define KT_LIB_MARKER_MODULE_FILE_H

#include <stdbool.h>

#include "symbol/build_id.h"

/*
 * Calls @use with files that may be that of the loaded module @module, until it
 * accepts one; the build id identifies the right one.  Files are searched
 *
 *	in the folder of @source, a source file of it, and in folders around;
 *	a relative @source begins at the current folder
 *	in the current folder
 *	below /lib/modules/RELEASE
 */
void marker_module_find(const char *module, const char *source,
			bool (*use)(void *data, const char *path,
				    const struct build_id *build_id),
			void *data);

#endif /* KT_LIB_MARKER_MODULE_FILE_H */
