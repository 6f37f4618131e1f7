/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A trace that comes as a stream: see frames.c. */
#ifndef KT_LIB_READ_FRAMES_H
#define KT_LIB_READ_FRAMES_H

#include "trace.h"

/*
 * Reads up to the next frame that says up to where the trace is whole: 1; 0: the stream has
 * ended; or -errno.
 */
int frames_pump(struct ktrace *trace);
/* For a cursor: -EBUSY, there was one before. */
int frames_claim(struct ktrace *trace);

#endif /* KT_LIB_READ_FRAMES_H */
