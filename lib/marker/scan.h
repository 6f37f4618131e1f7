/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Finds the files of running programs that have markers. */
#ifndef KT_LIB_MARKER_SCAN_H
#define KT_LIB_MARKER_SCAN_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Calls @use with the path of each file that a process which maps @hub runs
 * code of, once for each file; @pid: of this process only, 0: of all.  -ESRCH:
 * @pid cannot be read, or does not map a hub.
 */
int marker_scan(const char *hub, pid_t pid,
		int (*use)(void *data, const char *path), void *data);

#endif /* KT_LIB_MARKER_SCAN_H */
