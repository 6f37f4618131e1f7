/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Places of probes that debugging information finds, in programs and in the kernel alike. */
#ifndef KT_LIB_PROBE_CODE_PLACE_H
#define KT_LIB_PROBE_CODE_PLACE_H

#include "debug_code.h"
#include "place.h"

/*
 * Calls @use with each place of the @text (debug_places()): a line, a function, or where that was put
 * into others.  It is @wanted with what was found; addresses in memory are the file's, and @slide.
 * -ENOENT: there is none, with a message, unless all were functions inlined whose return was wanted;
 * or what @use has returned.
 */
int code_places(struct debug_code *code, uint64_t slide,
		const struct place *wanted, const char *text,
		int (*use)(const struct place *place, void *data), void *data);

#endif /* KT_LIB_PROBE_CODE_PLACE_H */
