/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Reads a trace that comes as a stream: see frames.c. */
#ifndef KT_LIB_READ_FRAMES_H
#define KT_LIB_READ_FRAMES_H

#include "trace.h"

/*
 * Reads frames up to the next FRAME_SYNC, which says up to where the trace is
 * complete.  1, or 0 if the stream has ended, or -errno.
 */
int frames_pump(struct ktrace *trace);
/* Called for each new cursor.  -EBUSY: there was one before. */
int frames_claim(struct ktrace *trace);

#endif /* KT_LIB_READ_FRAMES_H */
