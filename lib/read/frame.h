/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A trace as one stream of bytes, for pipes.  It consists of frames, in the
 * order in which a recorder writes the files of a trace.  ktrace-trace(5)
 * describes them; record/pipe.c writes them, frames.c reads them.
 */
#ifndef KT_LIB_READ_FRAME_H
#define KT_LIB_READ_FRAME_H

#include <stdint.h>

#define FRAME_MAGIC 0x5246544bu /* "KTFR" */

/* A frame's kind is the enum ktrace_file of the file that it continues, or: */
#define FRAME_SHOWN 16 /* a packet of programs that is still being filled */
#define FRAME_SYNC  17 /* a clock, 8 bytes: the streams are complete up to it */

struct frame {
	uint32_t magic;
	uint32_t kind;
	uint32_t number; /* of the stream */
	uint32_t size;	 /* number of bytes that follow */
};

_Static_assert(sizeof(struct frame) == 16, "layout of streams");

#endif /* KT_LIB_READ_FRAME_H */
