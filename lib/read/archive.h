/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Reads a trace out of an archive of `ktrace archive': see archive.c. */
#ifndef KT_LIB_READ_ARCHIVE_H
#define KT_LIB_READ_ARCHIVE_H

#include "trace.h"

/* The folder of an archive that has files of programs, as below /usr/lib/debug. */
#define ARCHIVE_ID_FOLDER ".build-id/"

/* Takes all of the trace.  @path is for messages; the caller closes @fd.  0 or -errno. */
int archive_read(struct ktrace *trace, int fd, const char *path);

#endif /* KT_LIB_READ_ARCHIVE_H */
